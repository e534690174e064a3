import { stringify } from "yaml";
import type { WrittenDocument } from "@mainstay/contract/documents/saved-documents.ts";

/** Documents as a text that can be edited and applied. */
export const documentsText = (documents: readonly WrittenDocument[]): string =>
  documents
    .map((document) => stringify(document, { lineWidth: 120, aliasDuplicateObjects: false }))
    .join("---\n");
