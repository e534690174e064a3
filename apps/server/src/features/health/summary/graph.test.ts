import { type HealthGraph, latencyError } from "@mainstay/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../../testing/app.ts";
import { makeRunCheck, type Run, writeRuns } from "./testing/written-runs.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
});
afterAll(() => app.stop());

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const makeCheck = () => makeRunCheck(app);
const write = (id: string, runs: readonly Run[]) => writeRuns(app, id, runs);
const iso = (time: number) => new Date(time).toISOString();
const graphOf = async (id: string, query: string) => {
  const reply = await app.admin.get(`/api/canary/api/graph?check=${id}&${query}`);
  expect(reply.status, reply.text).toBe(200);
  return reply.json as HealthGraph;
};

describe("the graph", () => {
  test("has a point only where something ran, and says false when it failed", async () => {
    const { id } = await makeCheck();
    const base = Math.floor((Date.now() - hour) / (15 * minute)) * 15 * minute;
    await write(id, [
      { time: base + 1000, duration: 10, pass: true },
      { time: base + 2000, duration: 21, pass: false },
      { time: base + 20 * minute, duration: 30, pass: true },
    ]);
    const reply = await app.admin.get(`/api/canary/api/graph?check=${id}&start=2h&count=300`);
    expect(reply.status, reply.text).toBe(200);
    expect(reply.json.status).toEqual([
      {
        time: new Date(base).toISOString(),
        status: false,
        duration: 16,
        passed: 1,
        failed: 1,
        p95: 21,
        max: 21,
      },
      {
        time: new Date(base + 20 * minute).toISOString(),
        status: true,
        duration: 30,
        passed: 1,
        failed: 0,
        p95: 30,
        max: 30,
      },
    ]);
    expect(reply.json).toMatchObject({
      uptime: { passed: 2, failed: 1 },
      latency: { p95: 30, p97: 30, p99: 30 },
    });
  });

  test.each([
    ["2h", 2 * hour, minute],
    ["12h", 12 * hour, 15 * minute],
    ["6d", 6 * day, hour],
    ["4w", 28 * day, 4 * hour],
    ["6mo", 180 * day, 4 * hour],
  ])(
    "of %s counts every run of the range once, in steps of the contract",
    async (start, length, window) => {
      const { id } = await makeCheck();
      const now = Date.now();
      const runs = Array.from({ length: 60 }, (_, index) => ({
        time: Math.floor(now - (length * (index + 0.5)) / 61),
        duration: 10,
        pass: index % 3 > 0,
      })).toSorted((a, b) => a.time - b.time);
      await write(id, runs);
      const { status: points } = (
        await app.admin.get(`/api/canary/api/graph?check=${id}&start=${start}&count=2000`)
      ).json as {
        status: { time: string; passed: number; failed: number }[];
      };
      expect(points.reduce((sum, point) => sum + point.passed + point.failed, 0)).toBe(60);
      const [last] = points.slice(-1);
      expect(Date.parse(last!.time)).toBeLessThanOrEqual(Date.now());
      const whole = points.filter((point) => Date.parse(point.time) % window === 0);
      // The last would lie ahead of its runs' window more often than not.
      expect(points.length - whole.length).toBeLessThanOrEqual(whole.includes(last!) ? 0 : 1);
      const few = (await app.admin.get(`/api/canary/api/graph?check=${id}&start=${start}&count=10`))
        .json.status;
      expect(few.length).toBeLessThanOrEqual(10);
    },
  );

  test("never shows a point ahead of the moment or of its range", async () => {
    const { id } = await makeCheck();
    const now = Date.now();
    await write(id, [{ time: now - 1000, duration: 10, pass: true }]);
    const pointsOf = async (range: string) => {
      const reply = await app.admin.get(`/api/canary/api/graph?check=${id}&${range}`);
      return (reply.json.status as { time: string }[]).map(({ time }) => Date.parse(time));
    };
    // Of as many widths, some window is past its middle.
    for (const count of [2, 3, 5, 7, 11, 13, 300]) {
      for (const start of ["1h", "1d", "2w", "1y"]) {
        const points = await pointsOf(`start=${start}&count=${count}`);
        expect(points.length, `${start} ${count}`).toBe(1);
        expect(points[0], `${start} ${count}`).toBeLessThanOrEqual(Date.now());
      }
    }
    const end = new Date(now - 500).toISOString();
    expect((await pointsOf(`start=15m&end=${end}`)).every((time) => time <= now - 500)).toBe(true);
  });

  test("of a check that does not exist is not found", async () => {
    expect(
      (await app.admin.get("/api/canary/api/graph?check=00000000-0000-4000-8000-000000000000"))
        .status,
    ).toBe(404);
    expect((await app.admin.get("/api/canary/api/graph?check=x")).status).toBe(400);
  });
});

