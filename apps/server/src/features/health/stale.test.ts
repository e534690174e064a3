import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createPerson } from "../../testing/people.ts";
import { startTestApp, type TestApp } from "../../testing/app.ts";
import { checkResult } from "./results/check-result.ts";
import { markOverdue } from "./results/mark-overdue.ts";
import { GRACE_MS } from "./results/result-due.ts";
import { touchVersion, writeResults } from "./results/write-results.ts";

/**
 * Nothing runs checks here: this server only answers. What its readers see must not depend on anybody being alive.
 */

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
});
afterAll(() => app.stop());

const second = 1_000;
const minute = 60 * second;
let made = 0;

async function save(spec: object, more: object = {}): Promise<{ canaryId: string; id: string }> {
  const reply = await app.admin.post(
    "/api/db/canaries",
    { name: `stale-${++made}`, namespace: "test", spec, ...more },
    { prefer: "return=representation" },
  );
  expect(reply.status, reply.text).toBe(201);
  const canaryId = reply.json[0].id as string;
  const check = await app.db.first<{ id: string }>(
    sql`select id from checks where canary_id = ${canaryId} order by name limit 1`,
  );
  return { canaryId, id: check!.id };
}
const tcp = (more: object = {}) => ({ tcp: [{ name: "t", endpoint: "localhost:1", ...more }] });

/** What a worker leaves: a result `ageMs` old, the next of which was due `dueInMs` from now. */
async function leave(
  id: string,
  {
    pass = true,
    ageMs = 0,
    dueInMs = minute,
  }: { pass?: boolean; ageMs?: number; dueInMs?: number | undefined },
): Promise<void> {
  const { now } = (await app.db.first<{ now: Date }>(sql`select now() as now`))!;
  const result = checkResult({
    checkId: id,
    time: new Date(now.getTime() - ageMs),
    durationMs: 5,
    pass,
    failuresNeeded: 1,
    successesNeeded: 1,
    nextAt: undefined,
  });
  await app.db.transaction(async (tx) => {
    await writeResults(tx, [{ ...result, dueAt: new Date(now.getTime() + dueInMs) }]);
    await touchVersion(tx, "test");
  });
}
const summaryOf = async (id: string) => {
  const reply = await app.admin.get("/api/canary/api/summary");
  return reply.json.checks_summary.find((check: { id: string }) => check.id === id);
};
const stored = async (id: string) =>
  (await app.db.first<{ status: string | null; result_due: Date | null }>(
    sql`select status, result_due from checks where id = ${id}`,
  ))!;
/** The server marks now and then by itself; whoever comes second leaves the row alone. */
const marked = (id: string, expected: object) =>
  vi.waitFor(async () => {
    await markOverdue(app.db);
    expect(await stored(id)).toMatchObject(expected);
  });
const eventsOf = async (id: string) =>
  (
    await app.db.rows<{ name: string }>(
      sql`select name from event_queue where properties ->> 'id' = ${id} order by created_at`,
    )
  ).map((row) => row.name);

