import { latencyError } from "@mainstay/contract";
import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../../testing/app.ts";
import { readTime } from "./read-range.ts";
import { makeRunCheck, type Run, writeRuns } from "./testing/written-runs.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
});
afterAll(() => app.stop());

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

let made = 0;
const makeCheck = (labels: Record<string, string> = {}) => makeRunCheck(app, labels);
const write = (id: string, runs: readonly Run[]) => writeRuns(app, id, runs);

/** Repeatable numbers that look like chance. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** What the range holds by looking at every run. `from` and `to` are on the steps of the range. */
function bruteForce(runs: readonly Run[], from: number, to: number) {
  const inside = runs.filter((run) => run.time >= from && run.time < to);
  const sorted = inside.map((run) => run.duration).toSorted((a, b) => a - b);
  const percentile = (p: number) => sorted[Math.max(0, Math.ceil(p * sorted.length - 1e-9) - 1)];
  return {
    passed: inside.filter((run) => run.pass).length,
    failed: inside.filter((run) => !run.pass).length,
    p95: percentile(0.95),
    p99: percentile(0.99),
  };
}

const summaryOf = async (id: string, query: string) => {
  const reply = await app.admin.get(`/api/canary/api/summary?${query}`);
  expect(reply.status, reply.text).toBe(200);
  return reply.json.checks_summary.find((item: { id: string }) => item.id === id);
};

test("any range says what looking at every run says", async () => {
  const random = chance(7);
  const { id } = await makeCheck();
  const now = Date.now();
  const runs: Run[] = [];
  // From often to rare, with gaps: the last hours, days, weeks and a year.
  for (const [from, to, every] of [
    [3 * hour, 0, 2 * minute],
    [3 * day, 3 * hour, 47 * minute],
    [40 * day, 3 * day, 9 * hour],
    [260 * day, 40 * day, 5 * day],
  ] as const) {
    for (let age = from; age > to; age -= every * (0.5 + random())) {
      if (random() < 0.15) age -= 3 * every;
      runs.push({
        time: Math.floor(now - age),
        duration: Math.floor(2 ** (random() * 14)),
        pass: random() > 0.2,
      });
    }
  }
  runs.sort((a, b) => a.time - b.time);
  const past = runs.filter((run) => run.time < now);
  await write(id, past);
  const floor = (ms: number, step: number) => Math.floor(ms / step) * step;
  const ceil = (ms: number, step: number) => Math.ceil(ms / step) * step;
  // Times and not ages: what an age means changes while the test runs.
  const cases: [from: number, to: number | undefined, step: number][] = [
    [15 * minute, undefined, 5 * minute],
    [hour, undefined, 5 * minute],
    [6 * hour, undefined, 5 * minute],
    [day, undefined, 5 * minute],
    [2 * day, undefined, hour],
    [7 * day, undefined, hour],
    [60 * day, undefined, hour],
    [200 * day, undefined, day],
    [3 * hour, hour, 5 * minute],
    [10 * day, 3 * day, hour],
  ];
  for (const [from, to, step] of cases) {
    const iso = (age: number) => new Date(now - age).toISOString();
    const query = `start=${iso(from)}${to === undefined ? "" : `&end=${iso(to)}`}`;
    const shown = await summaryOf(id, query);
    const expected = bruteForce(
      past,
      floor(now - from, step),
      to === undefined ? Number.POSITIVE_INFINITY : ceil(now - to, step),
    );
    expect({ query, passed: shown.uptime.passed, failed: shown.uptime.failed }).toEqual({
      query,
      passed: expected.passed,
      failed: expected.failed,
    });
    for (const p of ["p95", "p99"] as const) {
      expect(Math.abs(shown.latency[p] - expected[p]!), `${query} ${p}`).toBeLessThanOrEqual(
        expected[p]! * latencyError + 0.5,
      );
    }
  }
  // Everything that is kept: no run is older than its snapshots.
  const all = await summaryOf(id, "start=5y");
  expect(all.uptime.passed + all.uptime.failed).toBe(past.length);
  const meanSince = (since: number) => {
    const inside = past.filter((run) => run.time >= since);
    return Math.round(inside.reduce((sum, run) => sum + run.duration, 0) / inside.length);
  };
  // The last hour may have moved on by a step while the test ran.
  const hourAgo = floor(now - hour, 5 * minute);
  expect([meanSince(hourAgo), meanSince(hourAgo + 5 * minute)]).toContain(
    (await summaryOf(id, "start=1w")).latency.rolling1h,
  );
});

