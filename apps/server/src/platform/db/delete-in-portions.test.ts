import sql from "sql-template-tag";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { testDatabase } from "../../testing/app.ts";
import { recordRun } from "../jobs/history.ts";
import type { Progress } from "../jobs/job.ts";
import type { Database } from "./database.ts";
import type { Ctx } from "../context.ts";
import { cleanupJob, deleteInPortions } from "./delete-in-portions.ts";

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.db.run(sql`delete from job_history`);
  await database.db.run(sql`
    insert into job_history (name, error_count) select 'row', n from generate_series(1, 25) n`);
});

const left = async () =>
  (
    await database.db.first<{ n: number }>(
      sql`select count(*) as n from job_history where name = 'row'`,
    )
  )?.n;

/** The database with a look at each portion. */
function counting(portions: number[], after?: () => void): Database {
  return {
    ...database.db,
    async run(statement) {
      const count = await database.db.run(statement);
      portions.push(count);
      after?.();
      return count;
    },
  };
}

const deletion = { table: "job_history", where: sql`name = 'row'`, portion: 10, pauseMs: 0 };
const running = new AbortController().signal;

test("what is meant goes in portions, and each of them is told", async () => {
  const portions: number[] = [];
  const told: Progress[] = [];
  const deleted = await deleteInPortions(
    { db: counting(portions), signal: running, progress: async (said) => void told.push(said) },
    { ...deletion, where: sql`name = 'row' and error_count <= ${22}` },
  );
  expect({ deleted, portions, left: await left() }).toEqual({
    deleted: 22,
    portions: [10, 10, 2],
    left: 3,
  });
  expect(told).toEqual([
    { successes: 10, details: { deleted: 10 } },
    { successes: 20, details: { deleted: 20 } },
  ]);
});

test("a job of several deletions does one after the other, and tells of all of them how far it is", async () => {
  const portions: number[] = [];
  const told: Progress[] = [];
  const ctx = {
    db: counting(portions),
    signal: running,
    progress: async (said: Progress) => void told.push(said),
  };
  const job = cleanupJob("Cleanup", "@daily", () => ({
    few: { ...deletion, where: sql`name = 'row' and error_count <= 3` },
    many: { ...deletion, where: sql`name = 'row' and error_count <= 15` },
  }));
  expect(await job.run(ctx as Ctx)).toEqual({
    successes: 15,
    errors: [],
    details: { few: 3, many: 12 },
  });
  expect(portions).toEqual([3, 10, 2]);
  expect(told).toEqual([{ successes: 13, details: { few: 3, many: 10 } }]);
});

test("a run that is told to stop keeps what it has done, and its history says how much that was", async () => {
  const stop = new AbortController();
  const run = recordRun(database.db, { name: "Cleanup", retention: "few" }, async (progress) => {
    const db = counting([], () => stop.abort(new Error("The server is stopping.")));
    const successes = await deleteInPortions({ db, signal: stop.signal, progress }, deletion);
    return { successes, errors: [] };
  });
  await expect(run).rejects.toThrow();
  expect(await left()).toBe(15);
  expect(
    await database.db.first(sql`
      select status, success_count, error_count, details - 'errors' as details from job_history where name = 'Cleanup'`),
  ).toEqual({ status: "WARNING", success_count: 10, error_count: 1, details: { deleted: 10 } });
});

test("a row that somebody holds is left to the next run, and nobody waits", async () => {
  await database.db.transaction(async (tx) => {
    await tx.rows(sql`select from job_history where name = 'row' and error_count = 1 for update`);
    const deleted = await deleteInPortions(
      { db: database.db, signal: running, progress: async () => undefined },
      deletion,
    );
    expect(deleted).toBe(24);
  });
  expect(await left()).toBe(1);
});

test("how far a run has come is in its history while it runs", async () => {
  const open = Promise.withResolvers<void>();
  const said = Promise.withResolvers<void>();
  const run = recordRun(database.db, { name: "Long", retention: "few" }, async (progress) => {
    await progress({ successes: 7, details: { deleted: 7 } });
    said.resolve();
    await open.promise;
    return { successes: 9, errors: [] };
  });
  await said.promise;
  const state = () =>
    database.db.first(
      sql`select status, success_count, details from job_history where name = 'Long'`,
    );
  expect(await state()).toEqual({ status: "RUNNING", success_count: 7, details: { deleted: 7 } });
  open.resolve();
  await run;
  expect(await state()).toEqual({ status: "SUCCESS", success_count: 9, details: null });
});
