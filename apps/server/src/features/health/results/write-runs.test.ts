import sql from "sql-template-tag";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { testDatabase } from "../../../testing/app.ts";
import { retentionJobs } from "../clean-up.ts";
import { type CanaryRun, runOf, writeRuns } from "./write-runs.ts";

let database: Awaited<ReturnType<typeof testDatabase>>;
let canary: string;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.db.run(sql`delete from job_history`);
  const row = await database.db.first<{ id: string }>(sql`
    insert into canaries (name, namespace, spec) values (gen_random_uuid()::text, 'shop', '{}') returning id`);
  canary = row!.id;
});

const run = (time: string, passed: number, ...errors: string[]): CanaryRun => ({
  canaryId: canary,
  startedAt: new Date(time),
  endedAt: new Date(Date.parse(time) + 250),
  passed,
  failed: errors.length,
  untried: 0,
  errors,
});
const write = (...runs: CanaryRun[]) => database.db.transaction((tx) => writeRuns(tx, runs));
const history = () =>
  database.db.rows<Record<string, unknown>>(sql`
    select name, resource_type, resource_id, status, success_count, error_count, duration_millis, details, time_start, time_end
      from job_history order by created_at`);

test("the runs of an hour are one row: the state of the last one, the counts of all", async () => {
  await write(run("2026-01-01T10:00:00Z", 2));
  await write(run("2026-01-01T10:05:00Z", 1, "web: refused"));
  await write(run("2026-01-01T10:59:59Z", 0, "web: refused", "db: away"));
  await write(run("2026-01-01T11:00:00Z", 2));
  const one = { name: "Canary", resource_type: "canary", resource_id: canary };
  expect(await history()).toEqual([
    {
      ...one,
      status: "FAILED",
      success_count: 3,
      error_count: 3,
      duration_millis: 250,
      details: { runs: 3, errors: ["web: refused", "db: away"] },
      time_start: new Date("2026-01-01T10:59:59Z"),
      time_end: new Date("2026-01-01T10:59:59.250Z"),
    },
    expect.objectContaining({
      ...one,
      status: "SUCCESS",
      success_count: 2,
      error_count: 0,
      details: { runs: 1 },
    }),
  ]);
});

test("a run that comes twice, or late, adds nothing; runs of one canary may come together", async () => {
  const [first, second] = [
    run("2026-01-01T10:00:00Z", 1),
    run("2026-01-01T10:05:00Z", 0, "web: no"),
  ];
  await write(second, first);
  await write(first);
  await write(second);
  expect(await history()).toMatchObject([
    { status: "FAILED", success_count: 1, error_count: 1, details: { runs: 2 } },
  ]);
});

test("a canary shows its last run, and the job history its name", async () => {
  await write(run("2026-01-01T10:00:00Z", 0, "web: no"), run("2026-01-01T11:30:00Z", 1, "db: no"));
  expect(
    await database.db.first(sql`
      select job_name, job_status, job_success_count, job_error_count, job_resource_type, job_time_start, job_last_failed
        from canaries_with_status where id = ${canary}`),
  ).toEqual({
    job_name: "Canary",
    job_status: "WARNING",
    job_success_count: 1,
    job_error_count: 1,
    job_resource_type: "canary",
    job_time_start: new Date("2026-01-01T11:30:00Z"),
    job_last_failed: new Date("2026-01-01T10:00:00Z"),
  });
  expect(
    await database.db.rows(sql`
      select distinct h.resource_name = c.name as named from job_histories h, canaries c where c.id = ${canary}`),
  ).toEqual([{ named: true }]);
});

test("that a run failed is not forgotten when one of the same hour passes after it", async () => {
  await write(run("2026-01-01T10:00:00Z", 0, "web: no"), run("2026-01-01T10:01:00Z", 0, "web: no"));
  await write(run("2026-01-01T10:02:00Z", 0, "web: no"), run("2026-01-01T10:03:00Z", 1, "db: no"));
  await write(run("2026-01-01T10:04:00Z", 2));
  expect(
    await database.db.first(sql`
      select job_status, job_error_count, job_last_failed from canaries_with_status where id = ${canary}`),
  ).toEqual({
    job_status: "SUCCESS",
    job_error_count: 4,
    job_last_failed: new Date("2026-01-01T10:02:00Z"),
  });
});

test("what nobody could tell anything of is no run; what failed says why", () => {
  expect(runOf(canary, [])).toBeUndefined();
  const result = (time: string, pass: boolean, error?: string) => ({
    checkId: "x",
    time: new Date(time),
    durationMs: 100,
    pass,
    invalid: false,
    failuresNeeded: 1,
    successesNeeded: 1,
    ...(error === undefined ? {} : { error }),
  });
  expect(
    runOf(canary, [
      { name: "web", result: result("2026-01-01T10:00:01Z", true) },
      { name: "db", result: result("2026-01-01T10:00:00Z", false, "away\0") },
    ]),
  ).toEqual({
    canaryId: canary,
    startedAt: new Date("2026-01-01T10:00:00Z"),
    endedAt: new Date("2026-01-01T10:00:01.100Z"),
    passed: 1,
    failed: 1,
    untried: 0,
    errors: [expect.stringMatching(/^db: away/)],
  });
  const lost = { ...result("2026-01-01T10:00:00Z", false, "no way out"), untried: true };
  const run = { passed: 0, failed: 0, untried: 1, errors: ["db: no way out"] };
  expect(runOf(canary, [{ name: "db", result: lost }])).toMatchObject(run);
});

test("a run that could not try all of its targets is no success and no failure", async () => {
  await write({ ...run("2026-01-01T10:00:00Z", 1), untried: 1, errors: ["db: no way out"] });
  expect(await history()).toMatchObject([
    {
      status: "WARNING",
      success_count: 1,
      error_count: 0,
      details: { errors: ["db: no way out"] },
    },
  ]);
  await write({ ...run("2026-01-01T10:05:00Z", 0, "web: no"), untried: 1 });
  expect(await history()).toMatchObject([{ status: "WARNING", success_count: 1, error_count: 1 }]);
});

test("good hours of before yesterday go, but never the last one, nor the bad ones", async () => {
  await write(run("2026-01-01T10:00:00Z", 1), run("2026-01-01T11:00:00Z", 0, "web: no"));
  await write(run("2026-01-01T12:00:00Z", 1), run("2026-01-01T13:00:00Z", 1));
  await write(run("2026-01-01T08:00:00Z", 0, "web: no"), run("2026-01-01T08:01:00Z", 1));
  const job = retentionJobs.find(({ name }) => name === "CleanupCanaryRuns")!;
  const ctx = {
    db: database.db,
    signal: new AbortController().signal,
    progress: async () => undefined,
  };
  expect(await job.run(ctx as never)).toMatchObject({ successes: 2 });
  expect((await history()).map(({ status, error_count }) => [status, error_count])).toEqual([
    ["SUCCESS", 1],
    ["FAILED", 1],
    ["SUCCESS", 0],
  ]);
});
