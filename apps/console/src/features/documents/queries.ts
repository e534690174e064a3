import { queryOptions } from "@tanstack/react-query";
import type { StoredDocument } from "@mainstay/contract/documents/saved-documents.ts";
import { get } from "#lib/api.ts";
import { db, embedding, isNull } from "#lib/db.ts";
import type { ConsoleDocumentKind } from "#lib/documents/document-kinds.ts";
import { documentAddress, documentsKey } from "#lib/documents/queries.ts";

/** What the list shows of a document; its spec may be large and is read when it is wanted. */
export interface ListedDocument {
  of: ConsoleDocumentKind;
  id: string;
  name: string;
  /** Nothing, and no labels, of a kind that has none. */
  namespace?: string | null;
  source: string | null;
  created_at: string | null;
  labels?: Readonly<Record<string, string>> | null;
  /** The fields of the spec that its kind shows. */
  spec: Readonly<Record<string, unknown>>;
}

type Row = Omit<ListedDocument, "of" | "spec"> & Readonly<Record<string, unknown>>;

/** Rows of one answer, at most. */
const pageSize = 1000;

async function listAll(kind: ConsoleDocumentKind, signal: AbortSignal): Promise<ListedDocument[]> {
  const fields = [...new Set((kind.facts ?? []).flatMap((fact) => fact.fields))];
  const own = ["id", "name", "namespace", "source", "created_at", "labels"].filter(
    (name) => !(kind.without as readonly string[] | undefined)?.includes(name),
  );
  const select = embedding<Row>(
    [...own, ...fields.map((field) => `spec_${field}:spec->${field}`)].join(),
  );
  const found: ListedDocument[] = [];
  for (;;) {
    const rows = await db.list(
      kind.table,
      {
        select,
        where: { deleted_at: isNull },
        order: ["id.asc"],
        limit: pageSize,
        offset: found.length,
      },
      { signal },
    );
    for (const { id, name, namespace, source, created_at, labels, ...more } of rows)
      found.push({
        of: kind,
        id,
        name,
        namespace,
        source,
        created_at,
        labels,
        spec: Object.fromEntries(fields.map((field) => [field, more[`spec_${field}`]])),
      });
    if (rows.length < pageSize) return found;
  }
}

/** Ids of one question, at most: the address holds them. */
const mostIds = 100;

type Exported = StoredDocument & { text: string };

/** Whole documents with their texts, in the order of their kinds. */
export async function loadDocuments(chosen: readonly ListedDocument[]): Promise<Exported[]> {
  const loaded: Exported[] = [];
  for (const [kind, rows] of Map.groupBy(chosen, ({ of }) => of)) {
    for (let start = 0; start < rows.length; start += mostIds) {
      const ids = rows.slice(start, start + mostIds).map(({ id }) => id);
      const { documents } = await get<{ documents: Exported[] }>(
        `${documentAddress(kind)}?text=true&ids=${ids.join()}`,
      );
      loaded.push(...documents);
    }
  }
  return loaded;
}

const byName = (one: ListedDocument, other: ListedDocument) =>
  (one.namespace ?? "").localeCompare(other.namespace ?? "") || one.name.localeCompare(other.name);

export const listQueries = {
  list: (kinds: readonly ConsoleDocumentKind[]) =>
    queryOptions({
      queryKey: [...documentsKey, "list", kinds.map(({ name }) => name)],
      queryFn: async ({ signal }) =>
        (await Promise.all(kinds.map((kind) => listAll(kind, signal)))).flatMap((found) =>
          found.toSorted(byName),
        ),
      staleTime: 0,
      meta: { tables: kinds.map(({ table }) => table) },
    }),
  /** The ids of those that have drifted, of kinds that have any from elsewhere. */
  drifted: (kinds: readonly ConsoleDocumentKind[]) =>
    queryOptions({
      queryKey: [...documentsKey, "drifted", kinds.map(({ name }) => name)],
      enabled: kinds.length > 0,
      queryFn: async ({ signal }): Promise<ReadonlySet<string>> => {
        const found = await Promise.all(
          kinds.map((kind) =>
            get<{ documents: StoredDocument[] }>(`${documentAddress(kind)}?drifted=true`, {
              signal,
            }),
          ),
        );
        return new Set(found.flatMap(({ documents }) => documents.map(({ id }) => id)));
      },
      staleTime: 0,
      meta: { tables: kinds.map(({ table }) => table) },
    }),
};
