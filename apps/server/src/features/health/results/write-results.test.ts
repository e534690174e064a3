import { percentiles, since } from "@mainstay/contract";
import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLog } from "#platform/log.ts";
import { testDatabase } from "../../../testing/app.ts";
import { readCounts } from "../summary/range-totals.ts";
import { type CheckResult, checkResult } from "./check-result.ts";
import { recentJson } from "./recent-runs.ts";
import { writeResults } from "./write-results.ts";

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  database = await testDatabase();
  createLog("silent");
});
afterAll(() => database.drop());

let made = 0;
async function makeCheck(): Promise<string> {
  const { db } = database;
  const canary = await db.first<{ id: string }>(sql`
    insert into canaries (name, namespace, spec, source) values (${`c${++made}`}, 'default', '{}', 'test') returning id`);
  const check = await db.first<{ id: string }>(sql`
    insert into checks (canary_id, type, name) values (${canary!.id}, 'http', 'x') returning id`);
  return check!.id;
}

const result = (
  checkId: string,
  time: string,
  pass: boolean,
  more: Partial<CheckResult> = {},
): CheckResult => ({
  checkId,
  time: new Date(time),
  durationMs: 10,
  pass,
  invalid: false,
  failuresNeeded: 1,
  successesNeeded: 1,
  ...more,
});
const write = (...results: CheckResult[]) =>
  database.db.transaction((tx) => writeResults(tx, results));
const events = async (checkId: string) =>
  (
    await database.db.rows<{ name: string }>(sql`
      select name from event_queue where properties ->> 'id' = ${checkId} order by created_at, id`)
  ).map((row) => row.name);

test("what comes of a check that was deleted while it ran is dropped, and nobody hears of it", async () => {
  const check = await makeCheck();
  expect(await write(result(check, "2026-01-01T10:00:00Z", true))).toBe(1);
  await database.db.run(sql`update checks set deleted_at = now() where id = ${check}`);
  expect(await write(result(check, "2026-01-01T10:01:00Z", false))).toBe(0);
  expect(await events(check)).toEqual([]);
  expect(await database.db.first(sql`select status from checks where id = ${check}`)).toEqual({
    status: "healthy",
  });
});

describe("a state changes only when its threshold is reached", () => {
  const cases: [string, { failures?: number; successes?: number }, string, string[], string[]][] = [
    ["a first pass is no transition", {}, "P", ["healthy"], []],
    ["a first failure is heard of", {}, "F", ["unhealthy"], ["check.failed"]],
    [
      "each turn is one event",
      {},
      "PPFFP",
      ["healthy", "healthy", "unhealthy", "unhealthy", "healthy"],
      ["check.failed", "check.passed"],
    ],
    [
      "three failures in a row",
      { failures: 3 },
      "PFFPFFF",
      ["healthy", "healthy", "healthy", "healthy", "healthy", "healthy", "unhealthy"],
      ["check.failed"],
    ],
    [
      "two passes in a row",
      { successes: 2 },
      "FPFPP",
      ["unhealthy", "unhealthy", "unhealthy", "unhealthy", "healthy"],
      ["check.failed", "check.passed"],
    ],
    [
      "not known until the threshold",
      { failures: 2, successes: 2 },
      "PFPP",
      ["none", "none", "none", "healthy"],
      [],
    ],
    ["what could not be tried is no failure", {}, "??", ["unknown", "unknown"], []],
    ["unknown in between is no turn", {}, "P?P", ["healthy", "unknown", "healthy"], []],
    [
      "what could not be tried does not end a streak",
      { failures: 2 },
      "PF?F",
      ["healthy", "healthy", "unknown", "unhealthy"],
      ["check.failed"],
    ],
    [
      "a turn across unknown is one",
      {},
      "P?F",
      ["healthy", "unknown", "unhealthy"],
      ["check.failed"],
    ],
  ];
  test.each(cases)("%s", async (_, thresholds, runs, states, raised) => {
    const id = await makeCheck();
    const seen: string[] = [];
    for (const [index, run] of runs.split("").entries()) {
      const time = `2026-03-01T00:00:${String(index).padStart(2, "0")}Z`;
      await write(
        result(id, time, run === "P", {
          untried: run === "?",
          failuresNeeded: thresholds.failures ?? 1,
          successesNeeded: thresholds.successes ?? 1,
        }),
      );
      const row = await database.db.first<{ status: string | null }>(
        sql`select status from checks where id = ${id}`,
      );
      seen.push(row?.status ?? "none");
    }
    expect(seen).toEqual(states);
    expect(await events(id)).toEqual(raised);
  });
});

