import sql, { type Sql } from "sql-template-tag";
import type { SnapshotRange } from "../range.ts";
import type { Ask } from "../reader.ts";

/** What hangs on components and items. What was there in the range counts, also where it has been deleted since. */

/** As many of each are told in one snapshot. */
export const most = { components: 5_000, items: 2_000, checks: 2_000 };
/** Ways down a tree end there. */
const deepest = 64;

export interface Finder {
  ask: Ask;
  range: SnapshotRange;
  notices: string[];
}

const wasThere = (row: Sql, { start, end }: SnapshotRange) =>
  sql`(${row}.deleted_at is null or ${row}.deleted_at >= ${start}) and ${row}.created_at < ${end}`;

/** Grows a set by what each step finds from what was new in the last one, until there is no more, or too much. */
async function grow(parts: {
  from: readonly string[];
  steps: number;
  most: number;
  step: (frontier: readonly string[]) => Promise<{ id: string }[]>;
  onCut: () => void;
}): Promise<string[]> {
  const found = new Set(parts.from);
  let frontier: readonly string[] = parts.from;
  for (let done = 0; frontier.length > 0 && done < parts.steps; done++) {
    const next: string[] = [];
    for (const { id } of await parts.step(frontier)) {
      if (found.has(id)) continue;
      if (found.size >= parts.most) {
        parts.onCut();
        return [...found];
      }
      found.add(id);
      next.push(id);
    }
    frontier = next;
  }
  return [...found];
}

/** They and everything below them. */
export const componentsBelow = ({ ask, range, notices }: Finder, ids: readonly string[]) =>
  grow({
    from: ids,
    steps: deepest,
    most: most.components,
    step: (above) =>
      ask<{ id: string }>(sql`
        select c.id from components c
         where c.id in (select b.id from components b where b.parent_id = any (${[...above]}::uuid[])
                        union
                        select r.component_id from component_relationships r
                         where r.relationship_id = any (${[...above]}::uuid[]) and ${wasThere(sql`r`, range)})
           and ${wasThere(sql`c`, range)}
         order by c.position, c.name, c.id limit ${most.components + 1}`),
    onCut: () => notices.push(`There are more components: the first ${most.components} are told.`),
  });

/** They and what they hang on. */
export const componentsAbove = ({ ask, range, notices }: Finder, ids: readonly string[]) =>
  grow({
    from: ids,
    steps: 1,
    most: most.components,
    step: (below) =>
      ask<{ id: string }>(sql`
        select c.id from components c
         where c.id in (select b.parent_id from components b where b.id = any (${[...below]}::uuid[])
                        union
                        select r.relationship_id from component_relationships r
                         where r.component_id = any (${[...below]}::uuid[]) and ${wasThere(sql`r`, range)})
           and ${wasThere(sql`c`, range)}
         order by c.name, c.id limit ${most.components + 1}`),
    onCut: () => notices.push(`There are more components: the first ${most.components} are told.`),
  });

/** They and the items that are related to them, as far as so many steps lead. */
export const itemsAround = (
  { ask, range, notices }: Finder,
  ids: readonly string[],
  steps: number,
) =>
  grow({
    from: ids,
    steps,
    most: most.items,
    step: (near) =>
      ask<{ id: string }>(sql`
        select i.id from config_items i
         where i.id in (select r.related_id from config_relationships r
                         where r.config_id = any (${[...near]}::uuid[]) and ${wasThere(sql`r`, range)}
                        union
                        select r.config_id from config_relationships r
                         where r.related_id = any (${[...near]}::uuid[]) and ${wasThere(sql`r`, range)}
                        union
                        select c.id from config_items c where c.parent_id = any (${[...near]}::uuid[]))
           and ${wasThere(sql`i`, range)}
         order by i.type, i.name, i.id limit ${most.items + 1}`),
    onCut: () => notices.push(`There are more related items: the first ${most.items} are told.`),
  });

/** The first of a list, with a notice where there are more. */
async function listed(
  { notices }: Finder,
  { noun, most: limit, rows }: { noun: string; most: number; rows: Promise<{ id: string }[]> },
): Promise<string[]> {
  const ids = (await rows).map(({ id }) => id);
  if (ids.length > limit) notices.push(`There are more ${noun}: the first ${limit} are told.`);
  return ids.slice(0, limit);
}

export const itemsOf = (finder: Finder, componentIds: readonly string[]) =>
  listed(finder, {
    noun: "items",
    most: most.items,
    rows: finder.ask(sql`
      select i.id from config_items i
       where i.id in (select r.config_id from config_component_relationships r
                       where r.component_id = any (${[...componentIds]}::uuid[]) and ${wasThere(sql`r`, finder.range)}
                      union
                      select c.config_id from components c where c.id = any (${[...componentIds]}::uuid[]))
         and ${wasThere(sql`i`, finder.range)}
       order by i.type, i.name, i.id limit ${most.items + 1}`),
  });

export const componentsOf = (finder: Finder, itemIds: readonly string[]) =>
  listed(finder, {
    noun: "components",
    most: most.components,
    rows: finder.ask(sql`
      select c.id from components c
       where (c.id in (select r.component_id from config_component_relationships r
                        where r.config_id = any (${[...itemIds]}::uuid[]) and ${wasThere(sql`r`, finder.range)})
              or c.config_id = any (${[...itemIds]}::uuid[]))
         and ${wasThere(sql`c`, finder.range)}
       order by c.name, c.id limit ${most.components + 1}`),
  });

/** The checks of components and of items. */
export const checksOf = (
  finder: Finder,
  { componentIds, itemIds }: { componentIds: readonly string[]; itemIds: readonly string[] },
) =>
  listed(finder, {
    noun: "checks",
    most: most.checks,
    rows: finder.ask(sql`
      select k.id from checks k
       where k.id in (select r.check_id from check_component_relationships r
                       where r.component_id = any (${[...componentIds]}::uuid[]) and ${wasThere(sql`r`, finder.range)}
                      union
                      select r.check_id from check_config_relationships r
                       where r.config_id = any (${[...itemIds]}::uuid[]) and ${wasThere(sql`r`, finder.range)})
         and ${wasThere(sql`k`, finder.range)}
       order by k.name, k.id limit ${most.checks + 1}`),
  });
