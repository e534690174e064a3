import sql, { join, type Sql } from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";
import { storableJson } from "#platform/db/storable-text.ts";
import { isUuid } from "../scraping/extract-item.ts";
import type { ItemSelector } from "../scraping/scraped.ts";

const mostSelected = 1000;

/** The ids of the items that a selector selects, so many at most; of all scrapers where it says no scope. */
export async function selectItems(db: Queryable, selector: ItemSelector): Promise<string[]> {
  // What cannot be stored no item has, and the database refuses to look for it.
  if (storableJson(selector) !== JSON.stringify(selector)) return [];
  const rows = await db.rows<{ id: string }>(sql`
    select id from config_items where ${join(conditions(selector), " and ")} order by id limit ${mostSelected}`);
  return rows.map(({ id }) => id);
}

function conditions(selector: ItemSelector): Sql[] {
  const { id, externalId, name, namespace, type, agent, scope = "all", labels } = selector;
  const found = [sql`deleted_at is null`];
  if (id !== undefined) found.push(isUuid(id) ? sql`id = ${id}::uuid` : sql`false`);
  if (externalId !== undefined) found.push(sql`external_id @> array[${externalId}::text]`);
  if (type !== undefined) found.push(sql`type = ${type}`);
  // The first in words that the index on names knows.
  if (name !== undefined)
    found.push(sql`lower(name) collate "C" = lower(${name})`, sql`name = ${name}`);
  if (namespace !== undefined)
    found.push(sql`tags @> jsonb_build_object('namespace', ${namespace}::text)`);
  if (labels !== undefined) found.push(sql`labels @> ${JSON.stringify(labels)}::jsonb`);
  if (agent !== undefined && agent !== "all")
    found.push(
      agent === "self" || agent === "local"
        ? sql`agent_id = '00000000-0000-0000-0000-000000000000'`
        : sql`agent_id in (select a.id from agents a where a.id::text = ${agent} or a.name = ${agent})`,
    );
  if (scope !== "all")
    found.push(
      sql`scraper_id in (select s.id from config_scrapers s
           where s.id::text = ${scope} or s.namespace || '/' || s.name = ${scope})`,
    );
  return found;
}
