import { queryOptions } from "@tanstack/react-query";
import type { ItemAt, ItemDifference, ItemMoments } from "@mainstay/contract/catalog-past.ts";
import type { Rows } from "@mainstay/contract/rows.ts";
import { ApiError } from "#lib/api-error.ts";
import { get } from "#lib/api.ts";
import { configText, type ConfigText } from "./config-text.ts";
import { db, embedding, eq, oneOf } from "#lib/db.ts";

/** How much there is of an item, as its tabs open. */
export interface ItemSummary {
  changes: number;
  analysis: number;
  relationships: number;
  playbook_runs: number;
  checks: number;
}

interface PropertyLink {
  label?: string | null;
  text?: string | null;
  url?: string | null;
}

export interface ItemProperty {
  name?: string | null;
  label?: string | null;
  type?: string | null;
  text?: string | null;
  value?: number | null;
  unit?: string | null;
  max?: number | null;
  icon?: string | null;
  links?: readonly PropertyLink[] | null;
}

/** What somebody has noted of an item. */
export interface Note {
  id: string;
  note: string;
  created_at: string;
  updated_at: string;
  author: { id: string; name: string; avatar: string | null } | null;
}

type Detail = Rows["config_detail"];
type Texts = Readonly<Record<string, string>>;

/** Everything about an item but what is configured. */
export interface Item extends Pick<
  Detail,
  | "config_class"
  | "status"
  | "health"
  | "description"
  | "icon"
  | "source"
  | "path"
  | "external_id"
  | "cost_per_minute"
  | "cost_total_1d"
  | "cost_total_7d"
  | "cost_total_30d"
  | "last_scraped_time"
  | "created_at"
  | "updated_at"
  | "deleted_at"
  | "delete_reason"
> {
  id: string;
  name: string | null;
  type: string;
  tags: Texts | null;
  labels: Texts | null;
  properties: readonly ItemProperty[] | null;
  summary: ItemSummary;
  /** Of objects that have some: `metadata.annotations` of what is configured. */
  annotations: Texts | null;
  agent: { id: string; name: string } | null;
  config_scrapers: { id: string; name: string } | null;
}

/** C3, without what is configured: that may be megabytes, and only its own tab shows it. */
const item = embedding<Item>(
  [
    "id,name,type,config_class,status,health,description,icon,source,path,external_id,tags,labels,properties",
    "cost_per_minute,cost_total_1d,cost_total_7d,cost_total_30d",
    "last_scraped_time,created_at,updated_at,deleted_at,delete_reason,summary",
    "annotations:config->metadata->annotations,agent:agents(id,name),config_scrapers(id,name)",
  ].join(),
);

const readConfig = async (config: unknown): Promise<ConfigText | null> =>
  (await configText(config)) ?? null;

/** Nothing where there is none; what is no id is no item's. */
async function orNothing<T>(asked: Promise<T | null>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return null;
    throw error;
  }
}

export const itemKey = ["catalog", "item"] as const;

export const itemQueries = {
  one: (id: string) =>
    queryOptions({
      queryKey: [...itemKey, id],
      queryFn: ({ signal }) =>
        orNothing(db.first("config_detail", { select: item, where: { id: eq(id) } }, { signal })),
      meta: {
        tables: ["config_items", "config_changes", "config_analysis", "config_relationships"],
        // Of changes further down, which are counted as well, the next one of its own brings the number.
        rows: () => ({
          config_items: [id],
          config_changes: [id],
          config_analysis: [id],
          config_relationships: [id],
        }),
      },
    }),
  /** What is configured. */
  config: (id: string) =>
    queryOptions({
      queryKey: [...itemKey, id, "config"],
      queryFn: async ({ signal }) => {
        const row = await db.first(
          "config_items",
          { select: embedding<{ config: unknown }>("config"), where: { id: eq(id) } },
          { signal },
        );
        return readConfig(row?.config);
      },
      // It may be large: whoever goes from tab to tab is not sent it again.
      staleTime: 5 * 60_000,
      structuralSharing: false,
      meta: { tables: ["config_items"], rows: () => ({ config_items: [id] }) },
    }),
  /** The newest first. */
  notes: (id: string) =>
    queryOptions({
      queryKey: [...itemKey, id, "notes"],
      queryFn: ({ signal }) =>
        db.list(
          "config_notes",
          {
            select: embedding<Note>(
              "id,note,created_at,updated_at,author:created_by(id,name,avatar)",
            ),
            where: { config_id: eq(id) },
            order: ["created_at.desc", "id.desc"],
          },
          { signal },
        ),
      meta: { tables: ["config_notes"], rows: () => ({ config_notes: [id] }) },
    }),
  /** When it became another. */
  moments: (id: string) =>
    queryOptions({
      queryKey: [...itemKey, id, "moments"],
      queryFn: ({ signal }) =>
        get<ItemMoments>(`/api/catalog/items/${encodeURIComponent(id)}/moments`, { signal }),
      meta: { tables: ["config_items"], rows: () => ({ config_items: [id] }) },
    }),
  /** What it was at a moment, which does not change any more. */
  at: (id: string, time: string) =>
    queryOptions({
      queryKey: [...itemKey, id, "at", time],
      queryFn: async ({ signal }) => {
        const { config, ...state } = await get<ItemAt>(
          `/api/catalog/items/${encodeURIComponent(id)}/at?${String(new URLSearchParams({ time }))}`,
          { signal },
        );
        return { ...state, config: await readConfig(config) };
      },
      staleTime: Infinity,
      gcTime: 60_000,
      structuralSharing: false,
    }),
  difference: (id: string, from: string, to: string) =>
    queryOptions({
      queryKey: [...itemKey, id, "difference", from, to],
      queryFn: ({ signal }) =>
        get<ItemDifference>(
          `/api/catalog/items/${encodeURIComponent(id)}/difference?${String(new URLSearchParams({ from, to }))}`,
          { signal },
        ),
      staleTime: Infinity,
      gcTime: 60_000,
      structuralSharing: false,
    }),
  /** Those above an item, from the outermost. */
  above: (path: string | null) => {
    const ids = (path ?? "").split(".").filter(Boolean);
    return queryOptions({
      queryKey: [...itemKey, "above", ids],
      queryFn: async ({ signal }) => {
        const rows = await db.list(
          "config_items",
          {
            select: embedding<{
              id: string;
              name: string | null;
              type: string;
              deleted_at: string | null;
            }>("id,name,type,deleted_at"),
            where: { id: oneOf(ids) },
          },
          { signal },
        );
        return ids.flatMap((id) => rows.filter((row) => row.id === id));
      },
      enabled: ids.length > 0,
      meta: { tables: ["config_items"], rows: () => ({ config_items: ids }) },
    });
  },
};
