import pg from "pg";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "@mainstay/testkit";
import { freePort, type Listening, listenForPostgres } from "@mainstay/testkit/servers/index.ts";
import { type AskOptions, askBackend, asked, specOf, startsOf } from "../testing/ask-backend.ts";
import { postgres } from "./postgres.ts";

/** The real PostgreSQL. */

const cluster = inject("cluster");
let database: TestDatabase;
let relay: Listening;
let url: string;
beforeAll(async () => {
  database = await createTestDatabase({ connection: cluster });
  const client = new pg.Client(database.superuser);
  await client.connect();
  await client.query(`
    create schema "my logs";
    create table "my logs"."app ""lines""" (id int primary key, at timestamptz, "the text" text, lvl text, app text, extra jsonb);
    insert into "my logs"."app ""lines"""
      select n, '2026-06-15T10:00:00.000001Z'::timestamptz + (n / 4) * interval '1 second',
             case n when 77 then 'Payment 50%_ failed' else 'line ' || n end,
             case when n % 10 = 0 then 'ERR' else 'info' end,
             case when n % 2 = 0 then 'shop' else 'db' end, jsonb_build_object('pod', 'p' || n % 3)
        from generate_series(0, 999) n;
    create view "Plain" as select at at time zone 'UTC' as time, "the text" as message from "my logs"."app ""lines""";
  `);
  await client.end();
  relay = await listenForPostgres(cluster);
  url = `postgres://${cluster.user}:sesame@127.0.0.1:${relay.port}/${database.name}`;
});
afterAll(async () => {
  await relay.close();
  await database.drop();
});

const columns = {
  timestamp: "at",
  message: "the text",
  level: "lvl",
  id: "id",
  labels: ["app", "extra"],
};
const spec = () => ({ url, table: 'my logs.app "lines"', columns });
const ask = (options?: AskOptions, more: object = {}) =>
  askBackend(postgres, { ...spec(), ...more }, options);
const messages = async (options?: AskOptions, more?: object) =>
  (await ask(options, more)).lines.map(({ message }) => message);

test("rows are lines, to the microsecond", async () => {
  expect((await ask({ limit: 1 })).lines).toEqual([
    {
      id: "999",
      timestamp: "2026-06-15T10:04:09.000001Z",
      message: "line 999",
      level: "info",
      labels: { app: "db", pod: "p0" },
    },
  ]);
  expect(await messages({ limit: 2, direction: "forward" })).toEqual(["line 0", "line 1"]);
});

test.each(["backward", "forward"] as const)("pages %s lead through all once", async (direction) => {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await ask({ direction, limit: 77, ...(cursor && { cursor }) });
    found.push(...page.lines.map(({ id }) => id));
    cursor = page.next;
  } while (cursor !== undefined);
  const ids = Array.from({ length: 1000 }, (_, n) => String(n));
  expect(found).toEqual(direction === "forward" ? ids : ids.toReversed());
});

test("a search is asked of the database, and nothing in it is SQL", async () => {
  expect(await messages({ query: "payment" })).toEqual(["Payment 50%_ failed"]);
  expect(await messages({ query: '"50%_"' })).toEqual(["Payment 50%_ failed"]);
  expect(await messages({ query: '"5_%"' })).toEqual([]);
  expect(await messages({ query: "level>=error app=shop", limit: 2 })).toEqual([
    "line 990",
    "line 980",
  ]);
  expect(await messages({ query: "-app=shop -line" })).toEqual(["Payment 50%_ failed"]);
  expect(await messages({ query: 'message=~"^P.*d$"' })).toEqual(["Payment 50%_ failed"]);
  expect(await messages({ labels: { pod: "p1" }, limit: 1 })).toEqual(["line 997"]);
  expect(await messages({ labels: { app: "' or 1=1 --" } })).toEqual([]);
});

test("a view without zones, a query, and what is none", async () => {
  const plain = { timestamp: "time", message: "message" };
  const view = { table: "Plain", columns: plain };
  expect((await ask({ limit: 1 }, view)).lines[0]!.timestamp).toBe("2026-06-15T10:04:09.000001Z");
  const query = `select at as time, "the text" as message from "my logs"."app ""lines""" where id < 3;`;
  expect(await messages({}, { table: undefined, query, columns: plain })).toHaveLength(3);
  const evil = "select 1) x; drop table y; --";
  await expect(ask({}, { table: undefined, query: evil, columns: plain })).rejects.toThrow(
    /syntax error|multiple commands/,
  );
  await expect(ask({}, { table: "nothing" })).rejects.toThrow('relation "nothing" does not exist');
  await expect(
    ask({}, { columns: { ...columns, message: 'a" from pg_authid --' } }),
  ).rejects.toThrow("does not exist");
});

test("counts are the database's, by level", async () => {
  const { ctx, question } = asked({ from: "2026-06-15T10:00:00Z", to: "2026-06-15T10:05:00Z" });
  const { buckets } = await postgres.count!(ctx, specOf(postgres, spec()), {
    ...question,
    step: 60_000,
  });
  expect(buckets.map(({ start, counts }) => [start.slice(11, 16), counts])).toEqual([
    ["10:00", { error: 24, info: 216 }],
    ["10:01", { error: 24, info: 216 }],
    ["10:02", { error: 24, info: 216 }],
    ["10:03", { error: 24, info: 216 }],
    ["10:04", { error: 4, info: 36 }],
  ]);
  const later = { ...question, from: new Date(+question.from + 30_000), step: 60_000 };
  const told = await postgres.count!(ctx, specOf(postgres, spec()), later);
  expect(startsOf(told.buckets)).toEqual(["10:00", "10:01", "10:02", "10:03", "10:04"]);
});

test("nobody there, a user who is none, and a query that does not end", async () => {
  await expect(ask({}, { url: `postgres://a@127.0.0.1:${await freePort()}/b` })).rejects.toThrow(
    /refused/,
  );
  await expect(ask({}, { url: url.replace(`//${cluster.user}:`, "//nobody:") })).rejects.toThrow(
    /nobody/,
  );
  await expect(ask({}, { url: "nonsense" })).rejects.toThrow("no address of PostgreSQL");
  const stop = new AbortController();
  const asking = ask(
    { signal: stop.signal },
    {
      table: undefined,
      query: "select now() as at, pg_sleep(60)::text as message",
      columns: { timestamp: "at", message: "message" },
    },
  );
  stop.abort(new Error("the time is over"));
  await expect(asking).rejects.toThrow("the time is over");
});
