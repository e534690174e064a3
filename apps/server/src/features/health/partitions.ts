import sql, { raw } from "sql-template-tag";
import type { Database, Queryable } from "#platform/db/database.ts";

/** Tables that are divided by day, so that old days are dropped and not deleted row by row. */
export interface DailyTable {
  name: "check_statuses" | "check_totals_5m";
  keepDays: number;
}

export const dailyTables: readonly DailyTable[] = [
  { name: "check_statuses", keepDays: 30 },
  { name: "check_totals_5m", keepDays: 2 },
];

const DAYS_AHEAD = 3;
const dayMs = 86_400_000;

const dayOf = (ms: number) => new Date(Math.floor(ms / dayMs) * dayMs).toISOString().slice(0, 10);
const nameOf = (table: DailyTable, day: string) => `${table.name}_${day.replaceAll("-", "")}`;

/** Makes the partitions of today and the days after. Rows that the default partition caught for them move along. */
export async function makePartitions(db: Database): Promise<number> {
  let made = 0;
  for (const table of dailyTables) {
    const { now } = await timeOf(db);
    const days = Array.from({ length: DAYS_AHEAD + 1 }, (_, ahead) =>
      dayOf(now.getTime() + ahead * dayMs),
    );
    for (const day of new Set([...days, ...(await strayDays(db, table, now))])) {
      if (await makePartition(db, table, day)) made += 1;
    }
  }
  return made;
}

/** Days of rows in the default partition that are still to be kept and lie not too far ahead. */
async function strayDays(db: Queryable, table: DailyTable, now: Date): Promise<string[]> {
  const rows = await db.rows<{ day: string }>(sql`
    select distinct (time at time zone 'UTC')::date::text as day from ${raw(`${table.name}_default`)}
     where time >= ${dayOf(now.getTime() - table.keepDays * dayMs)}::timestamptz and time < ${new Date(now.getTime() + DAYS_AHEAD * dayMs)}`);
  return rows.map((row) => row.day);
}

/** By a function of the schema's owner (views.sql): the program's own user makes no tables. */
async function makePartition(db: Database, table: DailyTable, day: string): Promise<boolean> {
  const row = await db.first<{ made: boolean }>(
    sql`select make_partition(${table.name}, ${day}::date) as made`,
  );
  return row?.made ?? false;
}

/** Drops the partitions whose days are over, and what the default one holds of them. Returns how many were dropped. */
export async function dropOldPartitions(db: Database, table: DailyTable): Promise<number> {
  const { now } = await timeOf(db);
  const oldest = dayOf(now.getTime() - table.keepDays * dayMs);
  const rows = await db.rows<{ name: string }>(sql`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = ${table.name}::regclass`);
  const old = rows
    .map((row) => row.name)
    .filter((name) => /_\d{8}$/.test(name) && name < nameOf(table, oldest));
  // One by one, so that none waits for the others' locks.
  for (const name of old) await db.run(sql`select drop_partition(${table.name}, ${name})`);
  await db.run(
    sql`delete from ${raw(`${table.name}_default`)} where time < ${oldest}::timestamptz`,
  );
  return old.length;
}

async function timeOf(db: Queryable): Promise<{ now: Date }> {
  const row = await db.first<{ now: Date }>(sql`select now() as now`);
  if (!row) throw new Error("The database did not say what time it is.");
  return row;
}