describe("header, chart and list", () => {
  /** What the list of runs finds in the range that the graph names. */
  async function listed(id: string, { start, end }: HealthGraph["range"], status: string) {
    const reply = await app.admin.get(
      `/api/db/check_statuses?check_id=eq.${id}&time=gte.${start}&time=lte.${end}${status}&limit=1`,
      { prefer: "count=exact" },
    );
    return Number(reply.headers.get("content-range")?.split("/")[1]);
  }
  async function compare(id: string, query: string) {
    const graph = await graphOf(id, query);
    const sum = (of: "passed" | "failed") => graph.status.reduce((all, one) => all + one[of], 0);
    const counts = {
      header: [graph.uptime.passed, graph.uptime.failed],
      chart: [sum("passed"), sum("failed")],
      list: [
        await listed(id, graph.range, "&status=eq.1"),
        await listed(id, graph.range, "&status=eq.0"),
      ],
    };
    expect(counts, query).toEqual({ header: counts.list, chart: counts.list, list: counts.list });
    return { graph, counts: counts.list };
  }
  /** Runs just outside, on and just inside of both edges, and some between them. */
  const planted = (from: number, to: number): Run[] =>
    [from - 1, from, from + 1, from + (to - from) / 3, to - 1, to, to + 1].map((time, index) => ({
      time: Math.round(time),
      duration: 10 * (index + 1),
      pass: index % 2 === 0,
    }));

  test.each([
    ["five minutes", 5 * minute, 7 * minute + 7],
    ["an hour", hour, 2 * hour + 11 * minute + 13],
    ["a day", day, 26 * hour],
    ["a day and a bit", day + hour, 2 * day + 17],
    ["a week", 7 * day, 8 * day + 1],
    ["a month", 28 * day, 29 * day + 19 * minute],
  ])("agree to the millisecond on %s", async (_name, length, age) => {
    const { id } = await makeCheck();
    const now = Date.now();
    const [from, to] = [now - age, now - age + length];
    await write(id, planted(from, to));
    const { graph, counts } = await compare(id, `start=${iso(from)}&end=${iso(to)}`);
    expect(graph.range).toEqual({ start: iso(from), end: iso(to) });
    expect(counts).toEqual([2, 3]);
    expect(graph.latency.p99).toBe(60);
  });

  test("agree on a range that goes on, also with a run that has come since it was asked", async () => {
    const { id } = await makeCheck();
    const now = Date.now();
    await write(id, [
      { time: now - 5 * minute - 2_000, duration: 1, pass: false },
      { time: now - 4 * minute, duration: 2, pass: true },
      { time: now - 10, duration: 3, pass: false, error: "answered 500" },
    ]);
    const { graph, counts } = await compare(id, "start=5m");
    expect(counts).toEqual([1, 1]);
    expect(Date.parse(graph.range.end) - Date.parse(graph.range.start)).toBe(5 * minute);
    await write(id, [{ time: Date.now() + 1_000, duration: 3, pass: true }]);
    expect(await listed(id, graph.range, "")).toBe(2);
    for (const start of ["2h", "2d", "3w"]) await compare(id, `start=${start}`);
  });

  test("before single runs are kept the range begins with a step, and says so", async () => {
    const { id } = await makeCheck();
    const now = Date.now();
    const old = Math.floor((now - 40 * day) / hour) * hour;
    await write(id, [
      { time: old - 1, duration: 1, pass: true },
      { time: old + 5, duration: 1, pass: true },
      { time: now - hour, duration: 1, pass: false },
    ]);
    const graph = await graphOf(id, `start=${iso(old + 20 * minute)}&runs=300`);
    expect(graph.range.start).toBe(iso(old));
    expect(graph.uptime).toEqual({ passed: 1, failed: 1 });
    expect(now - Date.parse(graph.runsSince!)).toBeLessThanOrEqual(30 * day);
    expect(graph).not.toHaveProperty("runs");
    // Of a check that is younger than what is kept everything is there.
    expect((await graphOf(id, "start=5y")).uptime).toEqual({ passed: 2, failed: 1 });
    expect(Date.parse((await graphOf(id, "start=5y")).range.start)).toBeLessThan(now - 1_800 * day);
  });
});

