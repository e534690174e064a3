import sql from "sql-template-tag";
import type { Database } from "#platform/db/database.ts";
import type { Direction } from "#platform/scripts/ask-catalog.ts";
import { type FoundItem, readItems } from "../find-items.ts";

/** How far each step may lead, and what a walk reads and gives at most. */
const levels = 5;
const mostNodes = 20_000;
const mostFound = 200;

/**
 * Items that a way leads to: each step goes from those found so far to all of a type (empty: of any) that are tied to
 * them within five levels, parents among what comes in. The nearest first.
 */
export async function traverse(
  db: Database,
  way: { id: string; types: readonly string[]; direction: Direction },
  signal: AbortSignal,
): Promise<FoundItem[]> {
  let from = [way.id];
  let found: FoundItem[] = [];
  for (const type of way.types) {
    found =
      from.length === 0 ? [] : await step(db, { from, type, direction: way.direction }, signal);
    from = found.map(({ id }) => id);
  }
  return found;
}

const step = (
  db: Database,
  { from, type, direction }: { from: readonly string[]; type: string; direction: Direction },
  signal: AbortSignal,
): Promise<FoundItem[]> =>
  readItems(
    db,
    sql`
      select i.*, f.depth from (
        select r.id, min(r.depth) as depth
          from unnest(${from}::uuid[]) start
         cross join lateral (
           select case w.direction when 'outgoing' then w.related_id else w.id end as id, w.depth
             from walk_config_relationships(start, ${direction}, ${levels}, 'both', 'both', ${mostNodes}) w
            where not w.is_cut
           union all
           select p.id, p.depth from get_recursive_path(start) p where ${direction} <> 'outgoing'
         ) r
         where r.id <> start
         group by r.id
      ) f join config_items i on i.id = f.id
       where i.deleted_at is null and (${type} = '' or i.type = ${type})
       order by f.depth, lower(i.name), i.id limit ${mostFound}`,
    { order: sql`depth, lower(name), id`, signal },
  );
