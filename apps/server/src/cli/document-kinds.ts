import { StartupError } from "@mainstay/embedded-postgres";
import { collectKinds, findKind } from "#platform/documents/collect-kinds.ts";
import type { DocumentKind } from "#platform/documents/document-kind.ts";
import { features } from "../features.ts";

/** The kinds of documents that this version knows. */
export const documentKinds = collectKinds(features);

export function kindCalled(word: string, others: readonly string[] = []): DocumentKind {
  const kind = findKind(documentKinds, word);
  if (kind) return kind;
  const known = [...documentKinds.map(({ format }) => format.plural), ...others];
  throw new StartupError(
    `There is no kind of documents called ${JSON.stringify(word)}. There is: ${known.join(", ")}.`,
  );
}