describe("a check whose result is overdue is unknown to every reader", () => {
  test.each([true, false])("whatever its last result was: %s", async (pass) => {
    const { id } = await save({ interval: 10, ...tcp() });
    await leave(id, { pass, ageMs: 40 * second, dueInMs: -5 * second });
    const expected = { status: "unknown", message: expect.stringMatching(/^no result for 4\d s$/) };
    expect(await summaryOf(id)).toMatchObject(expected);
    const graph = await app.admin.get(`/api/canary/api/graph?check=${id}`);
    expect(graph.json.stale).toEqual({
      since: expect.any(String),
      message: expect.stringMatching(/^no result for 4\d s$/),
    });
    const viewer = await createPerson(app, "viewer");
    for (const view of ["check_summary", "check_names"]) {
      const reply = await viewer.get(`/api/db/${view}?id=eq.${id}&select=status`);
      expect([view, reply.json]).toEqual([view, [{ status: "unknown" }]]);
      expect((await app.nobody.get(`/api/db/${view}?id=eq.${id}`)).status).toBe(401);
    }
    for (const search of ["status=unknown", "health=unknown"]) {
      const reply = await viewer.post("/api/resources/search", { checks: [{ id, search }] });
      expect([search, reply.json.checks?.length]).toEqual([search, 1]);
    }
    const found = await viewer.post("/api/resources/search", {
      checks: [{ id, statuses: ["healthy", "unhealthy"] }],
    });
    expect(found.json.checks).toEqual([]);
  });

  test("also among the checks of components and configs, and in their totals", async () => {
    const { id, canaryId } = await save({ interval: 10, ...tcp() });
    await leave(id, { dueInMs: -second });
    const other = "00000000-0000-4000-8000-00000000c0de";
    await app.db.run(sql`
      insert into components (id, external_id, name, status) values (${other}, 'c', 'c', 'healthy')`);
    await app.db.run(sql`
      insert into config_items (id, config_class, type, name) values (${other}, 'c', 'c', 'c')`);
    await app.db.run(sql`
      insert into check_component_relationships (component_id, check_id, canary_id) values (${other}, ${id}, ${canaryId})`);
    await app.db.run(sql`
      insert into check_config_relationships (config_id, check_id, canary_id) values (${other}, ${id}, ${canaryId})`);
    const read = async (view: string, column: string) =>
      (await app.admin.get(`/api/db/${view}?${column}=eq.${other}`)).json[0];
    expect(await read("checks_by_component", "component_id")).toMatchObject({ status: "unknown" });
    expect(await read("checks_by_config", "config_id")).toMatchObject({ status: "unknown" });
    expect(await read("check_summary_for_config", "config_id")).toMatchObject({
      status: "unknown",
    });
    expect(await read("check_summary_by_component", "component_id")).toMatchObject({
      checks: { unknown: 1 },
    });
    expect(await read("check_summary_by_config", "config_id")).toMatchObject({
      checks: { unknown: 1 },
    });
  });

  test("without anything being written: the answer that was current is not, when the time has come", async () => {
    const { id } = await save({ interval: 10, ...tcp() });
    await leave(id, { dueInMs: 1_500 });
    const first = await app.admin.get("/api/canary/api/summary");
    const tag = { "if-none-match": first.headers.get("etag")! };
    const statusIn = (reply: typeof first) =>
      reply.json.checks_summary.find((check: { id: string }) => check.id === id).status as string;
    expect(statusIn(first)).toBe("healthy");
    await vi.waitFor(
      async () => {
        const again = await app.admin.get("/api/canary/api/summary", tag);
        expect(again.status).toBe(200);
        expect(statusIn(again)).toBe("unknown");
      },
      { timeout: 10_000, interval: 100 },
    );
  });

  test("an answer stays current as long as nothing is written and nothing becomes overdue", async () => {
    await app.db.run(
      sql`update checks set result_due = null where result_due < now() + interval '1 min'`,
    );
    // What was marked a moment ago may still be on its way.
    await vi.waitFor(async () => {
      const first = await app.admin.get("/api/canary/api/summary");
      const again = await app.admin.get("/api/canary/api/summary", {
        "if-none-match": first.headers.get("etag")!,
      });
      expect(again.status).toBe(304);
    });
  });
});

