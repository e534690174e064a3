import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../../testing/app.ts";
import { ChangeSearch, searchChanges } from "./search-changes.ts";

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

const search = (more: object, countMs?: number) =>
  searchChanges(
    app.app.ctx,
    ChangeSearch.parse({ from: "now-1d", search: "another", page_size: 100, ...more }),
    () => {},
    countMs === undefined ? undefined : () => countMs,
  );

test("changes that cannot be counted in time are shown, and said to be more", async () => {
  const found = await search({}, 1);
  expect(found.changes).toHaveLength(100);
  expect(found).toMatchObject({ total: 101, total_is_least: true, summary: { Seen: 100 } });
  expect(await search({ page: 3 }, 1)).toMatchObject({ total: 301, total_is_least: true });
  const counted = await search({});
  expect(counted).toMatchObject({ total: many, changes: found.changes });
  expect(counted).not.toHaveProperty("total_is_least");
});

test("a last page tells how many there are, and nothing is counted for it", async () => {
  const last = await search({ page: 31, page_size: 1_000 }, 1);
  expect(last).toMatchObject({ total: many, summary: { Seen: 500 } });
  expect(last).not.toHaveProperty("total_is_least");
  // Also one that is just full.
  const full = await search({ page: 61, page_size: 500 }, 1);
  expect([full.changes?.length, full.total, full.total_is_least]).toEqual([500, many, undefined]);
  expect(await search({ search: "another no-such-word" }, 1)).toEqual({});
});
