import { createTestDatabase, type TestDatabase } from "@mainstay/testkit";
import pg from "pg";
import { getRollbackPlans } from "pg-boss";
import library from "pg-boss/package.json" with { type: "json" };
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { installQueue, QUEUE_SCHEMA } from "./install-queue.ts";

let database: TestDatabase;
let client: pg.Client;
beforeEach(async () => {
  database = await createTestDatabase({ connection: inject("cluster") });
  client = new pg.Client(database.owner);
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await database.drop();
});

const version = async () =>
  (await client.query<{ version: number }>("select version::int as version from pgboss.version"))
    .rows[0]?.version;
/** Everything there is, as the catalog knows it. */
const shape = async () =>
  (
    await client.query<{ line: string }>(`
      select c.relname || ' ' || coalesce(pg_get_indexdef(c.oid), '') || coalesce(string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ',' order by a.attname), '') as line
        from pg_class c left join pg_attribute a on a.attrelid = c.oid and attnum > 0 and not attisdropped
       where relnamespace = 'pgboss'::regnamespace group by c.oid, c.relname
      union all
      select pg_get_functiondef(oid) from pg_proc where pronamespace = 'pgboss'::regnamespace
       order by 1`)
  ).rows.map(({ line }) => line.replaceAll(/\s+/g, " "));

test("an empty database gets the queue's tables, and a second time changes nothing", async () => {
  await installQueue(client);
  expect(await version()).toBe(library.pgboss.schema);
  const made = await shape();
  await installQueue(client);
  expect(await shape()).toEqual(made);
});

test("the tables of earlier versions are brought up to this one", async () => {
  await installQueue(client);
  const now = await shape();
  for (const back of [1, 3, 5]) {
    for (let step = 0; step < back; step += 1)
      await client.query(
        getRollbackPlans(QUEUE_SCHEMA, library.pgboss.schema - step).replaceAll(
          /concurrently/gi,
          "",
        ),
      );
    expect(await version()).toBe(library.pgboss.schema - back);
    await installQueue(client);
    expect(await version()).toBe(library.pgboss.schema);
    expect(await shape()).toEqual(now);
  }
});
