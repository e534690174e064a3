import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { CatalogGroup } from "@mainstay/contract/catalog-answers.ts";
import { analysisTypes } from "@mainstay/contract/catalog.ts";
import { post } from "#lib/api.ts";
import { columns, contains, db, eq, isNull } from "#lib/db.ts";
import type { SearchedKind } from "./searched-kind.ts";
import type { KnownValue } from "./suggestions.ts";

const most = 50;
const keptMs = 60_000;
const options = { staleTime: keptMs, placeholderData: keepPreviousData, retry: false } as const;
const meta = { speaksForItself: true };

const keyOf = (...parts: readonly (string | boolean)[]) => ["catalog", "known", ...parts];

const tableOf = (map: string) => (map.startsWith("tag") ? "config_tags" : "config_labels");
const isMap = /^(tag|label)s?[.:]"?([^"]*)"?$/;

/** How many items there are of each type, and how they are. */
const groups = async (hidesDeleted: boolean, signal: AbortSignal): Promise<CatalogGroup[]> =>
  (await post<CatalogGroup[] | null>(
    "/api/catalog/summary",
    { groupBy: ["type"], deleted: !hidesDeleted },
    { signal },
  )) ?? [];

const byCount = (counts: ReadonlyMap<string, number>): KnownValue[] =>
  [...counts].map(([value, count]) => ({ value, count })).toSorted((a, b) => b.count - a.count);

async function facetValues(
  table: "config_tags" | "config_labels",
  key: string,
  typed: string,
  signal: AbortSignal,
): Promise<KnownValue[]> {
  const rows = await db.list(
    table,
    {
      where: { key: eq(key), ...(typed !== "" && { value: contains(typed) }) },
      order: ["items.desc", "value.asc"],
      limit: most,
    },
    { signal },
  );
  return rows.flatMap(({ value, items }) => (value ? [{ value, count: items ?? undefined }] : []));
}

const asValues = (all: readonly (string | null)[]): KnownValue[] =>
  all.flatMap((value) => (value ? [{ value }] : []));

/** What changes and insights have there: only what is few, or kept in a list. */
async function valuesOfRows(
  of: Exclude<SearchedKind, "items">,
  field: string,
  typed: string,
  signal: AbortSignal,
): Promise<KnownValue[]> {
  switch (`${of} ${field}`) {
    case "changes type":
    case "changes change_type":
      return asValues(
        (await db.list("change_types", {}, { signal })).map(({ change_type: type }) => type),
      );
    case "changes by":
    case "changes created_by":
      return asValues(
        (
          await db.list(
            "people",
            {
              select: columns("people", "name"),
              where: { deleted_at: isNull, ...(typed !== "" && { name: contains(typed) }) },
              order: ["name.asc"],
              limit: most,
            },
            { signal },
          )
        ).map(({ name }) => name),
      );
    case "insights analyzer":
      return asValues(
        (await db.list("config_analysis_analyzers", { order: ["analyzer.asc"] }, { signal })).map(
          ({ analyzer }) => analyzer,
        ),
      );
    default:
      return [];
  }
}

export interface ValuesAsked {
  of: SearchedKind;
  /** As it is written in the search. */
  field: string;
  typed: string;
  hidesDeleted: boolean;
}

/** What completion offers. All of it exists already and is counted where the catalog counts it. */
export const valueQueries = {
  nothing: () =>
    queryOptions({
      queryKey: keyOf("nothing"),
      queryFn: (): KnownValue[] => [],
    }),
  /** Keys of tags or labels. */
  keys: (map: string, typed: string) =>
    queryOptions({
      queryKey: keyOf("keys", tableOf(map), typed),
      queryFn: async ({ signal }): Promise<KnownValue[]> => {
        if (map.startsWith("propert")) return [];
        const table = tableOf(map);
        const rows = await db.list(
          table,
          {
            select: columns(table, "key"),
            ...(typed !== "" && { where: { key: contains(typed) } }),
            order: ["key.asc"],
            limit: 2_000,
          },
          { signal },
        );
        return [...new Set(rows.flatMap(({ key }) => key ?? []))].map((value) => ({ value }));
      },
      meta,
      ...options,
    }),
  values: ({ of, field, typed, hidesDeleted }: ValuesAsked) => {
    const facet = isMap.exec(field);
    const isCounted = of === "items" && (field === "type" || field === "health");
    return queryOptions({
      queryKey: keyOf("values", of, field, hidesDeleted, isCounted ? "" : typed),
      queryFn: async ({ signal }): Promise<KnownValue[]> => {
        if (facet) return facetValues(tableOf(facet[1]!), facet[2]!, typed, signal);
        if (of !== "items") return valuesOfRows(of, field, typed, signal);
        switch (field) {
          case "namespace":
            return facetValues("config_tags", "namespace", typed, signal);
          case "type": {
            const counts = (await groups(hidesDeleted, signal)).map(
              ({ type, count }) => [type, count] as const,
            );
            return byCount(new Map(counts));
          }
          case "health": {
            const counts = new Map<string, number>();
            for (const { health } of await groups(hidesDeleted, signal))
              for (const [word, n] of Object.entries(health))
                counts.set(word, (counts.get(word) ?? 0) + n);
            return byCount(counts);
          }
          case "status":
            return (await db.list("config_statuses", {}, { signal })).flatMap(({ status }) =>
              status ? [{ value: status }] : [],
            );
          case "insight":
            return analysisTypes.map((value) => ({ value }));
          case "agent":
            return (
              await db.list(
                "agents",
                {
                  select: columns("agents", "name"),
                  where: { deleted_at: isNull, ...(typed !== "" && { name: contains(typed) }) },
                  order: ["name.asc"],
                  limit: most,
                },
                { signal },
              )
            ).flatMap(({ name }) => (name ? [{ value: name }] : []));
          default:
            return [];
        }
      },
      meta,
      ...options,
    });
  },
};