test.each([
  ["now-17m", undefined, 5 * minute],
  ["now-3d", undefined, hour],
  ["now-100d", undefined, day],
  ["now-2h", "now-61m", 5 * minute],
])("the answer for %s to %s names the whole steps that it counted", async (start, end, step) => {
  const asked = end === undefined ? `start=${start}` : `start=${start}&end=${end}`;
  const before = Date.now();
  const { range } = (await app.admin.get(`/api/canary/api/summary?${asked}`)).json;
  const after = Date.now();
  const [from, to] = [Date.parse(range.start), Date.parse(range.end)];
  expect(from % step).toBe(0);
  const wanted = (text: string, now: number) => readTime(text, new Date(now)).getTime();
  expect(from).toBeLessThanOrEqual(wanted(start, after));
  expect(from).toBeGreaterThan(wanted(start, before) - step);
  if (end === undefined) return expect(range).not.toHaveProperty("end");
  expect(to % step).toBe(0);
  expect(to).toBeGreaterThanOrEqual(wanted(end, before));
  expect(to).toBeLessThan(wanted(end, after) + step);
});

test("a check of the summary has every field that the health page reads", async () => {
  const { id, canaryId } = await makeCheck({ team: "blue" });
  const time = Date.now() - minute;
  await write(id, [{ time, duration: 25, pass: false }]);
  const shown = await summaryOf(id, "start=1h");
  expect(shown).toEqual({
    id,
    latency_limit: 60_000,
    canary_id: canaryId,
    canary_name: expect.stringMatching(/^s\d+$/),
    canary_namespace: "default",
    agent_id: "00000000-0000-0000-0000-000000000000",
    name: "t",
    namespace: "default",
    type: "tcp",
    endpoint: "localhost:1",
    labels: { team: "blue" },
    created_at: expect.any(String),
    updated_at: expect.any(String),
    status: "unhealthy",
    last_runtime: new Date(time).toISOString(),
    last_transition_time: expect.any(String),
    uptime: { passed: 0, failed: 1, last_fail: new Date(time).toISOString() },
    latency: { p95: 25, p97: 25, p99: 25, rolling1h: 25 },
    recent: [[time, 25, 0]],
  });
});

test("a check that has not run is there and claims nothing", async () => {
  const { id } = await makeCheck();
  expect(await summaryOf(id, "start=1d")).toMatchObject({
    status: "unknown",
    uptime: { passed: 0, failed: 0 },
    latency: { rolling1h: 0 },
    recent: [],
  });
});