describe("what is known now", () => {
  const second = 1_000;
  test("of a check that never ran, and of one that is held", async () => {
    const { id, canaryId } = await makeCheck();
    expect((await graphOf(id, "start=1h")).now).toEqual({
      status: "unknown",
      endpoint: "localhost:1",
    });
    await app.admin.patch(`/api/db/canaries?id=eq.${canaryId}`, {
      spec: { agentSelector: ["away"], tcp: [{ name: "t", endpoint: "localhost:1" }] },
    });
    expect((await graphOf(id, "start=1h")).now).toMatchObject({
      status: "unknown",
      held: expect.stringContaining("run on agents"),
    });
  });

  test("of one that is paused, whatever it said last", async () => {
    const { id, canaryId } = await makeCheck();
    const ran = { time: Date.now() - 90 * second, duration: 5, pass: false, error: "gone" };
    await write(id, [ran]);
    await app.admin.patch(`/api/db/canaries?id=eq.${canaryId}`, {
      annotations: { paused: "true" },
    });
    expect((await graphOf(id, "start=1h")).now).toMatchObject({
      status: "unknown",
      paused: true,
      passed: false,
      message: "gone",
    });
  });

  test("since when it has ended as it last did, with what that said", async () => {
    const { id } = await makeCheck();
    const now = Date.now();
    const at = (age: number, pass: boolean, error?: string) => ({
      time: now - age * second,
      duration: 5,
      pass,
      ...(error && { error }),
    });
    await write(id, [at(90, true), at(80, false, "a"), at(70, false, "answered 500")]);
    expect((await graphOf(id, "start=1h")).now).toMatchObject({
      status: "unhealthy",
      passed: false,
      since: iso(now - 80 * second),
      message: "answered 500",
      last_runtime: iso(now - 70 * second),
    });
    await write(id, [at(60, true)]);
    await write(id, [at(50, true)]);
    expect((await graphOf(id, "start=1h")).now).toMatchObject({
      status: "healthy",
      passed: true,
      since: iso(now - 60 * second),
      // The same moment, not the one at which it was written down.
      last_transition_time: iso(now - 60 * second),
    });
  });

  test("runs that are too few to change the state", async () => {
    const { id, canaryId } = await makeCheck();
    const now = Date.now();
    await write(id, [{ time: now - 3 * second, duration: 1, pass: true }]);
    await app.admin.patch(`/api/db/canaries?id=eq.${canaryId}`, {
      spec: {
        schedule: "@never",
        consecutiveFailures: 3,
        tcp: [{ name: "t", endpoint: "localhost:1" }],
      },
    });
    const failing = { duration: 1, pass: false, failuresNeeded: 3 };
    await write(id, [
      { ...failing, time: now - 2 * second },
      { ...failing, time: now - second },
    ]);
    const { now: known, uptime } = await graphOf(id, "start=1h");
    expect(known).toMatchObject({
      status: "healthy",
      passed: false,
      streak: { passed: false, runs: 2, needed: 3 },
    });
    expect(uptime).toEqual({ passed: 1, failed: 2 });
  });
});

describe("what a chart is drawn of", () => {
  test("single runs with what they said, while they are no more than asked for", async () => {
    const { id } = await makeCheck();
    const now = Date.now();
    await write(id, [
      { time: now - 3_000, duration: 5, pass: true },
      { time: now - 2_000, duration: 700, pass: false, error: "x".repeat(1_000) },
    ]);
    expect((await graphOf(id, "start=1h")).runs).toBeUndefined();
    const { runs } = await graphOf(id, "start=1h&runs=2");
    expect(runs).toEqual([
      { time: iso(now - 3_000), status: true, duration: 5 },
      { time: iso(now - 2_000), status: false, duration: 700, message: "x".repeat(300) },
    ]);
    expect((await graphOf(id, "start=1h&runs=1")).runs).toBeUndefined();
  });

  test.each([
    ["runs", hour],
    ["snapshots", 5 * day],
  ])("of %s: counts, mean, p95 to max, and what the last failure said", async (_name, age) => {
    const { id } = await makeCheck();
    const base = Math.floor((Date.now() - age) / hour) * hour - 20 * minute;
    const runs = Array.from({ length: 40 }, (_, index) => ({
      time: base + index * 100,
      duration: index === 39 ? 4_000 : 100,
      pass: index !== 20 && index !== 30,
      ...(index === 20 && { error: "answered 500" }),
      ...(index === 30 && { error: "answered 503" }),
    }));
    await write(id, runs);
    const { status } = await graphOf(id, `start=${age === hour ? "12h" : "6d"}`);
    const [point, ...others] = status;
    expect(others).toEqual([]);
    expect(point).toMatchObject({ passed: 38, failed: 2, duration: 198, message: "answered 503" });
    expect(Math.abs(point!.p95 / 100 - 1)).toBeLessThan(latencyError);
    expect(Math.abs(point!.max / 4_000 - 1)).toBeLessThan(latencyError);
  });
});
