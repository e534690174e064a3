import sql from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";
import { storableJson } from "#platform/db/storable-text.ts";
import type { Json } from "../changes/json-patch.ts";

/** Where the scrapers of a document stood when they were last read, by their names: what has happened since is followed. */
export type Positions = Map<string, Json>;

/** After a failure it is waited for twice as long as after the one before it, in seconds. */
const wait = { first: 15, longest: 600 };

/** Nothing where there is nothing to follow, or where what failed is not to be tried yet. */
export async function readPositions(db: Queryable, scraperId: string): Promise<Positions> {
  const rows = await db.rows<{ scraper: string; position: Json }>(sql`
    select scraper, position from config_scraper_positions
     where scraper_id = ${scraperId} and (again_at is null or again_at <= now()) order by scraper`);
  return new Map(rows.map(({ scraper, position }) => [scraper, position]));
}

/** Where they stood, whether or not following them has failed since. */
export async function readStood(db: Queryable, scraperId: string): Promise<Positions> {
  const rows = await db.rows<{ scraper: string; position: Json }>(sql`
    select scraper, position from config_scraper_positions where scraper_id = ${scraperId} order by scraper`);
  return new Map(rows.map(({ scraper, position }) => [scraper, position]));
}

/** Of a document that has been changed meanwhile nothing is kept: it may be about something else. */
export async function writePositions(
  db: Queryable,
  { id, updated_at: updatedAt }: { id: string; updated_at: string | null },
  positions: Positions,
): Promise<void> {
  if (positions.size === 0) return;
  await db.run(sql`
    insert into config_scraper_positions (scraper_id, scraper, position)
    select s.id, told.* from config_scrapers s
     cross join unnest(${[...positions.keys()]}::text[],
                       ${[...positions.values()].map(storableJson)}::jsonb[]) told
     where s.id = ${id} and s.deleted_at is null and s.updated_at::text is not distinct from ${updatedAt}::text
    on conflict (scraper_id, scraper)
      do update set position = excluded.position, updated_at = now(), failures = 0, again_at = null`);
}

/** Those of scrapers that a document no longer has. */
export async function dropPositions(
  db: Queryable,
  scraperId: string,
  { except }: { except: readonly string[] },
): Promise<void> {
  await db.run(sql`
    delete from config_scraper_positions
     where scraper_id = ${scraperId} and scraper <> all(${[...except]}::text[])`);
}

/** What could not be followed is tried again later and later. */
export async function postpone(
  db: Queryable,
  scraperId: string,
  scrapers: readonly string[],
): Promise<void> {
  await db.run(sql`
    update config_scraper_positions
       set failures = failures + 1,
           again_at = now() + least(${wait.first} * power(2, least(failures + 1, 20)), ${wait.longest}) * interval '1 second'
     where scraper_id = ${scraperId} and scraper = any(${[...scrapers]}::text[])`);
}