test("a check that is held says what was known last, why it is not run, and nothing where it never ran", async () => {
  const canary = async (spec: object) => {
    const reply = await app.admin.post(
      "/api/db/canaries",
      { name: `held${++made}`, spec },
      { prefer: "return=representation" },
    );
    return reply.json[0].id as string;
  };
  const checks = (canaryId: string) =>
    app.db.rows<{ id: string }>(
      sql`select id from checks where canary_id = ${canaryId} order by name`,
    );
  const runs = (elsewhere?: object) => ({
    schedule: "@never",
    tcp: ["a", "b", "c"].map((name) => ({ name, endpoint: "localhost:1" })),
    ...elsewhere,
  });
  const canaryId = await canary(runs());
  const [passed, failed, never] = (await checks(canaryId)).map(({ id }) => id);
  await write(passed!, [{ time: Date.now() - minute, duration: 1, pass: true }]);
  await write(failed!, [{ time: Date.now() - minute, duration: 1, pass: false }]);
  await app.admin.patch(`/api/db/canaries?id=eq.${canaryId}`, {
    spec: runs({ agentSelector: ["away"] }),
  });
  const held = expect.stringContaining("run on agents") as string;
  expect(await summaryOf(passed!, "start=1h")).toMatchObject({
    status: "healthy",
    held,
    message: held,
  });
  expect(await summaryOf(failed!, "start=1h")).toMatchObject({
    status: "unhealthy",
    held,
    message: held,
  });
  const shown = await summaryOf(never!, "start=1h");
  expect(shown).toMatchObject({ held, message: held, uptime: { passed: 0, failed: 0 } });
  expect(shown).not.toHaveProperty("status");
  // Rows know three states.
  const rows = await app.admin.get(`/api/db/checks?canary_id=eq.${canaryId}&select=status`);
  expect(rows.json).toEqual([{ status: "unknown" }, { status: "unknown" }, { status: "unknown" }]);
  await app.admin.patch(`/api/db/canaries?id=eq.${canaryId}`, { spec: runs() });
  const free = await summaryOf(passed!, "start=1h");
  expect(free).toMatchObject({ status: "unknown" });
  expect(free).not.toHaveProperty("held");
});

