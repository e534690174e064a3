import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type App, createApp } from "../../app.ts";
import { createLog } from "#platform/log.ts";
import { testConfig, testDatabase } from "../../testing/app.ts";
import { retentionJobs } from "./clean-up.ts";

let database: Awaited<ReturnType<typeof testDatabase>>;
let app: App;
beforeAll(async () => {
  database = await testDatabase();
  app = await createApp({
    config: testConfig({ role: "api" }),
    db: database.db,
    owner: database.owner,
    log: createLog("silent"),
    consoleDirectory: import.meta.dirname,
  });
});
afterAll(async () => {
  await app.stop();
  await database.drop();
});

const runJob = (name: string) => retentionJobs.find((job) => job.name === name)!.run(app.ctx);

async function makeCheck(deletedDaysAgo: number | undefined): Promise<string> {
  const row = await database.db.first<{ id: string }>(sql`
    with canary as (
      insert into canaries (name, namespace, spec, deleted_at)
      values (gen_random_uuid()::text, 'r', '{}', now() - ${deletedDaysAgo ?? null}::int * interval '1 day') returning id, deleted_at)
    insert into checks (canary_id, type, name, deleted_at) select id, 'http', 'x', deleted_at from canary returning id`);
  return row!.id;
}

test("deleted documents and checks go after a week, with all that belongs to them", async () => {
  const [live, young, old] = [await makeCheck(undefined), await makeCheck(6), await makeCheck(8)];
  await database.db.run(sql`
    insert into check_statuses (check_id, time, duration, status) select id, now(), 1, true from checks`);
  await runJob("CleanupChecks");
  await runJob("CleanupCanaries");
  const left = await database.db.rows<{ id: string }>(sql`select id from checks`);
  expect(left.map((row) => row.id).toSorted()).toEqual([live, young].toSorted());
  expect(await database.db.rows(sql`select 1 from check_statuses where check_id = ${old}`)).toEqual(
    [],
  );
  expect(await database.db.first(sql`select count(*) as count from canaries`)).toEqual({
    count: 2,
  });
});

test.each([
  ["DeleteOldCheckStatuses1h", "check_totals_1h", 89, 91],
  ["DeleteOldCheckStatuses1d", "check_totals_1d", 269, 271],
])("%s deletes what is too old and nothing else", async (job, table, kept, gone) => {
  for (const days of [kept, gone]) {
    await database.db.raw(
      `insert into ${table} values (gen_random_uuid(), now() - ${days} * interval '1 day', 1, 1, 1, '{}')`,
    );
  }
  expect((await runJob(job)).successes).toBe(1);
  expect((await database.db.raw(`select 1 from ${table}`)).rowCount).toBe(1);
});

test("every job of the feature has a name of its own and can be run on an empty database", async () => {
  expect(new Set(retentionJobs.map((job) => job.name)).size).toBe(retentionJobs.length);
  for (const job of retentionJobs) expect((await job.run(app.ctx)).errors).toEqual([]);
});
