import { afterAll, beforeAll, expect, test } from "vitest";
import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import { testDatabase } from "../../testing/app.ts";
import { retentionJobs } from "./clean-up.ts";

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const runJob = (name: string) =>
  retentionJobs
    .find((job) => job.name === name)!
    .run({
      db: database.db,
      signal: new AbortController().signal,
      progress: async () => undefined,
    } as unknown as Ctx);
const names = async () =>
  (await database.db.rows<{ name: string }>(sql`select name from config_items order by name`)).map(
    ({ name }) => name,
  );

test("items go a week after they were deleted, with what belongs to them, unless a component names them", async () => {
  const { db } = database;
  await db.run(sql`
    insert into config_items (name, type, config_class, tags, deleted_at)
    select name, 'X', 'X', '{"zone":"1"}', now() - days * interval '1 day'
      from (values ('live', null), ('young', 6), ('old', 8), ('named', 8)) n (name, days)`);
  await db.run(sql`
    insert into config_items (name, type, config_class, parent_id)
    select 'child', 'X', 'X', id from config_items where name = 'old'`);
  await db.run(
    sql`insert into config_changes (config_id, change_type) select id, 'diff' from config_items`,
  );
  await db.run(
    sql`insert into config_analysis (config_id, analyzer) select id, 'a' from config_items`,
  );
  await db.run(sql`
    insert into config_relationships (config_id, related_id, relation)
    select one.id, other.id, 'X' from config_items one, config_items other where 'old' in (one.name, other.name)`);
  await db.run(sql`
    insert into components (name, type, status, external_id, config_id)
    select 'c', 'x', 'healthy', 'c', id from config_items where name = 'named'`);
  expect(await runJob("CleanupConfigItems")).toMatchObject({ successes: 1 });
  expect(await names()).toEqual(["child", "live", "named", "young"]);
  expect(
    await db.first(sql`
      select (select parent_id from config_items where name = 'child') as parent, (select count(*) from config_changes) as changes,
             (select count(*) from config_analysis) as insights, (select count(*) from config_relationships) as ties,
             (select count(*) from config_change_totals) as totals`),
  ).toEqual({ parent: null, changes: 4, insights: 4, ties: 0, totals: 4 });
  expect(await runJob("CleanupConfigItems")).toMatchObject({ successes: 0 });
});

test.each([
  ["CleanupConfigChanges", "config_changes", "created_at", 59, 61],
  ["CleanupConfigAnalysis", "config_analysis", "last_observed", 59, 61],
  ["CleanupConfigAnalysis", "config_analysis", "first_observed", 59, 61],
  ["CleanupConfigRelationships", "config_relationships", "deleted_at", 6, 8],
  ["CleanupConfigVersions", "config_item_versions", "changed_at", 59, 61],
])("%s: %s by %s", async (job, table, column, kept, gone) => {
  const { db } = database;
  await db.raw(`delete from ${table}`);
  const more = {
    config_changes: ["change_type", "'x'"],
    config_analysis: ["analyzer", "'x'"],
    config_relationships: ["related_id, relation", "id, days::text"],
    config_item_versions: ["was", "'{}'"],
  }[table]!;
  await db.raw(`
    insert into ${table} (config_id, ${column}, ${more[0]})
    select id, now() - days * interval '1 day', ${more[1]}
      from config_items, (values (${kept}), (${gone})) d (days) where name = 'live'`);
  expect(await runJob(job)).toMatchObject({ successes: 1 });
  const left = await db.raw(
    `select extract(day from now() - ${column})::int as days from ${table}`,
  );
  expect(left.rows).toEqual([{ days: kept }]);
});

test("numbers of nothing are not kept, and the window of changes slides", async () => {
  const { db } = database;
  await db.run(sql`delete from config_changes`);
  await db.run(sql`update config_items set tags = null`);
  expect(await runJob("CleanupConfigCounts")).toMatchObject({ errors: [] });
  expect(await db.rows(sql`select from config_facets`)).toEqual([]);
  expect(await db.rows(sql`select from config_change_totals`)).toEqual([]);
  expect(await db.rows(sql`select from config_change_sums`)).toEqual([]);
  await db.run(sql`update config_change_window set since = now() - interval '31 days'`);
  await db.run(sql`
    insert into config_changes (config_id, created_at) select id, now() - interval '30.5 days' from config_items where name = 'live'`);
  expect(await runJob("SlideConfigChangeWindow")).toEqual({ successes: 1, errors: [] });
});
