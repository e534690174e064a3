import { useMutation, useQueryClient } from "@tanstack/react-query";
import type {
  SavedDocument,
  SavedDocuments,
} from "@mainstay/contract/documents/saved-documents.ts";
import { consoleSource } from "@mainstay/contract/sources.ts";
import { post, request } from "../api.ts";
import { ApiError } from "../api-error.ts";
import type { ConsoleDocumentKind, DocumentTrial, TriedText } from "./document-kinds.ts";
import { documentAddress } from "./queries.ts";

const save = (yaml: string, dryRun: boolean) =>
  post<SavedDocuments>(
    `/api/documents?${new URLSearchParams({ source: consoleSource, dryRun: String(dryRun) })}`,
    undefined,
    { yaml },
  );

/** What a review that was refused says of the documents that are good, beside others that are not. */
export function goodOnesIn(
  error: unknown,
): Pick<SavedDocuments, "documents" | "notices"> | undefined {
  const body = error instanceof ApiError ? error.body : undefined;
  const { documents, notices } = (body ?? {}) as Partial<SavedDocuments>;
  return Array.isArray(documents) && documents.length > 0
    ? { documents, notices: notices ?? [] }
    : undefined;
}

/** Everything that shows rows of these kinds is asked again. */
function useAskAgain(kinds: readonly ConsoleDocumentKind[]) {
  const client = useQueryClient();
  const tables = new Set<string>(kinds.map(({ table }) => table));
  return () =>
    client.invalidateQueries({
      predicate: ({ meta }) => meta?.tables?.some((table) => tables.has(table)) === true,
    });
}

/** What saving a text would do; nothing is stored. */
export function useReviewText() {
  return useMutation({
    meta: { speaksForItself: true },
    mutationFn: (text: string) => save(text, true),
  });
}

/** All documents of a text or none. */
export function useSaveText(kinds: readonly ConsoleDocumentKind[]) {
  const askAgain = useAskAgain(kinds);
  return useMutation({
    meta: { speaksForItself: true },
    mutationFn: (text: string) => save(text, false),
    onSuccess: askAgain,
  });
}

export function useDeleteDocument(kind: ConsoleDocumentKind) {
  const askAgain = useAskAgain([kind]);
  return useMutation({
    mutationFn: async (id: string) => {
      const { data } = await request(documentAddress(kind, id), { method: "DELETE" });
      return data as SavedDocument;
    },
    // Whoever deletes it leaves before its page learns that it is gone.
    onSuccess: () => void askAgain(),
  });
}

/** What a kind offers to try with a text; nothing is stored. */
export function useTryText(trial: DocumentTrial | undefined) {
  return useMutation({
    meta: { speaksForItself: true },
    mutationFn: async (tried: TriedText) => {
      const run = await trial?.load();
      return run?.(tried);
    },
  });
}
