import { useMutation, useQueryClient } from "@tanstack/react-query";
import type {
  SavedDocument,
  SavedDocuments,
} from "@mainstay/contract/documents/saved-documents.ts";
import { consoleSource } from "@mainstay/contract/sources.ts";
import { post, request } from "#lib/api.ts";
import type { ConsoleDocumentKind } from "#lib/documents/document-kinds.ts";
import { addressOf } from "./queries.ts";

const save = (yaml: string, dryRun: boolean) =>
  post<SavedDocuments>(
    `/api/documents?${new URLSearchParams({ source: consoleSource, dryRun: String(dryRun) })}`,
    undefined,
    { yaml },
  );

/** Everything that shows rows of these kinds is asked again. */
function useAskAgain(kinds: readonly ConsoleDocumentKind[]) {
  const client = useQueryClient();
  const tables = new Set(kinds.flatMap((kind) => kind.tables));
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
      const { data } = await request(addressOf(kind, id), { method: "DELETE" });
      return data as SavedDocument;
    },
    onSuccess: askAgain,
  });
}
