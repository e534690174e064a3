import sql from "sql-template-tag";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { ScheduledJob } from "./job.ts";
import { createScheduledJobs } from "./scheduled-jobs.ts";
import { createScheduler } from "./schedules.ts";
import { eventually } from "./testing/eventually.ts";
import { createTestParts, type OwnedTestParts } from "./testing/database.ts";
import { createWorkerRegistry } from "./worker-registry.ts";

let parts: OwnedTestParts;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  parts = await createTestParts();
});
afterAll(() => parts.close());
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await parts.owner.raw("truncate workers, schedules, job_history");
});

const job = (
  name: string,
  run: ScheduledJob["run"],
  more: Partial<ScheduledJob> = {},
): ScheduledJob => ({
  name,
  schedule: "@every 1h",
  timeoutMs: 10_000,
  retention: "balanced",
  atStart: true,
  run,
  ...more,
});

async function start(...jobs: ScheduledJob[]): Promise<void> {
  const workers = createWorkerRegistry({ ...parts, beatMs: 100 });
  const scheduled = createScheduledJobs({ ...parts, jobs });
  const scheduler = createScheduler({
    ...parts,
    workers,
    kinds: [scheduled.kind],
    stopGraceMs: 100,
  });
  await workers.start();
  await scheduled.sync();
  await scheduler.start();
  stops.push(async () => {
    await scheduler.stop();
    await workers.stop();
  });
}

const history = (name: string) =>
  parts.db.rows<{
    status: string;
    success_count: number;
    error_count: number;
    details: { errors?: string[] } | null;
  }>(sql`select * from job_history where name = ${name} order by created_at, id`);
const again = (name: string) =>
  parts.db.run(sql`update schedules set next_at = now() where key = ${name}`);

test.each([
  ["SUCCESS", { successes: 2, errors: [] }, { success_count: 2, error_count: 0 }],
  [
    "WARNING",
    { successes: 1, errors: ["one of two"] },
    { success_count: 1, error_count: 1, details: { errors: ["one of two"] } },
  ],
  [
    "FAILED",
    { successes: 0, errors: ["both"] },
    { success_count: 0, error_count: 1, details: { errors: ["both"] } },
  ],
])("a run that ends in %s says so in the history", async (status, report, row) => {
  await start(job("Report", async () => report));
  await eventually(async () => expect(await history("Report")).toMatchObject([{ status, ...row }]));
});

test("a run is RUNNING while it runs, and FAILED with its message when it throws", async () => {
  const open = Promise.withResolvers<never>();
  await start(job("Throw", () => open.promise));
  await eventually(async () =>
    expect(await history("Throw")).toMatchObject([{ status: "RUNNING" }]),
  );
  open.reject(new Error("the table is gone"));
  await eventually(async () =>
    expect(await history("Throw")).toMatchObject([
      { status: "FAILED", details: { errors: ["the table is gone"] } },
    ]),
  );
});

test("a run that takes too long is stopped and has failed", async () => {
  await start(
    job(
      "Slow",
      (ctx) =>
        new Promise((_, reject) =>
          ctx.signal.addEventListener("abort", () => reject(new Error("interrupted"))),
        ),
      {
        timeoutMs: 50,
      },
    ),
  );
  await eventually(async () =>
    expect(await history("Slow")).toMatchObject([
      {
        status: "FAILED",
        details: { errors: ["Slow did not finish within 50 ms and was stopped."] },
      },
    ]),
  );
});

test("a long job does not hold up those that came due with it", async () => {
  const open = Promise.withResolvers<void>();
  let runs = 0;
  await start(
    job("Long", async () => {
      await open.promise;
      return { successes: 1, errors: [] };
    }),
    job("Short", async () => ({ successes: ++runs, errors: [] }), { schedule: "@every 1s" }),
  );
  await eventually(() => expect(runs).toBeGreaterThanOrEqual(2));
  open.resolve();
});

test("a slot that comes while the run before it still goes is SKIPPED", async () => {
  const open = Promise.withResolvers<void>();
  await start(
    job(
      "Long",
      async () => {
        await open.promise;
        return { successes: 1, errors: [] };
      },
      { schedule: "@every 1s" },
    ),
  );
  await eventually(async () =>
    expect((await history("Long")).map((row) => row.status)).toContain("SKIPPED"),
  );
  expect((await history("Long")).filter((row) => row.status === "RUNNING")).toHaveLength(1);
  open.resolve();
});

test("of each outcome as many rows stay as the job says", async () => {
  let runs = 0;
  let broken = false;
  await start(
    job(
      "Kept",
      async () => {
        runs++;
        return broken ? { successes: 0, errors: ["broken"] } : { successes: 1, errors: [] };
      },
      { retention: "few" },
    ),
  );
  for (let n = 1; n <= 6; n++) {
    await eventually(async () => {
      expect(runs).toBe(n);
      expect(
        await parts.db.rows(sql`select key from schedules where claimed_by is not null`),
      ).toEqual([]);
    });
    broken = n >= 2;
    if (n < 6) await again("Kept");
  }
  expect((await history("Kept")).map((row) => row.status)).toEqual([
    "SUCCESS",
    "FAILED",
    "FAILED",
    "FAILED",
  ]);
});

test("the list decides what is scheduled: what left it is gone, what changed is changed", async () => {
  const done = async () => ({ successes: 1, errors: [] });
  const rows = () =>
    parts.db.rows(sql`select key, schedule, time_zone from schedules order by key`);
  const sync = (...jobs: ScheduledJob[]) => createScheduledJobs({ ...parts, jobs }).sync();
  await sync(job("A", done), job("B", done, { schedule: "0 3 * * *", timeZone: "Europe/Berlin" }));
  expect(await rows()).toEqual([
    { key: "A", schedule: "@every 1h", time_zone: null },
    { key: "B", schedule: "0 3 * * *", time_zone: "Europe/Berlin" },
  ]);
  await Promise.all([1, 2, 3].map(() => sync(job("A", done, { schedule: "@every 2h" }))));
  expect(await rows()).toEqual([{ key: "A", schedule: "@every 2h", time_zone: null }]);
});

test("a name that is declared twice stops the start", () => {
  const twice = job("Twice", async () => ({ successes: 1, errors: [] }));
  expect(() => createScheduledJobs({ ...parts, jobs: [twice, twice] })).toThrow(
    "The scheduled job Twice is declared twice.",
  );
});