describe("what has not changed is not sent again", () => {
  const path = "/api/canary/api/summary?start=3h";
  test("until a result, a document or the range changes", async () => {
    const { id, canaryId } = await makeCheck();
    const first = await app.admin.get(path);
    const etag = first.headers.get("etag")!;
    expect(etag).toMatch(/^W\/"/);
    const again = await app.admin.get(path, { "if-none-match": etag });
    expect([again.status, again.text]).toEqual([304, ""]);
    expect(
      (await app.admin.get(path, { "if-none-match": `"other", ${etag.slice(2)}` })).status,
    ).toBe(304);
    expect((await app.admin.get(`${path}&end=now-1h`, { "if-none-match": etag })).status).toBe(200);
    await write(id, [{ time: Date.now(), duration: 1, pass: true }]);
    const changed = await app.admin.get(path, { "if-none-match": etag });
    expect(changed.status).toBe(200);
    const later = changed.headers.get("etag")!;
    await app.admin.patch(`/api/db/canaries?id=eq.${canaryId}`, { labels: { a: "b" } });
    const edited = await app.admin.get(path, { "if-none-match": later });
    expect(edited.status).toBe(200);
    expect(
      edited.json.checks_summary.find((item: { id: string }) => item.id === id).labels,
    ).toEqual({ a: "b" });
  });

  test("and a deleted check is gone", async () => {
    const { id, canaryId } = await makeCheck();
    await app.admin.patch(`/api/db/canaries?id=eq.${canaryId}`, { deleted_at: "now()" });
    expect(await summaryOf(id, "start=3h")).toBeUndefined();
  });
});

test.each(["start=yesterday", "start=99", "start=now-1h&end=now-2h", `start=${"1".repeat(60)}m`])(
  "%s is refused",
  async (query) => {
    const reply = await app.admin.get(`/api/canary/api/summary?${query}`);
    expect(reply.status).toBe(400);
    expect(reply.json.error).toBeTruthy();
  },
);

test("nobody reads it without a session; with POST it is the same", async () => {
  expect((await app.nobody.get("/api/canary/api/summary")).status).toBe(401);
  expect((await app.admin.post("/api/canary/api/summary", {})).json.checks_summary).toBeInstanceOf(
    Array,
  );
});

describe("the rows behind the check dialog", () => {
  test("H2, H4 and H5 answer with what the console reads", async () => {
    const { id, canaryId } = await makeCheck();
    const now = Date.now();
    await write(id, [
      { time: now - 3000, duration: 5, pass: true },
      { time: now - 2000, duration: 500, pass: false },
      { time: now - 1000, duration: 700, pass: true },
    ]);
    const check = await app.admin.get(
      `/api/db/checks?id=eq.${id}&select=*,canaries!checks_canary_id_fkey(id,name,source),agents!checks_agent_id_fkey(id, name),components:check_component_relationships(components(id,name,icon)),configs:check_config_relationships(configs(id,name,type))`,
    );
    expect(check.status, check.text).toBe(200);
    expect(check.json[0]).toMatchObject({
      id,
      status: "healthy",
      spec: { endpoint: "localhost:1" },
      canaries: { id: canaryId, source: null },
      agents: { name: "local" },
      components: [],
      configs: [],
    });
    const since = new Date(now - hour).toISOString();
    const history = (more: string) =>
      app.admin.get(
        `/api/db/check_statuses?check_id=eq.${id}&time=gt.${since}&order=time.desc&limit=2&offset=0${more}`,
        {
          prefer: "count=exact",
        },
      );
    const all = await history("");
    expect(all.headers.get("content-range")).toBe("0-1/3");
    expect(all.json.map((row: { duration: number }) => row.duration)).toEqual([700, 500]);
    expect((await history("&status=eq.0")).json).toMatchObject([{ status: false, duration: 500 }]);
    expect((await history("&status=eq.1&duration=gte.100")).json).toMatchObject([
      { status: true, duration: 700 },
    ]);
    const canary = await app.admin.get(
      `/api/db/canaries?id=eq.${canaryId}&select=id,source,spec,name,namespace`,
    );
    expect(canary.json).toMatchObject([{ id: canaryId, spec: { schedule: "@never" } }]);
    const list = await app.admin.get(
      "/api/db/canaries_with_status?select=*,created_by(id,name,avatar)&deleted_at=is.null&order=created_at.desc&limit=100",
    );
    expect(list.status, list.text).toBe(200);
    expect(list.json.find((row: { id: string }) => row.id === canaryId)).toMatchObject({
      agent: { name: "local" },
      schedule: "@never",
      interval: null,
      updated_at: expect.any(String),
    });
  });

  test.each([
    [{ schedule: "@hourly" }, "@hourly", null],
    [{ interval: 40 }, "@every 40s", "40"],
    [{}, "@every 5m", null],
    [{ interval: 40, replicas: 0 }, "@never", "40"],
  ])("a list of canaries shows when each really runs: %j", async (timing, schedule, interval) => {
    const spec = { ...timing, tcp: [{ name: "t", endpoint: "localhost:1" }] };
    const made = await app.admin.post(
      "/api/db/canaries",
      { name: `w${schedule}${interval}`, spec },
      { prefer: "return=representation" },
    );
    const reply = await app.admin.get(
      `/api/db/canaries_with_status?id=eq.${made.json[0].id}&select=schedule,interval`,
    );
    expect(reply.json).toEqual([{ schedule, interval }]);
  });

  test.each([
    "check_statuses_5m",
    "check_statuses_1h",
    "check_statuses_1d",
    "check_names",
    "check_labels",
    "check_summary",
    "check_status_summary_hour",
    "check_summary_for_config",
    "check_summary_by_component",
    "check_summary_by_config",
    "checks_by_component",
    "checks_by_config",
    "config_items",
    "configs",
    "components",
  ])("%s can be read", async (name) => {
    const reply = await app.admin.get(`/api/db/${name}?limit=1`);
    expect(reply.status, reply.text).toBe(200);
  });
});

test("about, health and schemas", async () => {
  expect((await app.nobody.get("/api/canary/about")).status).toBe(401);
  expect((await app.admin.get("/api/canary/about")).json).toMatchObject({
    Version: expect.any(String),
    Timestamp: expect.any(String),
  });
  expect((await app.nobody.get("/api/canary/health")).text).toBe("OK");
  expect(
    (await app.admin.get("/api/schemas/canary.spec.schema.json")).json.properties.http,
  ).toBeDefined();
  expect(
    (await app.admin.get("/api/schemas/health_http.schema.json")).json.properties.url,
  ).toBeDefined();
  expect((await app.admin.get("/api/schemas/nothing.json")).status).toBe(404);
});