test("a run that could not try its target is kept with its reason, and counts neither way", async () => {
  const id = await makeCheck();
  const more = { durationMs: 4_000, error: "ping is not installed on this machine" };
  await write(result(id, "2026-03-01T09:59:00Z", false, { ...more, untried: true }));
  await write(result(id, "2026-03-01T10:00:00Z", true));
  await write(result(id, "2026-03-01T10:01:00Z", false, { ...more, untried: true }));
  const totals = await database.db.first(sql`
    select passed, failed, duration, latency, streak, streak_passed, untried, last_time = ${"2026-03-01T10:01:00Z"} as is_last,
           last_fail, recent, settled
      from check_totals where check_id = ${id}`);
  expect(totals).toMatchObject({
    passed: 1,
    failed: 0,
    duration: 10,
    streak: 1,
    streak_passed: true,
    untried: more.error,
    is_last: true,
    last_fail: null,
    settled: true,
  });
  const { latency, recent } = totals as { latency: number[]; recent: string };
  expect(latency.reduce((sum, count) => sum + count, 0)).toBe(1);
  expect(JSON.parse(recentJson(recent))).toEqual([
    [Date.parse("2026-03-01T09:59:00Z"), 4_000, 2],
    [Date.parse("2026-03-01T10:00:00Z"), 10, 1],
    [Date.parse("2026-03-01T10:01:00Z"), 4_000, 2],
  ]);
  const rows = await database.db.rows(
    sql`select status, error from check_statuses where check_id = ${id} order by time`,
  );
  const untried = { status: null, error: more.error };
  expect(rows).toEqual([untried, { status: true, error: null }, untried]);
  const [hour] = await database.db.rows(
    sql`select total, passed, failed from check_statuses_1h where check_id = ${id} and created_at = ${"2026-03-01T10:00:00Z"}`,
  );
  expect(hour).toEqual({ total: 1, passed: 1, failed: 0 });
  // The reason goes with the next run that could try.
  await write(result(id, "2026-03-01T10:02:00Z", false));
  expect(
    await database.db.first(sql`select untried, failed from check_totals where check_id = ${id}`),
  ).toEqual({ untried: null, failed: 1 });
  expect(await events(id)).toEqual(["check.failed"]);
});

test("a result that is written twice counts once", async () => {
  const id = await makeCheck();
  const once = result(id, "2026-03-01T10:00:00Z", true);
  await write(once);
  await write(once);
  const totals = await database.db.first(
    sql`select passed, failed, streak from check_totals where check_id = ${id}`,
  );
  expect(totals).toEqual({ passed: 1, failed: 0, streak: 1 });
});

test("results of checks that have gone are dropped and hold up nothing", async () => {
  const id = await makeCheck();
  const gone = "00000000-0000-4000-8000-000000000001";
  expect(
    await write(
      result(gone, "2026-03-01T10:00:00Z", true),
      result(id, "2026-03-01T10:00:00Z", true),
    ),
  ).toBe(1);
});

test("texts that PostgreSQL cannot hold are stored as far as they can be", async () => {
  const id = await makeCheck();
  await write(
    checkResult({
      ...result(id, "2026-03-01T10:00:00Z", false),
      nextAt: undefined,
      message: "a\0b\uD800",
      error: "x".repeat(200_000),
      details: { text: "nul \0 and half \uDC00", deep: { list: ["\0"] } },
    }),
  );
  const row = await database.db.first<{ message: string; length: number; details: unknown }>(sql`
    select message, length(error) as length, details from check_statuses where check_id = ${id}`);
  expect(row).toEqual({
    message: "a\uFFFDb\uFFFD",
    length: 131_072,
    details: { text: "nul \uFFFD and half \uFFFD", deep: { list: ["\uFFFD"] } },
  });
});

