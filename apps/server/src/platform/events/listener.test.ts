import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../jobs/testing/eventually.ts";
import { createTestParts, type OwnedTestParts } from "../jobs/testing/database.ts";
import { createListener } from "./listener.ts";

let parts: OwnedTestParts;
beforeAll(async () => {
  parts = await createTestParts();
});
afterAll(() => parts.close());

const announce = (channel: string, payload: string) =>
  parts.db.run(sql`select pg_notify(${channel}, ${payload})`);

test("each handler hears its channel, until it is taken off", async () => {
  const listener = createListener(parts);
  const [one, two, other]: [unknown[], unknown[], unknown[]] = [[], [], []];
  const off = await listener.on('Odd "name"', (payload) => one.push(payload));
  await listener.on('Odd "name"', (payload) => two.push(payload));
  await listener.on("other", (payload) => other.push(payload));
  await announce('Odd "name"', "a");
  await eventually(() => expect([one, two]).toEqual([["a"], ["a"]]));
  off();
  await announce('Odd "name"', "b");
  await announce("other", "c");
  await eventually(() => expect(other).toEqual(["c"]));
  expect([one, two]).toEqual([["a"], ["a", "b"]]);
  await listener.close();
});

test("a lost connection is made again, and handlers are told that they may have missed something", async () => {
  const listener = createListener(parts);
  const heard: unknown[] = [];
  await listener.on("news", (payload) => heard.push(payload));
  await parts.db.run(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and query like 'listen%' and pid <> pg_backend_pid()`);
  await eventually(() => expect(heard).toEqual([undefined]));
  await announce("news", "after");
  await eventually(() => expect(heard).toEqual([undefined, "after"]));
  await listener.close();
});

test("closing ends the connection, also while it is being made again", async () => {
  const listener = createListener(parts);
  await listener.on("quiet", () => undefined);
  const listening = () =>
    parts.db.rows(
      sql`select pid from pg_stat_activity where query = 'listen "quiet"' and pid <> pg_backend_pid()`,
    );
  expect(await listening()).toHaveLength(1);
  await parts.db.run(
    sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query = 'listen "quiet"'`,
  );
  await listener.close();
  await eventually(async () => expect(await listening()).toEqual([]));
});
