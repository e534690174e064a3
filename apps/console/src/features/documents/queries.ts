import { queryOptions } from "@tanstack/react-query";
import type { StoredDocument } from "@mainstay/contract/documents/saved-documents.ts";
import { get } from "#lib/api.ts";
import { ApiError } from "#lib/api-error.ts";
import type { ConsoleDocumentKind } from "#lib/documents/document-kinds.ts";

export type ListedDocument = StoredDocument & { of: ConsoleDocumentKind };

/** Documents of one answer, at most. */
const pageSize = 1000;

export const addressOf = ({ name }: ConsoleDocumentKind, id = "") =>
  `/api/documents/${encodeURIComponent(name)}${id === "" ? "" : `/${encodeURIComponent(id)}`}`;

async function listAll(kind: ConsoleDocumentKind, signal: AbortSignal): Promise<ListedDocument[]> {
  const found: ListedDocument[] = [];
  for (;;) {
    const address = `${addressOf(kind)}?limit=${pageSize}&offset=${found.length}`;
    const { documents } = await get<{ documents: StoredDocument[] }>(address, { signal });
    found.push(...documents.map((document) => ({ ...document, of: kind })));
    if (documents.length < pageSize) return found;
  }
}

export const documentsKey = ["documents"] as const;

export const documentQueries = {
  list: (kinds: readonly ConsoleDocumentKind[]) =>
    queryOptions({
      queryKey: [...documentsKey, "list", kinds.map(({ name }) => name)],
      queryFn: async ({ signal }) =>
        (await Promise.all(kinds.map((kind) => listAll(kind, signal)))).flat(),
      staleTime: 0,
      meta: { tables: kinds.flatMap(({ tables }) => tables) },
    }),
  /** With its text, as it is edited; nothing when there is none. */
  one: (kind: ConsoleDocumentKind | undefined, id: string) =>
    queryOptions({
      queryKey: [...documentsKey, "one", kind?.name, id],
      enabled: kind !== undefined,
      queryFn: async ({ signal }) => {
        if (!kind) return null;
        try {
          const [stored, { documentsText }] = await Promise.all([
            get<StoredDocument>(addressOf(kind, id), { signal }),
            import("#lib/documents/document-text.ts"),
          ]);
          return { ...stored, text: documentsText([stored.document]) };
        } catch (error) {
          if (error instanceof ApiError && error.status === 404) return null;
          throw error;
        }
      },
      staleTime: 0,
      meta: { tables: kind?.tables ?? [] },
    }),
  language: (kinds: readonly ConsoleDocumentKind[], whyNoCode: string | undefined) =>
    queryOptions({
      queryKey: [...documentsKey, "language", kinds.map(({ name }) => name), whyNoCode ?? ""],
      queryFn: async () => {
        const { forbidEval } = await import("#lib/documents/forbid-eval.ts");
        await forbidEval();
        const [{ documentLanguage }, ...formats] = await Promise.all([
          import("#lib/documents/document-language.ts"),
          ...kinds.map(({ loadFormat }) => loadFormat()),
        ]);
        return documentLanguage(formats, { whyNoCode });
      },
      staleTime: Infinity,
    }),
};
