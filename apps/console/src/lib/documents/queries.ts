import { queryOptions } from "@tanstack/react-query";
import type { StoredDocument } from "@mainstay/contract/documents/saved-documents.ts";
import { get } from "../api.ts";
import { ApiError } from "../api-error.ts";
import type { ConsoleDocumentKind } from "./document-kinds.ts";

export const documentAddress = ({ name }: ConsoleDocumentKind, id = "") =>
  `/api/documents/${encodeURIComponent(name)}${id === "" ? "" : `/${encodeURIComponent(id)}`}`;

export const documentsKey = ["documents"] as const;

export const documentQueries = {
  /** With its text, as it is edited; nothing when there is none. */
  one: (kind: ConsoleDocumentKind | undefined, id: string) =>
    queryOptions({
      queryKey: [...documentsKey, "one", kind?.name, id],
      enabled: kind !== undefined,
      queryFn: async ({ signal }) => {
        if (!kind) return null;
        try {
          return await get<StoredDocument & { text: string }>(documentAddress(kind, id), {
            signal,
          });
        } catch (error) {
          if (error instanceof ApiError && error.status === 404) return null;
          throw error;
        }
      },
      staleTime: 0,
      meta: {
        tables: kind ? [kind.table] : [],
        rows: (document): Readonly<Record<string, string[]>> =>
          document === null || !kind ? {} : { [kind.table]: [(document as StoredDocument).id] },
      },
    }),
  language: (kinds: readonly ConsoleDocumentKind[], whyNoCode: string | undefined) =>
    queryOptions({
      queryKey: [...documentsKey, "language", kinds.map(({ name }) => name), whyNoCode ?? ""],
      queryFn: async () => {
        const { forbidEval } = await import("./forbid-eval.ts");
        await forbidEval();
        const [{ documentLanguage }, ...formats] = await Promise.all([
          import("./document-language.ts"),
          ...kinds.map(({ loadFormat }) => loadFormat()),
        ]);
        return documentLanguage(formats, { whyNoCode });
      },
      staleTime: Infinity,
    }),
};
