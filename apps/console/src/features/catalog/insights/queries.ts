import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Rows } from "@mainstay/contract/rows.ts";
import { columns, db, embedding, eq, isNull, oneOf, type Query, type RowPage } from "#lib/db.ts";
import { rangeOf } from "#lib/paged-view.ts";
import { mustBeReadable } from "../search/must-be-readable.ts";
import type { InsightsView } from "./view.ts";

type ItemOf = {
  config: { id: string; name: string | null; type: string; config_class: string | null } | null;
};

/** An insight as lists have it. PostgreSQL does not know that of a view's columns these are never empty. */
export type Insight = Pick<
  Rows["config_analysis_items"],
  "analysis_type" | "analyzer" | "severity" | "status" | "summary" | "last_observed"
> & { id: string; first_observed: string } & ItemOf;

export type WholeInsight = Rows["config_analysis"] & ItemOf;

const listed =
  "id,analysis_type,analyzer,severity,status,summary,first_observed,last_observed,config:configs(id,name,config_class,type)";
/** Components that can be chosen from a list; others are linked to from where they are shown. */
export const mostComponents = 200;

type Asked = Omit<InsightsView, "insight">;

/** `itemIds` are those of a component. */
export function found(
  view: Asked,
  itemId: string | undefined,
  itemIds: readonly string[] | undefined,
): Query<"config_analysis_items", Insight> {
  const given = (text: string) => (text === "" ? undefined : eq(text));
  const direction = view.sortDesc ? "desc" : "asc";
  return {
    select: embedding(listed),
    where: {
      config_id: itemId === undefined ? itemIds && oneOf(itemIds) : eq(itemId),
      status: given(view.status),
      severity: given(view.severity),
      analysis_type: given(view.type),
      analyzer: given(view.analyzer),
      config_type: given(view.configType),
    },
    search: view.query.trim(),
    order:
      view.sortBy === undefined
        ? ["first_observed.desc", "id.desc"]
        : [`${view.sortBy}.${direction}`, `id.${direction}`],
  };
}

/** The items of a component. */
async function itemsOf(component: string, signal?: AbortSignal): Promise<string[]> {
  const rows = await db.list(
    "config_component_relationships",
    {
      select: columns("config_component_relationships", "config_id"),
      where: { component_id: eq(component), deleted_at: isNull },
    },
    signal && { signal },
  );
  return rows.map(({ config_id: id }) => id);
}

async function load<Answer>(
  view: Asked,
  itemId: string | undefined,
  nothing: Answer,
  ask: (query: Query<"config_analysis_items", Insight>) => Promise<Answer>,
  signal?: AbortSignal,
): Promise<Answer> {
  await mustBeReadable(view.query);
  const itemIds = view.component === "" ? undefined : await itemsOf(view.component, signal);
  return itemIds?.length === 0 ? nothing : ask(found(view, itemId, itemIds));
}

export const insightsKey = ["config_analysis"] as const;

/** Every scrape writes them all again: they are asked for now and then. */
const refetchMs = 60_000;

export const insightQueries = {
  page: (view: InsightsView, itemId: string | undefined) => {
    const { insight: _, ...asked } = view;
    return queryOptions({
      queryKey: [...insightsKey, "page", itemId, asked],
      queryFn: ({ signal }) =>
        load<RowPage<Insight>>(
          view,
          itemId,
          { rows: [], total: 0 },
          (query) =>
            db.page<"config_analysis_items", Insight>(
              "config_analysis_items",
              { ...query, ...rangeOf(view) },
              { signal },
            ),
          signal,
        ),
      placeholderData: keepPreviousData,
      staleTime: 0,
      refetchInterval: refetchMs,
    });
  },
  all: (view: InsightsView, itemId: string | undefined, limit: number) =>
    load<Insight[]>(view, itemId, [], (query) =>
      db.list<"config_analysis_items", Insight>("config_analysis_items", { ...query, limit }),
    ),
  one: (id: string) =>
    queryOptions({
      queryKey: [...insightsKey, "one", id],
      queryFn: ({ signal }) =>
        db.first<"config_analysis", WholeInsight>(
          "config_analysis",
          {
            select: embedding("*,config:configs(id,name,config_class,type)"),
            where: { id: eq(id) },
          },
          { signal },
        ),
    }),
  analyzers: queryOptions({
    queryKey: ["config_analysis_analyzers"],
    queryFn: async ({ signal }) =>
      (await db.list("config_analysis_analyzers", { order: ["analyzer.asc"] }, { signal })).flatMap(
        ({ analyzer }) => analyzer ?? [],
      ),
  }),
  components: queryOptions({
    queryKey: ["components", "names"],
    queryFn: ({ signal }) =>
      db.list(
        "components",
        {
          select: columns("components", "id", "name"),
          where: { deleted_at: isNull },
          order: ["name.asc"],
          limit: mostComponents + 1,
        },
        { signal },
      ),
  }),
};
