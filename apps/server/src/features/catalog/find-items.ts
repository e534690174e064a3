import type { ResourceSelector } from "@mainstay/contract";
import type { LookUp } from "@mainstay/data-api/declare.ts";
import { lookUpAll } from "@mainstay/data-api/look-up.ts";
import sql, { raw, type Sql } from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import type { Database } from "#platform/db/database.ts";
import { defineService } from "#platform/service.ts";
import { searchable, selectorCondition } from "#features/search/index.ts";
import { configItem } from "./resources.ts";

/** An item of the catalog, as scripts see it. */
export interface FoundItem {
  id: string;
  name: string;
  type: string;
  config_class: string;
  status: string | null;
  health: string | null;
  config: unknown;
  [column: string]: unknown;
}

/** Items that are found, and bytes of their configurations together; larger ones come without. */
const mostItems = 1000;
const mostBytes = 8 * 1024 * 1024;
const longestMs = 5000;

const columns = [
  "id, agent_id, scraper_id, config_class, external_id, type, status, health, ready, name",
  "description, source, labels, tags, properties, parent_id, path, icon, cost_per_minute",
  "cost_total_1d, cost_total_7d, cost_total_30d, created_at, updated_at, deleted_at",
].join(", ");

/** What the selectors select, so many at `most`, by name. @throws what is wrong with them */
export async function findItems(
  { db, clock }: Pick<Ctx, "db" | "clock">,
  selectors: readonly ResourceSelector[],
  { most = mostItems, signal }: { most?: number; signal?: AbortSignal } = {},
): Promise<FoundItem[]> {
  const kind = searchable(configItem);
  const now = clock.now();
  const lookUps: LookUp[] = [];
  const where = selectorCondition(kind, selectors, { now, path: "selector", lookUps });
  return readItems(
    db,
    sql`select config_items.* from config_items where ${where}
         order by lower(config_items.name), config_items.id limit ${Math.min(most, mostItems)}`,
    { order: sql`lower(name), id`, lookUps, signal },
  );
}

/** The items that a select of `config_items` gives, in an order of its columns. */
export async function readItems(
  db: Database,
  found: Sql,
  {
    order,
    lookUps = [],
    signal,
  }: { order: Sql; lookUps?: readonly LookUp[]; signal?: AbortSignal | undefined },
): Promise<FoundItem[]> {
  const statement = sql`
    with found as (${found}), sized as (
      select found.*, sum(coalesce(pg_column_size(config), 0)) over (order by ${order}) as bytes
        from found
    )
    select ${raw(columns)}, case when bytes <= ${mostBytes} then config end as config
      from sized order by ${order}`;
  return db.transaction(
    async (tx) => {
      // Whoever asked may have gone while it waited for a connection.
      signal?.throwIfAborted();
      await lookUpAll(lookUps, (asked) => tx.rows(asked));
      return tx.rows<FoundItem>(statement);
    },
    { settings: { statement_timeout: String(longestMs), plan_cache_mode: "force_custom_plan" } },
  );
}

export type ItemFinder = (
  selectors: readonly ResourceSelector[],
  options?: { most?: number; signal?: AbortSignal },
) => Promise<FoundItem[]>;

/** `findItems` for who has no request of somebody's: what runs by itself. */
export const itemFinder = defineService(
  "items of the catalog",
  ({ db, clock }): ItemFinder =>
    (selectors, options) =>
      findItems({ db, clock }, selectors, options),
);
