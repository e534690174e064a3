import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startTestApp, type TestApp } from "../../../../testing/app.ts";
import { receivedCall } from "../../received-call.ts";
import { tryCheck } from "../testing/try-check.ts";
import { judgeWebhook, webhook } from "./webhook.ts";

const at = (seconds: number) => new Date(1_800_000_000_000 + seconds * 1000);

describe("judging", () => {
  const headers = { "content-type": "application/json" };

  test("nothing has come yet", () => {
    expect(judgeWebhook({ since: at(0), now: at(60) })).toEqual({
      pass: true,
      message: "waiting for the first call",
      isWaiting: true,
    });
  });

  test("a call with JSON, and one with something else", () => {
    const calls = { since: at(0), now: at(61) };
    const json = { build: { ok: true } };
    const one = judgeWebhook({ ...calls, kept: { at: at(1), call: { headers, json } } });
    expect(one).toMatchObject({ pass: true, message: "called 1m ago" });
    expect(one.details).toEqual({ headers, json, lastCall: at(1).toISOString() });
    expect(one.data?.()).toEqual({ results: { headers, json }, headers, json, content: "" });
    const other = judgeWebhook({ ...calls, kept: { at: at(61), call: { headers, content: "x" } } });
    expect(other.data?.()).toMatchObject({ results: { content: "x" }, json: {}, content: "x" });
  });

  test("it is not run by itself", async () => {
    expect(await tryCheck(webhook, {})).toMatchObject({ pass: false, invalid: true });
  });
});

test.each<[string, Record<string, string>, unknown, object]>([
  ["JSON", { "content-type": "application/json" }, '{"a":1}', { json: { a: 1 } }],
  ["JSON of a kind", { "content-type": "application/vnd.x+json" }, "[1]", { json: [1] }],
  ["no JSON though it says so", { "content-type": "application/json" }, "{", { content: "{" }],
  ["a form", { "content-type": "text/plain" }, "a=1", { content: "a=1" }],
  ["nothing", {}, undefined, { content: "" }],
  [
    "JSON that nests without end",
    { "content-type": "application/json" },
    "[".repeat(1000),
    { content: "[".repeat(1000) },
  ],
])("a call with %s", (_name, headers, body, expected) => {
  expect(receivedCall(headers, body)).toMatchObject(expected);
});

test("headers that may carry credentials are not kept", () => {
  const { headers } = receivedCall(
    {
      authorization: "Bearer x",
      cookie: "a=b",
      "webhook-token": "x",
      "x-hub-signature-256": "x",
      "x-github-event": "push",
      "user-agent": "GitHub-Hookshot",
      "x-long": "y".repeat(5000),
    },
    "",
  );
  expect(Object.keys(headers)).toEqual(["x-github-event", "user-agent", "x-long"]);
  expect(headers["x-long"]).toHaveLength(1000);
});

describe("on a server", () => {
  const token = "a-token-of-my-own";
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.stop());
  const save = async (name: string, spec: object) => {
    const reply = await app.admin.post(
      "/api/db/canaries",
      { name, namespace: "test", spec },
      { prefer: "return=representation" },
    );
    return { status: reply.status, text: reply.text, id: reply.json?.[0]?.id as string };
  };
  const last = (id: string) =>
    app.db.first<{ message: string; error: string; details: object; status: boolean }>(sql`
      select s.message, s.error, s.details, s.status from check_statuses s join checks c on c.id = s.check_id
       where c.canary_id = ${id} order by s.time desc limit 1`);
  const until = (work: () => Promise<void>) => vi.waitFor(work, { timeout: 15_000, interval: 25 });

  test("what a call brings is judged at once, whatever the schedule", async () => {
    const { id, status, text } = await save("hook", {
      schedule: "@never",
      webhook: { name: "builds", token: { value: token } },
    });
    expect(status, text).toBe(201);
    const body = { build: 7, note: "nothing\u0000here" };
    const reply = await app.nobody.post(`/api/canary/webhook/builds?token=${token}`, body);
    expect([reply.status, reply.json]).toEqual([200, { message: "ok" }]);
    await until(async () => {
      expect(await last(id)).toMatchObject({ status: true, details: { json: { build: 7 } } });
    });
    const again = { "webhook-token": token, "x-github-event": "push" };
    expect((await app.nobody.post("/api/canary/webhook/builds", { build: 8 }, again)).status).toBe(
      200,
    );
    await until(async () => {
      const row = await last(id);
      expect(row?.details).toMatchObject({ json: { build: 8 } });
      expect(row?.details).toMatchObject({ headers: { "x-github-event": "push" } });
      expect(JSON.stringify(row)).not.toContain(token);
    });
    expect((await app.nobody.post(`/api/canary/beat/${token}`, { build: 9 })).status).toBe(200);
    await until(async () => {
      expect((await last(id))?.details).toMatchObject({ json: { build: 9 } });
    });
  });

  test("a test of the document fails what a call brings", async () => {
    const own = `${token}-3`;
    const { id, status, text } = await save("judged", {
      schedule: "@never",
      webhook: { name: "deploys", token: { value: own }, test: { expr: "json.state == 'done'" } },
    });
    expect(status, text).toBe(201);
    const call = (state: string) =>
      app.nobody.post(`/api/canary/webhook/deploys?token=${own}`, { state });
    expect((await call("broken")).status).toBe(200);
    await until(async () => expect(await last(id)).toMatchObject({ status: false }));
    expect((await call("done")).status).toBe(200);
    await until(async () => expect(await last(id)).toMatchObject({ status: true }));
  });

  test("wrong tokens and names are not told apart", async () => {
    const replies = await Promise.all([
      app.nobody.post("/api/canary/webhook/builds?token=another-token-of-mine", {}),
      app.nobody.post("/api/canary/webhook/builds", {}),
      app.nobody.post(`/api/canary/webhook/none?token=${token}`, {}),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
  });

  test("a body that is too large, and one that is no JSON", async () => {
    const address = `/api/canary/webhook/builds?token=${token}`;
    expect((await app.nobody.post(address, "x".repeat(2_000_000))).status).toBe(413);
  });

  test("its token is sealed, and must be long enough", async () => {
    const short = await save("short", { webhook: { name: "a", token: "short" } });
    expect(short.status).toBe(400);
    expect(short.text).toContain("The token has 5 characters");
    const row = await app.db.first<{ spec: object }>(
      sql`select spec from canaries where name = 'hook' and deleted_at is null`,
    );
    expect(JSON.stringify(row)).not.toContain(token);
  });

  test("a paused document is not judged", async () => {
    const { id } = await save("paused", {
      schedule: "@never",
      replicas: 0,
      webhook: { name: "quiet", token: { value: `${token}-2` } },
    });
    expect((await app.nobody.post(`/api/canary/beat/${token}-2`, {})).status).toBe(200);
    const due = await app.db.first(
      sql`select 1 from schedules where key = ${id} and next_at is not null`,
    );
    expect(due).toBeUndefined();
  });
});
