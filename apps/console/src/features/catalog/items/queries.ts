import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { CatalogGroup } from "@mainstay/contract/catalog-answers.ts";
import type { Rows } from "@mainstay/contract/rows.ts";
import { request } from "#lib/api.ts";
import { columns, db, embedding, eq, oneOf, type Query } from "#lib/db.ts";
import { listOf, type LiveList } from "#lib/live-list.ts";
import { mustBeReadable } from "../search/must-be-readable.ts";
import { type CatalogView, type GroupKey, type ItemSortKey, splitLabel } from "./catalog-view.ts";
import { asMatchList, findItems, type ItemFilter } from "./item-filter.ts";

/** The contract's: they change seldom, and are asked for by every page of the catalog. */
const listedMs = 300_000;

export interface ItemChanges {
  change_type: string;
  severity: string;
  total: number;
}
/** An open insight, as it is counted. */
export type ItemInsight = Pick<Rows["config_analysis"], "config_id" | "analysis_type" | "severity">;
export interface ListedItem {
  id: string;
  name: string | null;
  type: string | null;
  config_class: string | null;
  status: string | null;
  health: string | null;
  description: string | null;
  labels: Readonly<Record<string, string>> | null;
  tags: Readonly<Record<string, string>> | null;
  created_at: string | null;
  updated_at: string | null;
  deleted_at: string | null;
  last_scraped_time: string | null;
  cost_total_1d: number | null;
  cost_total_7d: number | null;
  cost_total_30d: number | null;
  /** Of the last 30 days. */
  changes: readonly ItemChanges[] | null;
  /** Open ones, by what they are about. */
  analysis: Readonly<Record<string, number>> | null;
  agent: { id: string | null; name: string | null } | null;
  /** The same one by one, with how much each matters; read where there are any. */
  insights?: readonly ItemInsight[];
}

const selected = embedding<ListedItem>(
  "id,type,config_class,status,health,description,labels,name,tags,created_at,updated_at,deleted_at,last_scraped_time,cost_total_1d,cost_total_7d,cost_total_30d,changes,analysis,agent:agents(id,name)",
);

export interface ItemOrder {
  sortBy: ItemSortKey | undefined;
  sortDesc: boolean;
}
type Order = NonNullable<Query<"configs">["order"]>;

/** Rows that are equal keep their places from window to window. */
function orderOf({ sortBy, sortDesc }: ItemOrder): Order {
  const way = sortDesc ? "desc" : "asc";
  if (sortBy === undefined) return ["type.asc", "name.asc", "id.asc"];
  if (sortBy === "type") return [`type.${way}`, "name.asc", "id.asc"];
  return [`${sortBy}.${way}.nullslast`, "id.asc"];
}

export interface ItemsAsked extends ItemOrder {
  filter: ItemFilter;
  tagKeys: ReadonlySet<string>;
}
/** A key of the cache holds no set. */
const keyOf = ({ filter, tagKeys, sortBy, sortDesc }: ItemsAsked) => [
  { ...filter, labels: [...filter.labels], status: [...filter.status], health: [...filter.health] },
  [...filter.labels.keys()].filter((id) => tagKeys.has(splitLabel(id).key)),
  sortBy,
  sortDesc,
];

/** How many items are read at once. */
export const windowSize = 200;
/** From here on the database would count for rows that nobody sees: which rows they are is asked first. */
const deepFrom = 1_000;

async function withInsights(items: ListedItem[], signal?: AbortSignal): Promise<ListedItem[]> {
  const having = items.flatMap(({ id, analysis }) => (analysis ? [id] : []));
  if (having.length === 0) return items;
  const insights = await db.list(
    "config_analysis",
    {
      select: columns("config_analysis", "config_id", "analysis_type", "severity"),
      where: { config_id: oneOf(having), status: eq("open") },
    },
    signal ? { signal } : {},
  );
  const byItem = Map.groupBy(insights, ({ config_id }) => config_id);
  return items.map((item) => ({ ...item, insights: byItem.get(item.id) ?? [] }));
}

async function readWindow(
  asked: ItemsAsked,
  range: { limit: number; offset: number },
  signal?: AbortSignal,
): Promise<ListedItem[]> {
  const options = signal ? { signal } : {};
  await mustBeReadable(asked.filter.search);
  const found = { ...findItems(asked.filter, asked.tagKeys), order: orderOf(asked), ...range };
  if (range.offset < deepFrom)
    return withInsights(await db.list("configs", { ...found, select: selected }, options), signal);
  const ids = (
    await db.list("configs", { ...found, select: columns("configs", "id") }, options)
  ).flatMap(({ id }) => id ?? []);
  if (ids.length === 0) return [];
  const items = await db.list("configs", { select: selected, where: { id: oneOf(ids) } }, options);
  const byId = new Map(items.map((item) => [item.id, item]));
  return withInsights(
    // One that went between the two questions has left the list.
    ids.flatMap((id) => byId.get(id) ?? []),
    signal,
  );
}