test("the strip keeps the last thirty runs, oldest first", async () => {
  const id = await makeCheck();
  const start = Date.parse("2026-03-01T10:00:00Z");
  for (let run = 0; run < 35; run++) {
    await write(
      result(id, new Date(start + run * 1000).toISOString(), run % 2 === 0, {
        durationMs: run * 1000,
      }),
    );
  }
  const row = await database.db.first<{ recent: string }>(
    sql`select recent from check_totals where check_id = ${id}`,
  );
  const recent = JSON.parse(recentJson(row!.recent)) as [number, number, number][];
  expect(recent).toHaveLength(30);
  expect(recent[0]).toEqual([start + 5000, 5000, 0]);
  expect(recent.at(-1)).toEqual([start + 34_000, 34_000, 1]);
});

test("the totals of a check are what its rows add up to", async () => {
  const id = await makeCheck();
  const start = Date.parse("2026-03-02T22:00:00Z");
  const durations: number[] = [];
  let failed = 0;
  for (let run = 0; run < 200; run++) {
    // A deterministic spread over several orders of magnitude.
    const durationMs = Math.round(2 ** (((run * 37) % 140) / 10));
    const pass = run % 7 !== 0;
    durations.push(durationMs);
    if (!pass) failed += 1;
    await write(result(id, new Date(start + run * 61_000).toISOString(), pass, { durationMs }));
  }
  const row = await database.db.first<Record<string, never>>(sql`
    select passed, failed, duration, array_to_string(latency, ',', '') as latency, array_lower(latency, 1) as first
      from check_totals where check_id = ${id}`);
  expect(row).toMatchObject({
    passed: 200 - failed,
    failed,
    duration: durations.reduce((sum, ms) => sum + ms, 0),
  });
  const counts = readCounts(row!.latency!, row!.first!);
  expect(
    since(counts, { first: 1, counts: [] }).counts.reduce((sum, count) => sum + count, 0),
  ).toBe(200);
  const sorted = durations.toSorted((a, b) => a - b);
  const [p50, p95, p99] = percentiles(counts, [0.5, 0.95, 0.99])!;
  for (const [found, p] of [
    [p50!, 0.5],
    [p95!, 0.95],
    [p99!, 0.99],
  ] as const) {
    const exact = sorted[Math.ceil(p * 200) - 1]!;
    expect(Math.abs(found - exact)).toBeLessThanOrEqual(exact / 64 + 0.5);
  }
  // The views over the snapshots agree with the rows, hour by hour.
  const hours = await database.db.rows(sql`
    select created_at, total, passed, failed, duration from check_statuses_1h where check_id = ${id} order by 1`);
  const expected = await database.db.rows(sql`
    select date_trunc('hour', time) as created_at, count(*)::int as total, count(*) filter (where status)::int as passed,
           count(*) filter (where not status)::int as failed, sum(duration)::bigint as duration
      from check_statuses where check_id = ${id} group by 1 order by 1`);
  expect(hours).toEqual(expected);
  expect(hours.length).toBeGreaterThan(3);
});

test("a clock that jumps an hour ahead and back loses nothing and goes on being counted", async () => {
  const id = await makeCheck();
  const times = ["10:01", "10:06", "11:07", "11:12", "10:13", "10:21", "10:26"];
  for (const time of times) await write(result(id, `2026-03-05T${time}:00Z`, true));
  const totals = await database.db.first(sql`
    select passed, (select count(*) from check_statuses where check_id = ${id}) as rows from check_totals where check_id = ${id}`);
  expect(totals).toEqual({ passed: times.length, rows: times.length });
  const steps = await database.db.rows<{ time: Date; passed: number }>(sql`
    select time, passed from check_totals_5m where check_id = ${id} order by time`);
  expect(steps.map((step) => [step.time.toISOString().slice(11, 16), step.passed])).toEqual([
    ["10:00", 0],
    ["10:05", 1],
    ["10:10", 4],
    ["10:20", 5],
    ["10:25", 6],
    ["11:05", 2],
    ["11:10", 3],
  ]);
  const check = await database.db.first<{ last: Date; status: string }>(sql`
    select last_runtime as last, status from checks where id = ${id}`);
  expect(check).toEqual({ last: new Date("2026-03-05T10:26:00Z"), status: "healthy" });
});
