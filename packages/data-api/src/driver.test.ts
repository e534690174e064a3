import { createTestDatabase, type TestDatabase } from "@mainstay/testkit";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
// For the type of what `inject` gives.
import "@mainstay/testkit/global-setup.ts";
import type { NamedStatement } from "./connection.ts";
import { type LeanConnection, leanPool } from "./driver.ts";

let database: TestDatabase;
let pool: pg.Pool;
let connection: LeanConnection;

beforeAll(async () => {
  database = await createTestDatabase({ connection: inject("cluster") });
  pool = new pg.Pool({ ...database.superuser, max: 1 });
  connection = await leanPool(pool).connect();
  await connection.query({ text: "create table jars (id int primary key)" });
});

afterAll(async () => {
  connection.release();
  await pool.end();
  await database.drop();
});

const jars = async () => (await connection.query({ text: "select id from jars order by id" })).rows;

describe("together", () => {
  beforeEach(() => connection.query({ text: "truncate jars cascade" }));
  const fill = (id: number) => ({
    name: "fill",
    text: "insert into jars values ($1) returning id, id > 5 as high, null as none, array[id] as list",
    values: [id],
  });

  test("gives the rows of each", async () => {
    for (const id of [1, 7]) {
      const sent = [fill(id), { text: "select 1 where false" }, fill(id + 1), { text: "" }];
      expect(await connection.together(sent)).toEqual([
        [{ id, high: id > 5, none: null, list: [id] }],
        [],
        [{ id: id + 1, high: id > 5, none: null, list: [id + 1] }],
        [],
      ]);
    }
  });

  test.for([0, 1, 2, 3])("the one at %i fails, and nothing is left of any", async (place) => {
    for (const text of [
      "select 1 / 0",
      "no statement",
      "select set_config('role', 'nobody', true)",
    ]) {
      const sent: { text: string; name?: string }[] = [fill(1), fill(2), fill(3)];
      await expect(connection.together(sent.toSpliced(place, 0, { text }))).rejects.toThrow();
      expect(await jars()).toEqual([]);
    }
  });

  test("what fails when all is kept fails", async () => {
    await connection.query({
      text: "create table lids (jar int references jars deferrable initially deferred)",
    });
    const sent = [fill(1), { text: "insert into lids values (2)" }];
    await expect(connection.together(sent)).rejects.toMatchObject({ code: "23503" });
    expect(await jars()).toEqual([]);
  });

  test("settings of a transaction end with it", async () => {
    const text = "select set_config('application_name', 'inside', true)";
    const read = { text: "select current_setting('application_name') as name" };
    const [, inside] = await connection.together([{ text }, read]);
    expect(inside).toEqual([{ name: "inside" }]);
    expect((await connection.query(read)).rows).not.toEqual(inside);
  });
});

describe("a prepared statement", () => {
  const add = (name: string) => ({ name, text: "select $1::int + 1 as sum", values: [2] });

  test("can be prepared by what fails", async () => {
    await expect(connection.together([add("a"), { text: "select 1 / 0" }])).rejects.toThrow();
    for (const _turn of [1, 2])
      expect(await connection.query(add("a"))).toEqual({ rows: [{ sum: 3 }] });
  });

  test("that the database has forgotten fails once", async () => {
    await connection.query(add("b"));
    await connection.query({ text: "deallocate all" });
    await expect(connection.query(add("b"))).rejects.toMatchObject({ code: "26000" });
    expect(await connection.query(add("b"))).toEqual({ rows: [{ sum: 3 }] });
  });

  test("whose columns become others fails once", async () => {
    const whole = { name: "whole", text: "select * from growing" };
    await connection.query({ text: "create table growing (a int)" });
    await connection.query(whole);
    await connection.query({ text: "alter table growing add b int" });
    await connection.query({ text: "insert into growing values (1, 2)" });
    await expect(connection.query(whole)).rejects.toMatchObject({ code: "0A000" });
    expect(await connection.query(whole)).toEqual({ rows: [{ a: 1, b: 2 }] });
  });
});

test.for<[string, NamedStatement]>([
  ["a null character in a text", { text: "select 1 --\0" }],
  ["a value that is no text", { text: "select $1", values: [{}] }],
  ["more values than can be counted", { text: "select 1", values: Array(65_536).fill("") }],
])("%s is not sent", async ([, statement]) => {
  await expect(connection.query(statement)).rejects.toThrow(/^A (statement|value)/);
  expect(await connection.query({ text: "select 'well' as it" })).toEqual({
    rows: [{ it: "well" }],
  });
});

test("values keep every character", async () => {
  const text = "é\\'\"😀\n\t";
  const values = [text, "", null, true, 1.5, 12n];
  const { rows } = await connection.query({
    text: "select $1::text as a, $2::text as b, $3::text as c, $4::bool as d, $5::text as e, $6::text as f",
    values,
  });
  expect(rows).toEqual([{ a: text, b: "", c: null, d: true, e: "1.5", f: "12" }]);
});

test("a connection that is cut fails what is under way", async () => {
  const other = new pg.Pool({ ...database.superuser, max: 1 });
  other.on("connect", (client) => client.on("error", () => undefined));
  other.on("error", () => undefined);
  const cut = await leanPool(other).connect();
  await expect(
    cut.query({ text: "select pg_terminate_backend(pg_backend_pid())" }),
  ).rejects.toThrow();
  await expect(cut.query({ text: "select 1" })).rejects.toThrow();
  cut.release(true);
  await other.end();
});
