import sql from "sql-template-tag";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Ctx } from "#platform/context.ts";
import { testDatabase } from "../../../testing/app.ts";
import { retentionJobs } from "../clean-up.ts";

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  for (const table of ["config_changes", "config_item_scrapes", "config_items", "config_scrapers"])
    await database.db.raw(`delete from ${table}`);
});

const runJob = (name: string) =>
  retentionJobs
    .find((job) => job.name === name)!
    .run({
      db: database.db,
      signal: new AbortController().signal,
      progress: async () => undefined,
    } as unknown as Ctx);
const rules = "Process Change Retention Rules";

async function scraper(name: string, retention: object): Promise<string> {
  const row = await database.db.first<{ id: string }>(sql`
    insert into config_scrapers (name, spec) values (${name}, ${JSON.stringify({ retention })}::jsonb) returning id`);
  return row!.id;
}

interface Made {
  type?: string;
  /** Days ago. */
  created?: number;
  updated?: number;
  deleted?: number;
  reason?: string;
}
async function item(scraperId: string, name: string, made: Made = {}): Promise<string> {
  const { type = "Thing", created = 0, updated = created, deleted, reason } = made;
  const row = await database.db.first<{ id: string }>(sql`
    insert into config_items (scraper_id, name, type, config_class, created_at, updated_at, deleted_at, delete_reason)
    values (${scraperId}, ${name}, ${type}, 'X', now() - ${created} * interval '1 day', now() - ${updated} * interval '1 day',
            now() - ${deleted ?? null}::float8 * interval '1 day', ${reason ?? null}) returning id`);
  return row!.id;
}
const change = (configId: string, changeType: string, days: number) =>
  database.db.run(sql`
    insert into config_changes (config_id, change_type, created_at)
    values (${configId}, ${changeType}, now() - ${days} * interval '1 day')`);
const changes = () =>
  database.db.rows(sql`
    select i.name, change_type, extract(day from now() - c.created_at)::int as days
      from config_changes c join config_items i on i.id = c.config_id order by 1, 2, 3`);
const left = () =>
  database.db.rows<{ name: string }>(
    sql`select name, delete_reason as reason from config_items order by name`,
  );

test("changes go by age and by number, those of other scrapers and types stay", async () => {
  const one = await scraper("one", {
    changes: [
      { name: "diff", age: "5d" },
      { name: "Commit", count: 2 },
      { name: "Both", age: "9d", count: 1 },
    ],
  });
  const other = await scraper("other", {});
  const web = await item(one, "web");
  const db = await item(one, "db");
  const foreign = await item(other, "foreign");
  for (const id of [web, foreign]) for (const days of [4, 6]) await change(id, "diff", days);
  for (const days of [1, 2, 3]) await change(web, "Commit", days);
  await change(db, "Commit", 8);
  for (const days of [7, 8, 10]) await change(db, "Both", days);
  await change(web, "Unsaid", 50);
  expect(await runJob(rules)).toMatchObject({ details: { changes: 4, items: 0 } });
  expect(await changes()).toEqual([
    { name: "db", change_type: "Both", days: 7 },
    { name: "db", change_type: "Commit", days: 8 },
    { name: "foreign", change_type: "diff", days: 4 },
    { name: "foreign", change_type: "diff", days: 6 },
    { name: "web", change_type: "Commit", days: 1 },
    { name: "web", change_type: "Commit", days: 2 },
    { name: "web", change_type: "Unsaid", days: 50 },
    { name: "web", change_type: "diff", days: 4 },
  ]);
  expect(await runJob(rules)).toMatchObject({ successes: 0 });
});

test("items go by when they were made and changed last, each type by its own rule", async () => {
  const one = await scraper("one", {
    types: [
      { name: "Job*", createdAge: "2d" },
      { name: "Lease", updatedAge: "1d" },
    ],
  });
  await item(one, "job old", { type: "Job::Run", created: 3 });
  await item(one, "job young", { type: "Job::Run", created: 1 });
  await item(one, "lease idle", { type: "Lease", created: 9, updated: 2 });
  await item(one, "lease held", { type: "Lease", created: 9, updated: 0 });
  await item(one, "other", { type: "Other", created: 99 });
  expect(await runJob(rules)).toMatchObject({ details: { changes: 0, items: 2 } });
  expect(await left()).toEqual([
    { name: "job old", reason: "RETENTION" },
    { name: "job young", reason: null },
    { name: "lease held", reason: null },
    { name: "lease idle", reason: "RETENTION" },
    { name: "other", reason: null },
  ]);
});

test("deleted items are forgotten when their document says, not while they are still found", async () => {
  const one = await scraper("one", {
    types: [
      { name: "Short", deletedAge: "1d" },
      { name: "Long", deletedAge: "30d" },
    ],
  });
  await item(one, "long", { type: "Long", deleted: 20 });
  await item(one, "long over", { type: "Long", deleted: 31 });
  await item(one, "short", { type: "Short", deleted: 0.5 });
  await item(one, "short over", { type: "Short", deleted: 2 });
  await item(one, "week", { deleted: 6 });
  await item(one, "week over", { deleted: 8 });
  const seen = await item(one, "still found", { deleted: 8, reason: "RETENTION" });
  await item(one, "found no more", { deleted: 8, reason: "RETENTION" });
  await database.db.run(sql`
    insert into config_item_scrapes (config_id, scraper_id, seen_at, digest) values (${seen}, ${one}, now(), '')`);
  expect(await runJob("CleanupConfigItems")).toMatchObject({ successes: 4 });
  expect((await left()).map(({ name }) => name)).toEqual(["long", "short", "still found", "week"]);
});
