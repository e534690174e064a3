import sql, { type Sql } from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../../testing/app.ts";
import { takeLock } from "#platform/db/advisory-locks.ts";
import { countInTime } from "#platform/db/count-in-time.ts";
import { ChangeSearch, type CountTimes, searchChanges } from "./search-changes.ts";

const many = 30_500;
let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  const item = await app.db.first<{ id: string }>(sql`
    insert into config_items (type, config_class, name) values ('Thing', 'Thing', 'busy') returning id`);
  await app.db.run(sql`
    insert into config_changes (config_id, change_type, severity, summary, created_at)
    select ${item!.id}, 'Seen', 'info', repeat('a word and another ', 10) || n, now() - n * interval '1 second'
      from generate_series(1, ${many}) n`);
});
afterAll(() => app.stop());

const search = (more: object, times: Partial<CountTimes> = {}) =>
  searchChanges(
    app.app.ctx,
    ChangeSearch.parse({ from: "now-1d", search: "another", page_size: 100, ...more }),
    () => {},
    { countMs: () => 60_000, few: 0, ...times },
  );
/** No time at all for a count that nobody asked for. */
const hurried: Partial<CountTimes> = { countMs: (_, isSure) => (isSure ? 60_000 : 0) };

test("changes that are not counted at once are shown, and said to be more", async () => {
  const found = await search({}, hurried);
  expect(found.changes).toHaveLength(100);
  expect(found).toMatchObject({ total: 101, total_is_least: true, summary: { Seen: 100 } });
  expect(await search({ page: 3 }, hurried)).toMatchObject({ total: 301, total_is_least: true });
  const counted = await search({});
  expect(counted).toMatchObject({ total: many, changes: found.changes });
  expect(counted).not.toHaveProperty("total_is_least");
});

test("as many as were counted in time there are at least", async () => {
  const numbers = sql`select from generate_series(1, 100000) n`;
  // From one of them on, it waits for somebody who is never done.
  const stuck = sql`${numbers} where n <= 2000 or take_lock('components') is not null`;
  const count = (rows: Sql, ms: number) =>
    countInTime((work) => app.db.transaction(work), rows, {
      deadline: performance.now() + ms,
      isSure: true,
    });
  await app.db.transaction(async (tx) => {
    await takeLock(tx, "components");
    const { n, isLeast } = await count(stuck, 2_000);
    expect(isLeast).toBe(true);
    expect(n).toBeGreaterThanOrEqual(500);
    expect(n).toBeLessThanOrEqual(2_000);
  });
  expect(await count(numbers, 60_000)).toEqual({ n: 100_000, isLeast: false });
  expect(await count(sql`${numbers} where n < 500`, 60_000)).toEqual({ n: 499, isLeast: false });
});

test("who asks for how many there are waits for it, and so do those who ask for few", async () => {
  const isAsked = await search({ total: true }, hurried);
  const areFew = await search({}, { ...hurried, few: many });
  for (const found of [isAsked, areFew]) {
    expect(found).toMatchObject({ total: many });
    expect(found).not.toHaveProperty("total_is_least");
  }
});

test("what must not hold is taken away from how many there are, or those that are left are counted", async () => {
  const others = { search: "-another" };
  await app.db.run(sql`
    insert into config_changes (config_id, change_type, severity, summary, created_at)
    select config_id, 'Odd', 'info', 'of its own', created_at from config_changes limit 300`);
  const total = { total: 300, summary: { Odd: 100 } };
  expect(await search(others)).toMatchObject(total);
  expect(await search(others, hurried)).toMatchObject({ total: 101, total_is_least: true });
  await app.db.run(sql`delete from config_changes where change_type = 'Odd'`);
});

test("a last page tells how many there are, and nothing is counted for it", async () => {
  const last = await search({ page: 31, page_size: 1_000 }, hurried);
  expect(last).toMatchObject({ total: many, summary: { Seen: 500 } });
  expect(last).not.toHaveProperty("total_is_least");
  // Also one that is just full.
  const full = await search({ page: 61, page_size: 500 }, hurried);
  expect([full.changes?.length, full.total, full.total_is_least]).toEqual([500, many, undefined]);
  expect(await search({ search: "another no-such-word" }, hurried)).toEqual({});
  // Beyond the last one there is nothing to show, so that how many there are is all that is asked for.
  const beyond = await search({ page: 62, page_size: 500 }, hurried);
  expect([beyond.changes, beyond.total, beyond.total_is_least]).toEqual([[], many, undefined]);
});
