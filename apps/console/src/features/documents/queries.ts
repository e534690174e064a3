import { queryOptions } from "@tanstack/react-query";
import type { StoredDocument } from "@mainstay/contract/documents/saved-documents.ts";
import { get } from "#lib/api.ts";
import type { ConsoleDocumentKind } from "#lib/documents/document-kinds.ts";
import { documentAddress, documentsKey } from "#lib/documents/queries.ts";

export type ListedDocument = StoredDocument & { of: ConsoleDocumentKind };

/** Documents of one answer, at most. */
const pageSize = 1000;

async function listAll(kind: ConsoleDocumentKind, signal: AbortSignal): Promise<ListedDocument[]> {
  const found: ListedDocument[] = [];
  for (;;) {
    const address = `${documentAddress(kind)}?limit=${pageSize}&offset=${found.length}`;
    const { documents } = await get<{ documents: StoredDocument[] }>(address, { signal });
    found.push(...documents.map((document) => ({ ...document, of: kind })));
    if (documents.length < pageSize) return found;
  }
}

export const listQueries = {
  list: (kinds: readonly ConsoleDocumentKind[]) =>
    queryOptions({
      queryKey: [...documentsKey, "list", kinds.map(({ name }) => name)],
      queryFn: async ({ signal }) =>
        (await Promise.all(kinds.map((kind) => listAll(kind, signal)))).flat(),
      staleTime: 0,
      meta: { tables: kinds.flatMap(({ tables }) => tables) },
    }),
};
