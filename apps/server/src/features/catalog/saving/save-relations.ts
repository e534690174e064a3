import sql from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";
import { isReference, type ItemReference, type Relation } from "../scraping/scraped.ts";
import type { TargetFinder } from "./find-targets.ts";
import type { ScrapeSummary } from "./scrape-summary.ts";

/** What an item says of others; what is configured is let go meanwhile. */
export interface Claims {
  id: string;
  type: string;
  name: string;
  parents: readonly ItemReference[];
  relations: readonly Relation[];
}

interface Edge {
  from: string;
  to: string;
  relation: string;
  /** Who says so. */
  by: string;
}

export interface SaveRelationsParts {
  targets: TargetFinder;
  summary: ScrapeSummary;
  now: Date;
}

type Db = Queryable & { transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> };

/** Items whose relationships are written in one transaction. */
const portion = 500;

/**
 * Writes the parents and relationships of items, and takes back what they no longer say. What names items that are not
 * there is kept to be tried again at the next scrape.
 */
export async function saveRelations(
  db: Db,
  claims: readonly Claims[],
  parts: SaveRelationsParts,
): Promise<void> {
  for (let from = 0; from < claims.length; from += portion)
    await savePortion(db, claims.slice(from, from + portion), parts);
  for (let from = 0; from < claims.length; from += portion)
    await placeItems(
      db,
      claims.slice(from, from + portion).map(({ id }) => id),
      parts.summary,
    );
}

async function savePortion(
  db: Db,
  claims: readonly Claims[],
  { targets, now }: SaveRelationsParts,
): Promise<void> {
  await targets.prepare(claims.flatMap(referencesOf));
  const edges: Edge[] = [];
  const parents: { id: string; parent: string | null }[] = [];
  const waiting = new Set<string>();
  for (const { id, parents: candidates, relations } of claims) {
    let parent = candidates.map((one) => targets.find(one)).find((found) => found !== undefined);
    if (parent === undefined && candidates.length > 0) waiting.add(id);
    for (const { to, relation, isIncoming, isParent } of relations) {
      const found = isReference(to)
        ? [targets.find(to)].filter((one) => one !== undefined)
        : await targets.select(to);
      // What a selector selects may be another tomorrow.
      if (found.length === 0 || !isReference(to)) waiting.add(id);
      if (isParent) parent ??= found.find((one) => one !== id);
      else
        for (const other of found)
          if (other !== id)
            edges.push(
              isIncoming
                ? { from: other, to: id, relation, by: id }
                : { from: id, to: other, relation, by: id },
            );
    }
    parents.push({ id, parent: parent === id ? null : (parent ?? null) });
  }
  await db.transaction(async (tx) => {
    await writeParents(tx, parents);
    await writeEdges(
      tx,
      edges,
      claims.map(({ id }) => id),
      now,
    );
    await tx.run(sql`
      update config_item_scrapes s set is_waiting = r.is_waiting
        from unnest(${claims.map(({ id }) => id)}::uuid[], ${claims.map(({ id }) => waiting.has(id))}::boolean[]) r (id, is_waiting)
       where s.config_id = r.id and s.is_waiting <> r.is_waiting`);
  });
}

const referencesOf = ({ parents, relations }: Claims): ItemReference[] => [
  ...parents,
  ...relations.map(({ to }) => to).filter(isReference),
];

async function writeParents(
  tx: Queryable,
  parents: readonly { id: string; parent: string | null }[],
): Promise<void> {
  await tx.run(sql`
    update config_items i set parent_id = r.parent
      from unnest(${parents.map(({ id }) => id)}::uuid[], ${parents.map(({ parent }) => parent)}::uuid[]) r (id, parent)
     where i.id = r.id and i.parent_id is distinct from r.parent`);
}

async function writeEdges(
  tx: Queryable,
  edges: readonly Edge[],
  claimants: readonly string[],
  now: Date,
): Promise<void> {
  const unique = [
    ...new Map(edges.map((edge) => [`${edge.to}/${edge.from}/${edge.relation}`, edge])).entries(),
  ]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, edge]) => edge);
  const column = (key: keyof Edge) => unique.map((edge) => edge[key]);
  const given = sql`unnest(${column("from")}::uuid[], ${column("to")}::uuid[], ${column("relation")}::text[],
                           ${column("by")}::text[]) e (config_id, related_id, relation, selector_id)`;
  await tx.run(sql`
    update config_relationships r set deleted_at = ${now}, updated_at = ${now}
     where r.selector_id = any(${[...claimants]}::text[]) and r.deleted_at is null
       and not exists (select from ${given}
                        where e.config_id = r.config_id and e.related_id = r.related_id and e.relation is not distinct from r.relation)`);
  if (unique.length === 0) return;
  await tx.run(sql`
    insert into config_relationships as r (config_id, related_id, relation, selector_id, created_at, updated_at)
    select e.config_id, e.related_id, e.relation, e.selector_id, ${now}, ${now} from ${given}
    on conflict (related_id, config_id, relation)
      do update set deleted_at = null, updated_at = excluded.updated_at, selector_id = excluded.selector_id
      where r.deleted_at is not null`);
}

/** Where items stand under others. One that would stand under itself stands under nothing, and it is told. */
async function placeItems(db: Db, ids: readonly string[], summary: ScrapeSummary): Promise<void> {
  const loops = await db.rows<{ name: string; type: string }>(
    sql`select name, type from place_config_items(${[...ids]}::uuid[])`,
  );
  for (const { name, type } of loops)
    summary.warn(
      `${name} is a parent of itself, over others; it is listed without a parent.`,
      type,
    );
}