/** Changes are announced of the table, and the view is asked. */
function liveList(query: Query<"configs">): LiveList {
  return { ...listOf("configs", query), table: "config_items" };
}
const idsOf = (items: unknown) => (items as readonly ListedItem[]).map(({ id }) => id);
const ofItems = (items: unknown) => ({
  config_changes: idsOf(items),
  config_analysis: idsOf(items),
});
const tables = ["config_items", "config_changes", "config_analysis"] as const;

export const itemQueries = {
  /** C2. */
  summary: (
    groupBy: readonly GroupKey[],
    { labels, status, health, hideDeleted }: Omit<ItemFilter, "configType" | "search">,
  ) => {
    const tags = groupBy.flatMap((group) => (group.of === "tag" ? [group.key] : []));
    const filter: Record<string, string> = {};
    for (const [key, states] of Map.groupBy(labels, ([id]) => splitLabel(id).key))
      filter[key] = asMatchList(
        new Map(states.map(([id, state]) => [splitLabel(id).value, state] as const)),
      );
    const body = {
      groupBy: [...new Set([...tags, "type"])],
      deleted: !hideDeleted,
      ...(labels.size > 0 && { filter }),
      ...(health.size > 0 && { health: asMatchList(health) }),
      ...(status.size > 0 && { status: asMatchList(status) }),
      changes: { since: "30d" },
      analysis: { since: "30d" },
      cost: "30d",
    };
    return queryOptions({
      queryKey: ["catalog", "summary", body],
      queryFn: async ({ signal }) => {
        const { data } = await request("/api/catalog/summary", { method: "POST", body, signal });
        return (data ?? []) as CatalogGroup[];
      },
      placeholderData: keepPreviousData,
      staleTime: 0,
      meta: { tables },
    });
  },
  /** How many items are found in all. */
  count: (asked: ItemsAsked) => {
    const found = findItems(asked.filter, asked.tagKeys);
    // To find one, where there are few or none, would take a look at every item.
    const query = { ...found, select: columns("configs", "id"), limit: 0 };
    return queryOptions({
      queryKey: ["catalog", "items", "count", ...keyOf({ ...asked, sortBy: undefined })],
      queryFn: async ({ signal }) => {
        await mustBeReadable(asked.filter.search);
        return (await db.page("configs", query, { signal })).total;
      },
      placeholderData: keepPreviousData,
      staleTime: 0,
      meta: {
        tables: ["config_items"],
        list: { ...liveList(found), shown: () => ({ ids: new Set<string>(), isAll: false }) },
      },
    });
  },
  /** Some of them, in order. */
  window: (asked: ItemsAsked, at: number) => {
    const range = { limit: windowSize, offset: at * windowSize };
    return queryOptions({
      queryKey: ["catalog", "items", "window", ...keyOf(asked), at],
      queryFn: ({ signal }) => readWindow(asked, range, signal),
      staleTime: 0,
      meta: {
        tables,
        rows: ofItems,
        list: liveList({
          ...findItems(asked.filter, asked.tagKeys),
          order: orderOf(asked),
          ...range,
        }),
      },
    });
  },
  /** All of them, up to a number: what is grouped in the browser. */
  all: (asked: ItemsAsked, limit: number) =>
    queryOptions({
      queryKey: ["catalog", "items", "all", ...keyOf(asked), limit],
      queryFn: ({ signal }) => readWindow(asked, { limit, offset: 0 }, signal),
      placeholderData: keepPreviousData,
      staleTime: 0,
      meta: {
        tables,
        rows: ofItems,
        list: liveList({ ...findItems(asked.filter, asked.tagKeys), order: orderOf(asked), limit }),
      },
    }),
  /** The same, once: what is exported. */
  exported: (asked: ItemsAsked, limit: number) => readWindow(asked, { limit, offset: 0 }),
  /** C10. */
  types: () =>
    queryOptions({
      queryKey: ["catalog", "types"],
      queryFn: async ({ signal }) =>
        (await db.list("config_types", {}, { signal })).flatMap(({ type }) => type ?? []),
      staleTime: listedMs,
    }),
  statuses: () =>
    queryOptions({
      queryKey: ["catalog", "statuses"],
      queryFn: async ({ signal }) =>
        (await db.list("config_statuses", {}, { signal })).flatMap(({ status }) => status ?? []),
      staleTime: listedMs,
    }),
  /** C8: by what can be grouped, and what has an index. */
  tagKeys: () =>
    queryOptions({
      queryKey: ["catalog", "tag-keys"],
      queryFn: async ({ signal }) => {
        const tags = await db.list(
          "config_tags",
          { select: columns("config_tags", "key") },
          { signal },
        );
        return [...new Set(tags.flatMap(({ key }) => key ?? []))].toSorted();
      },
      staleTime: listedMs,
    }),
};

/** What of a view its items are asked by. */
export const askedOf = (
  view: CatalogView,
  hideDeleted: boolean,
  tagKeys: ReadonlySet<string>,
): ItemsAsked => ({
  filter: {
    configType: view.configType,
    search: view.search,
    labels: view.labels,
    status: view.status,
    health: view.health,
    hideDeleted,
  },
  tagKeys,
  sortBy: view.sortBy as ItemSortKey | undefined,
  sortDesc: view.sortDesc,
});
