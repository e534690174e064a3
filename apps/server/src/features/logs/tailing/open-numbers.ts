import sql from "sql-template-tag";
import type { Database } from "#platform/db/database.ts";

/** Numbers of lines that nobody can see, from one to another: another server is still writing them, or nobody will. */
export interface Gap {
  first: number;
  last: number;
}

/** How far behind the last line numbers are looked for that are still being written. */
export const lookBack = 20_000;
const mostGaps = 50;

/**
 * Gaps among the numbers behind one and up to another, which may still be filled. Lines are numbered when they are
 * written and seen when they are committed, so that one may come after others that have higher numbers. What was rolled
 * back leaves a gap for ever: where nobody is writing, none is left open.
 */
export async function openGaps(
  db: Database,
  { behind, upTo }: { behind: number; upTo: number },
): Promise<Gap[]> {
  const range = { behind: Math.max(behind, upTo - lookBack, 0), upTo };
  const seen = await gapsOf(db, range);
  if (seen.length === 0) return [];
  const writing = await db.first<{ is: boolean }>(sql`
    select exists (select from pg_locks
      where locktype = 'relation' and relation = 'log_lines'::regclass and mode = 'RowExclusiveLock'
        and database = (select oid from pg_database where datname = current_database())) as is`);
  if (writing?.is) return seen;
  // What was filled meanwhile is told when it is heard of; up to then it counts as open.
  const left = await gapsOf(db, range);
  return seen.filter(
    ({ first, last }) => !left.some((one) => one.first <= first && one.last >= last),
  );
}

// Numbers before the first line are of days that have gone, but for a store that is new.
const gapsOf = (db: Database, { behind, upTo }: { behind: number; upTo: number }): Promise<Gap[]> =>
  db.rows<Gap>(sql`
    select id + 1 as first, next - 1 as last from (
      select id, lead(id) over (order by id) as next
        from (select ${behind > 0 ? sql`greatest(${behind}::int8, (select min(id) from log_lines) - 1)` : sql`0::int8`} as id
              union all select id from log_lines where id > ${behind} and id <= ${upTo}
              union all select ${upTo + 1}::int8) numbers) pairs
     where next > id + 1 order by 1 limit ${mostGaps}`);
