import type { ChangeBefore } from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";

/** Items that are looked at: those that are linked, how far from them, and how many of each. */
const most = { linked: 50, levels: 2, related: 200, changes: 50 };
const hourMs = 60 * 60_000;
/** A change is often seen a little after what it did. */
const afterMs = 60_000;

/** Items that are linked with components. */
export const itemsOfComponents = async (
  tx: Queryable,
  componentIds: readonly string[],
): Promise<string[]> =>
  (
    await tx.rows<{ id: string }>(sql`
      select i.id from (
        select config_id as id from config_component_relationships
         where component_id = any (${[...componentIds]}::uuid[]) and deleted_at is null
        union
        select config_id from components where id = any (${[...componentIds]}::uuid[]) and config_id is not null) i
       limit ${most.linked}`)
  ).map(({ id }) => id);

export const itemsOfCheck = async (tx: Queryable, checkId: string): Promise<string[]> =>
  (
    await tx.rows<{ id: string }>(sql`
      select distinct config_id as id from check_config_relationships
       where check_id = ${checkId} and deleted_at is null limit ${most.linked}`)
  ).map(({ id }) => id);

export interface FoundChanges {
  changes: ChangeBefore[];
  hasMoreChanges: boolean;
  changesFrom: string;
  changesTo: string;
}

/** What happened in the hour before a moment to items and what is related to them. */
export async function changesBefore(
  tx: Queryable,
  items: readonly string[],
  moment: Date,
): Promise<FoundChanges> {
  const from = new Date(moment.getTime() - hourMs);
  const to = new Date(moment.getTime() + afterMs);
  const ids = items.slice(0, most.linked);
  const rows =
    ids.length === 0
      ? []
      : await tx.rows<
          Omit<ChangeBefore, "created_at" | "isLinked"> & { created_at: Date; is_linked: boolean }
        >(sql`
          with linked as (select unnest(${ids}::uuid[]) as id), near as materialized (
            select id from linked
            union
            select case when w.direction = 'outgoing' then w.related_id else w.id end
              from linked cross join lateral
                   walk_config_relationships(linked.id, 'all', ${most.levels}, 'both', 'both', ${most.related}) w
             where not w.is_cut)
          select c.id, c.config_id, i.name as config_name, i.type as config_type, c.change_type, c.severity, c.summary,
                 c.source, c.created_at, c.created_by, c.external_created_by, c.config_id in (select id from linked) as is_linked
            from near
           cross join lateral (
             select * from config_changes k
              where k.config_id = near.id and k.created_at >= ${from} and k.created_at <= ${to}
              order by k.created_at desc limit ${most.changes + 1}) c
            join config_items i on i.id = c.config_id
           order by c.created_at desc, c.id limit ${most.changes + 1}`);
  return {
    changes: rows.slice(0, most.changes).map(({ created_at, is_linked, ...row }) => ({
      ...row,
      created_at: created_at.toISOString(),
      isLinked: is_linked,
    })),
    hasMoreChanges: rows.length > most.changes,
    changesFrom: from.toISOString(),
    changesTo: to.toISOString(),
  };
}
