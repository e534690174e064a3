import sql, { empty } from "sql-template-tag";
import type { Database } from "#platform/db/database.ts";
import { inPortions } from "#platform/db/in-portions.ts";

/** What of a component decides where it stands in an answer, and whether it does. */
export interface Bone {
  id: string;
  name: string;
  /** By which names are compared as people do: without case, numbers by their size. */
  nameKey: string;
  status: string;
  health: string | null;
  type: string | null;
  owner: string | null;
  agentId: string;
  isHidden: boolean;
  labels: Readonly<Record<string, string>>;
  teams: readonly string[];
  place: number;
  parentId: string | null;
  /** All directly above and below it that are there, whether they were read or not. */
  parents: readonly string[];
  children: readonly string[];
  createdAt: number;
  updatedAt: number;
  /** Of the property by which is sorted. */
  field: number | string | null;
}

export interface SkeletonQuestion {
  /** Only these and what hangs below them, so many levels deep with their own. */
  below?: { ids: readonly string[]; depth: number };
  /** The property by which is sorted. */
  field?: string;
}

interface Row {
  id: string;
  name: string;
  status: string;
  health: string | null;
  type: string | null;
  owner: string | null;
  agent_id: string;
  hidden: boolean;
  labels: unknown;
  teams: string[] | null;
  position: number;
  parent_id: string | null;
  /** Ids, separated by commas. */
  above: string | null;
  below: string | null;
  created_at: number;
  updated_at: number | null;
  value: string | null;
}

/** Columns of a list of ids are sent as one text: reading lists of ids is what would take long. */
const fromEverything = sql`
  with ties as materialized (select * from component_ties),
       parents as (select below as id, string_agg(above::text, ',' order by above) as ids from ties group by below),
       children as (select above as id, string_agg(below::text, ',' order by below) as ids from ties group by above),
       chosen as (
         select c.*, p.ids as above, k.ids as below from components c
           left join parents p using (id) left join children k using (id) where c.deleted_at is null)`;

/**
 * All ties at once, as above: looked up one by one the database would read the whole table for each, where it takes every
 * component for the parent of many. Each component stands once on a level however many ways lead to it, and the levels end.
 */
const fromBelow = (ids: readonly string[], depth: number) => sql`
  with recursive ties as materialized (select above, below from component_ties),
  down as (
    select id, 1 as level from components where id = any (${[...ids]}::uuid[]) and deleted_at is null
    union
    select t.below, down.level + 1 from down join ties t on t.above = down.id where down.level < ${depth}
  ), found as materialized (select distinct id from down),
       parents as (select below as id, string_agg(above::text, ',' order by above) as ids
                     from ties join found on found.id = ties.below group by below),
       children as (select above as id, string_agg(below::text, ',' order by below) as ids
                     from ties join found on found.id = ties.above group by above),
       chosen as (
         select c.*, p.ids as above, k.ids as below from found join components c using (id)
           left join parents p using (id) left join children k using (id) where c.deleted_at is null)`;

/** In no particular order. */
export async function readSkeleton(
  db: Database,
  { below, field }: SkeletonQuestion,
): Promise<Bone[]> {
  const value =
    field === undefined
      ? sql`null::text`
      : sql`(select coalesce(p ->> 'value', p ->> 'text')
               from jsonb_array_elements(case when jsonb_typeof(c.properties) = 'array' then c.properties else '[]' end) p
              where p ->> 'name' = ${field} limit 1)`;
  const all = sql`
    ${below ? fromBelow(below.ids, below.depth) : fromEverything}
    select c.id, c.name, c.status, c.health, c.type, c.owner, c.agent_id, c.hidden, c.labels, t.names as teams, c.position,
           c.parent_id, c.above, c.below, extract(epoch from c.created_at)::float8 as created_at,
           extract(epoch from c.updated_at)::float8 as updated_at, ${value} as value
      from chosen c
      left join (select m.component_id, array_agg(t.name order by t.name) as names
                   from team_components m join teams t on t.id = m.team_id and t.deleted_at is null
                  ${below ? sql`where m.component_id in (select id from down)` : empty}
                  group by m.component_id) t on t.component_id = c.id`;
  const bones: Bone[] = [];
  await db.transaction(async (tx) => {
    for await (const rows of inPortions<Row>(tx, all)) bones.push(...rows.map(boneOf));
  });
  return bones;
}

const boneOf = (row: Row): Bone => ({
  id: row.id,
  name: row.name,
  nameKey: keyOf(row.name),
  status: row.status,
  health: row.health,
  type: row.type,
  owner: row.owner,
  agentId: row.agent_id,
  isHidden: row.hidden,
  labels: labelsOf(row.labels),
  teams: row.teams ?? [],
  place: row.position,
  parentId: row.parent_id,
  parents: row.above?.split(",") ?? [],
  children: row.below?.split(",") ?? [],
  createdAt: row.created_at,
  updatedAt: row.updated_at ?? 0,
  field: fieldOf(row.value),
});

/** What compares, letter by letter, as people order texts. */
export const keyOf = (text: string): string =>
  text.toLowerCase().replaceAll(/\d+/g, (digits) => digits.padStart(15, "0"));

function labelsOf(labels: unknown): Record<string, string> {
  if (typeof labels !== "object" || labels === null || Array.isArray(labels)) return {};
  return Object.fromEntries(
    Object.entries(labels).flatMap(([key, value]) =>
      value === null
        ? []
        : [[key, typeof value === "string" ? value : JSON.stringify(value)] as const],
    ),
  );
}

function fieldOf(text: string | null): number | string | null {
  if (text === null || text.trim() === "") return null;
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}
