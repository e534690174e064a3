import sql, { join, type Sql } from "sql-template-tag";
import type { ItemSelector } from "#features/catalog/index.ts";
import type { Queryable } from "#platform/db/database.ts";
import { storableJson } from "#platform/db/storable-text.ts";

const mostSelected = 1000;

/** The ids of the components that a selector selects, so many at most; its scope is a topology. */
export async function selectComponents(db: Queryable, selector: ItemSelector): Promise<string[]> {
  // What cannot be stored no component has, and the database refuses to look for it.
  if (storableJson(selector) !== JSON.stringify(selector)) return [];
  const rows = await db.rows<{ id: string }>(sql`
    select c.id from components c where ${join(conditions(selector), " and ")} order by c.id limit ${mostSelected}`);
  return rows.map(({ id }) => id);
}

function conditions(selector: ItemSelector): Sql[] {
  const { id, externalId, name, namespace, type, agent, scope = "all", labels } = selector;
  const found = [sql`c.deleted_at is null`];
  if (id !== undefined) found.push(sql`c.id::text = lower(${id})`);
  if (externalId !== undefined) found.push(sql`c.external_id = ${externalId}`);
  if (name !== undefined) found.push(sql`c.name = ${name}`);
  if (namespace !== undefined) found.push(sql`c.namespace = ${namespace}`);
  if (type !== undefined) found.push(sql`c.type = ${type}`);
  if (labels !== undefined) found.push(sql`c.labels @> ${JSON.stringify(labels)}::jsonb`);
  if (agent !== undefined && agent !== "all")
    found.push(
      agent === "self" || agent === "local"
        ? sql`c.agent_id = '00000000-0000-0000-0000-000000000000'`
        : sql`c.agent_id in (select a.id from agents a where a.id::text = ${agent} or a.name = ${agent})`,
    );
  if (scope !== "all")
    found.push(
      sql`c.topology_id in (select t.id from topologies t
           where t.id::text = ${scope} or t.name = ${scope} or t.namespace || '/' || t.name = ${scope})`,
    );
  return found;
}