describe("what is not due is not overdue", () => {
  test("a check that has not run yet is waited for", async () => {
    const { id } = await save({ interval: 1, ...tcp() });
    await app.db.run(sql`update schedules set next_at = now() - interval '1 hour'`);
    const shown = await summaryOf(id);
    expect([shown.status, shown.message, shown.result_due]).toEqual([
      "unknown",
      undefined,
      undefined,
    ]);
  });

  const cases: [string, object, object, number | undefined][] = [
    [
      "an interval, with the time that a check has without saying",
      { interval: 10, ...tcp() },
      {},
      10 * second,
    ],
    ["a long interval", { interval: 3600, ...tcp() }, {}, minute],
    ["cron", { schedule: "0 0 1 1 *", ...tcp() }, {}, minute],
    ["a timeout of its own", { interval: 30, ...tcp({ timeout: "10m" }) }, {}, 10 * minute],
    ["the document's timeout", { interval: 30, timeout: "2m", ...tcp() }, {}, 2 * minute],
    ["never", { schedule: "@never", ...tcp() }, {}, undefined],
    ["paused", { interval: 10, replicas: 0, ...tcp() }, {}, undefined],
    ["suspended", { interval: 10, ...tcp() }, { annotations: { suspend: "true" } }, undefined],
    ["held", { interval: 10, agentSelector: ["away"], ...tcp() }, {}, undefined],
  ];
  test.each(cases)("%s", async (_, spec, more, allowance) => {
    const { id, canaryId } = await save({ interval: 5, ...tcp() });
    await leave(id, { dueInMs: minute });
    await app.db.run(sql`delete from schedules where key = ${canaryId}`);
    const reply = await app.admin.patch(`/api/db/canaries?id=eq.${canaryId}`, { spec, ...more });
    expect(reply.status, reply.text).toBe(204);
    const row = await app.db.first<{ next_at: Date | null; due: Date | null }>(sql`
      select s.next_at, c.result_due as due from schedules s, checks c where s.key = ${canaryId} and c.id = ${id}`);
    if (allowance === undefined) expect(row?.due).toBeNull();
    else expect(row!.due!.getTime() - row!.next_at!.getTime()).toBe(allowance + GRACE_MS);
  });

  test("saving a document is no result: what is overdue stays so, until it is paused", async () => {
    const { id, canaryId } = await save({ interval: 10, ...tcp() });
    await leave(id, { dueInMs: -minute });
    const change = (spec: object) =>
      app.admin.patch(`/api/db/canaries?id=eq.${canaryId}`, { spec });
    await change({ interval: 20, ...tcp() });
    expect(await summaryOf(id)).toMatchObject({ message: expect.stringMatching(/^no result for/) });
    await change({ interval: 20, replicas: 0, ...tcp() });
    const shown = await summaryOf(id);
    expect([shown.message, shown.result_due]).toEqual([undefined, undefined]);
  });
});

describe("the table follows, without a word to anybody who counts transitions", () => {
  test("unknown once, no event, and the next result is like any after unknown", async () => {
    const { id } = await save({ interval: 10, ...tcp() });
    await leave(id, { pass: false, ageMs: minute, dueInMs: -second });
    expect(await eventsOf(id)).toEqual(["check.failed"]);
    await marked(id, { status: "unknown" });
    expect(await eventsOf(id)).toEqual(["check.failed"]);
    await leave(id, { pass: false });
    expect((await stored(id)).status).toBe("unhealthy");
    expect(await eventsOf(id)).toEqual(["check.failed"]);
    await leave(id, { pass: true });
    expect(await eventsOf(id)).toEqual(["check.failed", "check.passed"]);
  });

  test("by itself, on a server that runs no checks", async () => {
    const { id } = await save({ interval: 10, ...tcp() });
    await leave(id, { ageMs: minute, dueInMs: -second });
    await vi.waitFor(async () => expect((await stored(id)).status).toBe("unknown"), {
      timeout: 15_000,
    });
    const viewer = await createPerson(app, "viewer");
    expect((await viewer.get(`/api/db/checks?id=eq.${id}&select=status`)).json).toEqual([
      { status: "unknown" },
    ]);
  });

  test("what was paused while it ran is not overdue", async () => {
    const { id } = await save({ interval: 10, replicas: 0, ...tcp() });
    await leave(id, { dueInMs: -second });
    await marked(id, { status: "healthy", result_due: null });
  });

  test("a result below its threshold leaves unknown what had been overdue", async () => {
    const { id } = await save({ interval: 10, ...tcp() });
    await leave(id, { dueInMs: -second });
    const result = checkResult({
      checkId: id,
      time: new Date(),
      durationMs: 1,
      pass: false,
      failuresNeeded: 3,
      successesNeeded: 1,
      nextAt: undefined,
    });
    await app.db.transaction((tx) => writeResults(tx, [result]));
    expect((await stored(id)).status).toBe("unknown");
  });
});
