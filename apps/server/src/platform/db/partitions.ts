import sql, { raw } from "sql-template-tag";
import type { Config } from "../config.ts";
import type { ScheduledJob } from "../jobs/job.ts";
import type { Database, Queryable } from "./database.ts";

/**
 * A table that is divided by day, so that old days are dropped and not deleted row by row. Its migration makes it
 * `partition by range` of the column, with a partition `<table>_default` for what a jumping clock dates elsewhere.
 */
export interface DailyPartitions {
  table: string;
  /** The `timestamptz` it is divided by. */
  column: string;
  /** Days that are made before they come; 3 unless said. */
  daysAhead?: number;
  daysKept: number;
}

/** As a feature declares it: how long days are kept may be a setting. */
export type DeclaredPartitions = Omit<DailyPartitions, "daysKept"> & {
  daysKept: number | ((config: Config) => number);
};

/** With what the settings say. */
export const resolvePartitions = (
  declared: readonly DeclaredPartitions[],
  config: Config,
): DailyPartitions[] =>
  declared.map(({ daysKept, ...rest }) => ({
    ...rest,
    daysKept: typeof daysKept === "number" ? daysKept : daysKept(config),
  }));

const DAYS_AHEAD = 3;
const dayMs = 86_400_000;
const TIMEOUT_MS = 10 * 60_000;

const dayOf = (ms: number) => new Date(Math.floor(ms / dayMs) * dayMs).toISOString().slice(0, 10);
const nameOf = (table: DailyPartitions, day: string) => `${table.table}_${day.replaceAll("-", "")}`;

/** A name as SQL has it without quotes, and short enough for its days. */
const plainName = /^[a-z_][a-z0-9_]{0,50}$/;

/** The declarations as the two functions of `views.sql` know them: by which column, or refused. */
export function partitionFunction(
  declared: readonly Pick<DailyPartitions, "table" | "column">[],
): string {
  const names = declared.map(({ table }) => table);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice) throw new Error(`The table ${twice} is declared as divided by day twice.`);
  const wrong = declared
    .flatMap(({ table, column }) => [table, column])
    .find((name) => !plainName.test(name));
  if (wrong !== undefined)
    throw new Error(`"${wrong}" is no name for a table that is divided by day.`);
  const cases = declared.map(({ table, column }) => `when '${table}' then '${column}'`).join(" ");
  return `
create function partition_column(of_table text) returns text language plpgsql immutable as $$
declare
  name constant text := ${declared.length === 0 ? "null" : `case of_table ${cases} end`};
begin
  if name is null then raise exception '% is not divided by day', of_table; end if;
  return name;
end $$;
`;
}

/** Makes the partitions of today and the days after. Rows that the default partition caught for them move along. */
export async function makePartitions(
  db: Database,
  declared: readonly DailyPartitions[],
): Promise<Record<string, number>> {
  const made: Record<string, number> = {};
  for (const table of declared) {
    const now = await timeOf(db);
    const days = Array.from({ length: (table.daysAhead ?? DAYS_AHEAD) + 1 }, (_, ahead) =>
      dayOf(now.getTime() + ahead * dayMs),
    );
    let count = 0;
    for (const day of new Set([...days, ...(await strayDays(db, table, now))])) {
      if (await makePartition(db, table, day)) count += 1;
    }
    made[table.table] = count;
  }
  return made;
}

/** Days of rows in the default partition that are still to be kept and lie not too far ahead. */
async function strayDays(db: Queryable, table: DailyPartitions, now: Date): Promise<string[]> {
  const column = raw(table.column);
  const end = new Date(now.getTime() + (table.daysAhead ?? DAYS_AHEAD) * dayMs);
  const rows = await db.rows<{ day: string }>(sql`
    select distinct (${column} at time zone 'UTC')::date::text as day from ${raw(`${table.table}_default`)}
     where ${column} >= ${dayOf(now.getTime() - table.daysKept * dayMs)}::timestamptz and ${column} < ${end}`);
  return rows.map((row) => row.day);
}

/** By a function of the schema's owner: the program's own user makes no tables. */
export async function makePartition(
  db: Queryable,
  { table }: Pick<DailyPartitions, "table">,
  day: string,
): Promise<boolean> {
  const row = await db.first<{ made: boolean }>(
    sql`select make_partition(${table}, ${day}::date) as made`,
  );
  return row?.made ?? false;
}

/** Drops the days that are over, and what the default partition holds of them. Returns how many were dropped. */
export async function dropOldPartitions(db: Database, table: DailyPartitions): Promise<number> {
  const now = await timeOf(db);
  const oldest = dayOf(now.getTime() - table.daysKept * dayMs);
  const rows = await db.rows<{ name: string }>(sql`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = ${table.table}::regclass`);
  const old = rows
    .map((row) => row.name)
    .filter((name) => /_\d{8}$/.test(name) && name < nameOf(table, oldest));
  // One by one, so that none waits for the others' locks.
  for (const name of old) await db.run(sql`select drop_partition(${table.table}, ${name})`);
  await db.run(
    sql`delete from ${raw(`${table.table}_default`)} where ${raw(table.column)} < ${oldest}::timestamptz`,
  );
  return old.length;
}

const sum = (counts: Record<string, number>) =>
  Object.values(counts).reduce((total, count) => total + count, 0);

/** What keeps every declared table in days. */
export function partitionJobs(declared: readonly DailyPartitions[]): ScheduledJob[] {
  return [
    {
      name: "MakePartitions",
      schedule: "@every 6h",
      timeoutMs: TIMEOUT_MS,
      retention: "few",
      atStart: true,
      async run(ctx) {
        const made = await makePartitions(ctx.db, declared);
        return { successes: sum(made), errors: [], details: { made } };
      },
    },
    {
      name: "DropOldPartitions",
      schedule: "15 0 * * *",
      timeoutMs: TIMEOUT_MS,
      retention: "balanced",
      async run(ctx) {
        const dropped: Record<string, number> = {};
        for (const table of declared) {
          ctx.signal.throwIfAborted();
          dropped[table.table] = await dropOldPartitions(ctx.db, table);
        }
        return { successes: sum(dropped), errors: [], details: { dropped } };
      },
    },
  ];
}

async function timeOf(db: Queryable): Promise<Date> {
  const row = await db.first<{ now: Date }>(sql`select now() as now`);
  if (!row) throw new Error("The database did not say what time it is.");
  return row.now;
}
