import sql from "sql-template-tag";
import { afterEach, beforeEach, expect, test } from "vitest";
import { features } from "../../features.ts";
import { testConfig, testDatabase } from "../../testing/app.ts";
import {
  dropOldPartitions,
  makePartitions,
  partitionFunction,
  resolvePartitions,
} from "./partitions.ts";

const declared = resolvePartitions(
  features.flatMap((feature) => feature.partitions ?? []),
  testConfig(),
);

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeEach(async () => {
  database = await testDatabase();
  // As it is before the first start: the template has the days that every program makes.
  const days = await Promise.all(declared.map(({ table }) => partitionsOf(table)));
  for (const name of days.flat().filter((day) => /_\d{8}$/.test(day)))
    await database.owner.raw(`drop table ${name}`);
});
afterEach(() => database.drop());

const partitionsOf = async (table: string) =>
  (
    await database.db.rows<{ name: string }>(sql`
      select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = ${table}::regclass order by 1`)
  ).map((row) => row.name);

async function storeRun(time: string): Promise<void> {
  const check = await database.db.first<{ id: string }>(sql`
    with canary as (insert into canaries (name, namespace, spec) values (gen_random_uuid()::text, 'default', '{}') returning id)
    insert into checks (canary_id, type, name) select id, 'http', 'x' from canary returning id`);
  await database.db.run(sql`
    insert into check_statuses (check_id, time, duration, status) values (${check!.id}, ${time}::timestamptz, 1, true)`);
}
const whereIs = async () =>
  (
    await database.db.rows<{ place: string }>(
      sql`select tableoid::regclass::text as place from check_statuses order by time`,
    )
  ).map((row) => row.place);

test("today and the next days have partitions, however often and by however many they are made", async () => {
  await Promise.all([makePartitions(database.db, declared), makePartitions(database.db, declared)]);
  expect(await makePartitions(database.db, declared)).toEqual({
    check_statuses: 0,
    check_totals_5m: 0,
    log_lines: 0,
  });
  for (const { table } of declared) expect(await partitionsOf(table)).toHaveLength(5);
  await storeRun(new Date().toISOString());
  expect(await whereIs()).toEqual([expect.stringMatching(/^check_statuses_\d{8}$/)]);
});

test("rows that had no partition move into theirs when it is made", async () => {
  const yesterday = new Date(Date.now() - 86_400_000).toISOString();
  await storeRun(yesterday);
  await storeRun(new Date().toISOString());
  expect(await whereIs()).toEqual(["check_statuses_default", "check_statuses_default"]);
  await makePartitions(database.db, declared);
  expect(await whereIs()).toEqual([
    `check_statuses_${yesterday.slice(0, 10).replaceAll("-", "")}`,
    expect.stringMatching(/^check_statuses_\d{8}$/),
  ]);
});

test("days that are over are dropped whole, and what the default partition holds of them is deleted", async () => {
  await makePartitions(database.db, declared);
  const name = "check_statuses_20200101";
  await database.owner.raw(
    `create table ${name} partition of check_statuses for values from ('2020-01-01T00:00:00Z') to ('2020-01-02T00:00:00Z')`,
  );
  await storeRun("2020-01-01T12:00:00Z");
  await storeRun("2020-02-01T12:00:00Z");
  const recent = new Date().toISOString();
  await storeRun(recent);
  expect(await dropOldPartitions(database.db, declared[0]!)).toBe(1);
  expect(await partitionsOf("check_statuses")).not.toContain(name);
  expect(await whereIs()).toEqual([expect.stringMatching(/^check_statuses_\d{8}$/)]);
});

test("every table that is divided by time is declared, by the column it is divided by", async () => {
  const rows = await database.db.rows<{ table: string; key: string }>(sql`
    select relname as table, pg_get_partkeydef(oid) as key from pg_class
     where relkind = 'p' and relnamespace = 'public'::regnamespace order by 1`);
  expect(rows).toEqual(
    declared
      .map(({ table, column }) => ({
        table,
        key: expect.stringMatching(`^RANGE \\("?${column}"?\\)$`) as string,
      }))
      .toSorted((a, b) => (a.table < b.table ? -1 : 1)),
  );
});

test("a table that is declared twice, or by what is no name, is refused", () => {
  const days = { table: "things", column: "time", daysKept: 1 };
  expect(() => partitionFunction([days, { ...days, daysKept: 2 }])).toThrow(
    "The table things is declared as divided by day twice.",
  );
  expect(() => partitionFunction([{ ...days, column: "time' or '1" }])).toThrow("is no name");
});
