import { useMutation } from "@tanstack/react-query";
import { downloadDocuments } from "#lib/documents/download-documents.ts";
import { type ListedDocument, loadDocuments } from "./queries.ts";

/** Reads what was chosen whole, and saves it as one file; nothing is changed. */
export function useDownloadDocuments() {
  return useMutation({
    mutationFn: async (chosen: readonly ListedDocument[]) =>
      downloadDocuments("documents", await loadDocuments(chosen)),
  });
}
