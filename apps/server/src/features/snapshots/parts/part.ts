import type { Resource } from "@mainstay/contract";
import sql, { type Sql } from "sql-template-tag";
import type { Scope } from "../kinds/kind.ts";
import type { SnapshotRange } from "../range.ts";
import type { Ask } from "../reader.ts";

export type Row = Record<string, unknown>;

export interface PartSource {
  ask: Ask;
  scope: Scope;
  range: SnapshotRange;
  /** Says what of it is not told. */
  notice: (text: string) => void;
}

/** One table of a snapshot: `{file}.json` and `{file}.csv`. */
export interface SnapshotPart {
  file: string;
  /** For people, in the plural. */
  title: string;
  /** Left out for who may not read these. */
  read: Resource;
  /** In their order in the CSV; also the keys of the JSON. */
  columns: readonly string[];
  /** What the page of the snapshot shows of each. */
  shown: readonly string[];
  /** In portions, each small enough to be held. */
  rows: (source: PartSource) => AsyncGenerator<Row[]>;
}

/** The rows of which the ids are known, in the order of these. */
export async function* byIds(
  { ask }: PartSource,
  parts: { ids: readonly string[]; portion: number; select: (ids: readonly string[]) => Sql },
): AsyncGenerator<Row[]> {
  for (let at = 0; at < parts.ids.length; at += parts.portion) {
    const ids = parts.ids.slice(at, at + parts.portion);
    const rows = new Map((await ask<Row>(parts.select(ids))).map((row) => [row.id, row]));
    yield ids.flatMap((id): Row[] => {
      const row = rows.get(id);
      return row ? [row] : [];
    });
  }
}

/** So many are asked at once whether they have any. */
const ownersAsked = 500;
/** Each owner has at least so many told, however many there are. */
const leastEach = 50;

export interface OwnedRows {
  owners: readonly string[];
  /** What the owners are, in the singular. */
  owner: string;
  /** Of the table, all owners together; each has an equal share of it. */
  most: number;
  portion: number;
  /** Rows of the owner, which is called `owner.id`, that are meant: `from … where …`. */
  matching: Sql;
  columns: Sql;
  /** By which the newest come first. */
  time: Sql;
}

/**
 * The rows that belong to owners, the newest of each first. Those of one owner are found by an index, and none of them
 * keeps the others out by having too many.
 */
export async function* byOwners(
  { ask, notice }: PartSource,
  { owners, owner, most, portion, matching, columns, time }: OwnedRows,
): AsyncGenerator<Row[]> {
  const having: string[] = [];
  for (let at = 0; at < owners.length; at += ownersAsked) {
    const some = owners.slice(at, at + ownersAsked);
    const rows = await ask<{ id: string }>(sql`
      select owner.id from unnest(${some}::uuid[]) with ordinality owner (id, place)
       where exists (select ${matching}) order by owner.place`);
    having.push(...rows.map(({ id }) => id));
  }
  const each = Math.max(leastEach, Math.floor(most / Math.max(having.length, 1)));
  let cut = 0;
  // One more of each than is told: whether there is more.
  const atOnce = Math.max(1, Math.floor(portion / (each + 1)));
  for (let at = 0; at < having.length; at += atOnce) {
    const some = having.slice(at, at + atOnce);
    for (let told = 0; ;) {
      const wanted = Math.min(portion, each + 1 - told);
      const rows = await ask<Row & { owner_id: string }>(sql`
        select owner.id as owner_id, found.* from unnest(${some}::uuid[]) with ordinality owner (id, place)
         cross join lateral (select ${columns} ${matching} order by ${time} desc limit ${wanted} offset ${told}) found
         order by owner.place`);
      const count = new Map<string, number>();
      const kept = rows.flatMap(({ owner_id, ...row }) => {
        const place = (count.get(owner_id) ?? told) + 1;
        count.set(owner_id, place);
        return place <= each ? [row] : [];
      });
      cut += [...count.values()].filter((rowsOfOne) => rowsOfOne > each).length;
      if (kept.length > 0) yield kept;
      told += wanted;
      if (told > each || rows.length < wanted) break;
    }
  }
  if (cut > 0)
    notice(`Of ${cut} ${owner}${cut === 1 ? "" : "s"} with more, the newest ${each} are told.`);
}
