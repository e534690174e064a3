import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../../testing/app.ts";

let app: TestApp;
beforeAll(async () => {
  // Without a worker nothing is run: these tests are about what is stored.
  app = await startTestApp({ role: "api" });
});
afterAll(() => app.stop());

let made = 0;
const freshName = () => `doc-${++made}`;
const rowCount = async () =>
  (await app.db.first<{ count: number }>(sql`select count(*) as count from canaries`))!.count;
const post = (body: unknown) =>
  app.admin.post("/api/db/canaries", body, { prefer: "return=representation" });
const apply = (text: string, source?: string) =>
  app.admin.post("/api/canary/documents", { text, ...(source ? { source } : {}) });
const checksOf = (canaryId: string) =>
  app.db.rows<Record<string, unknown>>(sql`
    select id, type, name, namespace, description, icon, severity, labels, owner, spec, deleted_at is not null as deleted
      from checks where canary_id = ${canaryId} order by type, name`);
const scheduleOf = (id: string) =>
  app.db.first<{ schedule: string; due: boolean }>(sql`
    select schedule, next_at <= now() as due from schedules where kind = 'canary' and key = ${id}`);

const document = (name: string, spec: string) => `apiVersion: canaries.flanksource.com/v1
kind: Canary
metadata:
  name: ${name}
  namespace: shop
  labels:
    team: blue
spec:
${spec.replaceAll(/^/gm, "  ")}`;

describe("a document becomes checks", () => {
  test("with what they take over from it", async () => {
    const reply = await post({
      name: freshName(),
      labels: { app: "shop" },
      spec: {
        interval: 60,
        severity: "HIGH",
        icon: "globe",
        owner: "sam",
        http: [
          {
            name: "front",
            url: "https://example.org",
            description: "the shop",
            labels: { tier: "web" },
          },
        ],
        tcp: [{ name: "port", endpoint: "example.org:443", severity: "Low" }],
      },
    });
    expect(reply.status, reply.text).toBe(201);
    const [row] = reply.json;
    expect(row).toMatchObject({
      namespace: "default",
      source: null,
      spec: { severity: "high", tcp: [{ severity: "low" }] },
    });
    expect(row.created_by).toBeTypeOf("string");
    expect(await checksOf(row.id)).toMatchObject([
      {
        type: "http",
        name: "front",
        namespace: "default",
        description: "the shop",
        icon: "globe",
        severity: "high",
        owner: "sam",
        labels: { app: "shop", tier: "web", high: "true", sam: "true" },
      },
      {
        type: "tcp",
        name: "port",
        severity: "low",
        labels: { app: "shop", low: "true", sam: "true" },
      },
    ]);
    expect(await scheduleOf(row.id)).toEqual({ schedule: "@every 60s", due: true });
  });

  test("whose source stays as it was left out, and counts as the console's", async () => {
    const name = freshName();
    const spec = { tcp: [{ name: "p", endpoint: "localhost:1" }] };
    const [row] = (await post({ name, spec })).json;
    expect(row.source).toBeNull();
    for (const source of [undefined, null, "", "UI"])
      expect((await post({ name, spec, source })).status, String(source)).toBe(409);
    await expect(
      app.db.run(
        sql`insert into canaries (name, namespace, spec, source) values (${name}, 'default', '{}', 'UI')`,
      ),
    ).rejects.toThrow("canaries_identity");
    const text = document(name, "tcp: [{name: p, endpoint: localhost:2}]").replace(
      "shop",
      "default",
    );
    expect((await apply(text, "UI")).json.canaries).toMatchObject([
      { id: row.id, outcome: "updated" },
    ]);
    // From elsewhere it is another one, and says where it is changed.
    const [applied] = (await apply(text)).json.canaries;
    expect(applied).toMatchObject({ outcome: "created" });
    const kept = await app.admin.get(
      `/api/db/canaries?id=in.(${row.id},${applied.id})&select=source&order=created_at`,
    );
    expect(kept.json).toEqual([{ source: null }, { source: "a file, with mainstay apply" }]);
  });

  test.each([
    ["cron wins over interval", { schedule: "*/5 * * * *", interval: 10 }, "*/5 * * * *"],
    ["an interval counts seconds", { interval: 10 }, "@every 10s"],
    ["neither is every five minutes", {}, "@every 5m"],
    ["never is never", { schedule: "@never" }, "@never"],
    ["paused is never", { interval: 10, replicas: 0 }, "@never"],
  ])("%s", async (_, timing, schedule) => {
    const reply = await post({
      name: freshName(),
      spec: { ...timing, tcp: [{ name: "p", endpoint: "localhost:1" }] },
    });
    expect((await scheduleOf(reply.json[0].id))?.schedule).toBe(schedule);
  });

  test("and follows it: checks go, come back as they were, and keep what they have counted", async () => {
    const [row] = (
      await post({
        name: freshName(),
        spec: {
          tcp: [
            { name: "a", endpoint: "localhost:1" },
            { name: "b", endpoint: "localhost:2" },
          ],
        },
      })
    ).json;
    const [a, b] = await checksOf(row.id);
    const patch = (spec: object) =>
      app.admin.patch(
        `/api/db/canaries?id=eq.${row.id}`,
        { ...row, spec },
        { prefer: "return=representation" },
      );
    expect((await patch({ tcp: [{ name: "a", endpoint: "localhost:3" }] })).status).toBe(200);
    expect(await checksOf(row.id)).toMatchObject([
      { id: a!.id, deleted: false, spec: { endpoint: "localhost:3" } },
      { id: b!.id, deleted: true },
    ]);
    await patch({ tcp: [{ name: "b", endpoint: "localhost:2" }] });
    expect(await checksOf(row.id)).toMatchObject([
      { id: a!.id, deleted: true },
      { id: b!.id, deleted: false },
    ]);
  });

  test("and takes them along when it is deleted and when it is restored", async () => {
    const [row] = (
      await post({ name: freshName(), spec: { tcp: [{ name: "a", endpoint: "localhost:1" }] } })
    ).json;
    await app.admin.patch(`/api/db/canaries?id=eq.${row.id}`, { deleted_at: "now()" });
    expect(await checksOf(row.id)).toMatchObject([{ deleted: true }]);
    expect(await scheduleOf(row.id)).toBeUndefined();
    await app.admin.patch(`/api/db/canaries?id=eq.${row.id}`, { deleted_at: null });
    expect(await checksOf(row.id)).toMatchObject([{ deleted: false }]);
    expect(await scheduleOf(row.id)).toBeDefined();
  });

  test("a hard deletion leaves nothing", async () => {
    const [row] = (
      await post({ name: freshName(), spec: { tcp: [{ name: "a", endpoint: "localhost:1" }] } })
    ).json;
    expect((await app.admin.delete(`/api/db/canaries?id=eq.${row.id}`)).status).toBeLessThan(300);
    expect(await checksOf(row.id)).toEqual([]);
    expect(await scheduleOf(row.id)).toBeUndefined();
  });
});

describe("a bad document is refused whole, with the place of every error", () => {
  test("as a row", async () => {
    const before = await rowCount();
    const body = `{
  "name": "bad",
  "spec": {
    "interval": "often",
    "http": [
      { "name": "a", "url": "not an address" }
    ]
  }
}`;
    const reply = await post(body);
    expect(reply.status).toBe(400);
    expect(reply.json.issues).toEqual([
      expect.objectContaining({ path: "spec.interval", line: 4, column: 17 }),
      expect.objectContaining({ path: "spec.http.0.url", line: 6, column: 29 }),
    ]);
    expect(reply.json.message).toMatch(/line 4, column 17/i);
    expect(await rowCount()).toBe(before);
  });

  test("as one row of many: none is saved", async () => {
    const before = await rowCount();
    const reply = await post([
      { name: freshName(), spec: { tcp: [{ name: "a", endpoint: "localhost:1" }] } },
      { name: freshName(), spec: { tcp: [{ name: "a", endpoint: "nowhere" }] } },
    ]);
    expect(reply.status).toBe(400);
    expect(reply.json.issues).toEqual([
      expect.objectContaining({ path: "1.spec.tcp.0.endpoint", line: 1 }),
    ]);
    expect(await rowCount()).toBe(before);
  });

  test("as a text of several documents", async () => {
    const before = await rowCount();
    const good = document(freshName(), "tcp:\n  - name: a\n    endpoint: localhost:1");
    const bad = document(
      freshName(),
      "tcp:\n  - name: a\n    endpoint: nowhere\n  - thresholdMillis: 1",
    );
    const reply = await apply(`${good}\n---\n${bad}`);
    expect(reply.status).toBe(400);
    expect(reply.json.issues).toEqual([
      expect.objectContaining({ path: "spec.tcp.0.endpoint", line: 23 }),
      expect.objectContaining({ path: "spec.tcp.1.endpoint" }),
    ]);
    expect(await rowCount()).toBe(before);
  });

  test.each([
    ["no YAML", "a: [", /line/i],
    ["nothing", "", /no document/i],
    [
      "two of one name",
      `${document("twin", "tcp: []")}\n---\n${document("twin", "tcp: []")}`,
      /already the document/,
    ],
    [
      "a Secret alone",
      "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n",
      /kind Secret is not kept here/,
    ],
  ])("%s", async (_, text, message) => {
    const before = await rowCount();
    const reply = await apply(text);
    expect(reply.status).toBe(400);
    expect(reply.json.error).toMatch(message);
    expect(await rowCount()).toBe(before);
  });
});

test("a Secret beside a canary is skipped, and the answer says so", async () => {
  const secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {a: b}\n";
  const reply = await apply(`${secret}---\n${document("beside", "tcp: []")}`);
  expect(reply.json).toMatchObject({
    canaries: [{ name: "beside", outcome: "created" }],
    notices: [{ line: 2, path: "kind", message: expect.stringContaining("kind Secret") as string }],
  });
});

test("scripts of a check that is written without a list are judged, too", async () => {
  const webhook =
    "webhook: {name: a, token: {value: abcdefghijklmnopqrst}, transform: {expr: 'nothing('}}";
  const reply = await apply(document(freshName(), webhook));
  expect(reply.json).toMatchObject({ issues: [{ path: "spec.webhook.transform.expr" }] });
});

test("a script of a type that is only kept may call what nobody here knows", async () => {
  const pubsub =
    "pubsub:\n- {name: a, transform: {expr: 'results.map(r, gcp.incidents.toCheckResult(r))'}}";
  const reply = await apply(document(freshName(), pubsub));
  expect(reply.status, reply.text).toBe(200);
});

test("checks without a name, or with one name, are told apart and keep their rows", async () => {
  const name = freshName();
  const text = (port: number, first = "") =>
    document(
      name,
      `tcp:\n${first}- {name: a, namespace: x, endpoint: 'h:1'}\n- {name: a, namespace: y, endpoint: 'h:${port}'}\n- {endpoint: 'h:3'}\ndocker:\n- {image: 'a/b'}`,
    );
  const reply = await apply(text(1));
  const id = reply.json.canaries[0].id as string;
  const rows = async () =>
    new Map((await checksOf(id)).filter((row) => !row.deleted).map((row) => [row.name, row.id]));
  const before = await rows();
  expect(new Set(before.keys())).toEqual(new Set(["a", "a (y)", "a/b", "h:3"]));
  await apply(text(2, "- {endpoint: 'h:9'}\n"));
  const after = await rows();
  expect(after.size).toBe(5);
  for (const [each, row] of before) expect(after.get(each)).toBe(row);

  // As a version before this one stored it.
  await app.db.run(
    sql`update checks set name = 'docker-0' where canary_id = ${id} and type = 'docker'`,
  );
  await apply(text(3));
  expect((await rows()).get("a/b")).toBe(before.get("a/b"));
});

describe("input that is too much is refused in time", () => {
  const labels = Object.fromEntries(
    Array.from({ length: 100_000 }, (_, index) => [`label-${index}`, "x"]),
  );
  const nest = (depth: number): unknown => {
    let value: unknown = "x";
    for (let level = 0; level < depth; level++) value = { deeper: value };
    return value;
  };
  const deepText = `{"name":"deep","spec":{"tcp":[],"env":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}}}`;
  test.each([
    ["100,000 labels of a document", { name: "many", labels, spec: { tcp: [] } }, /labels/],
    [
      "100,000 labels of a check",
      { name: "many", spec: { tcp: [{ name: "a", endpoint: "h:1", labels }] } },
      /labels/,
    ],
    [
      "5,000 checks",
      {
        name: "many",
        spec: {
          tcp: Array.from({ length: 5000 }, (_, index) => ({ name: `c${index}`, endpoint: "h:1" })),
        },
      },
      /1000 fit/,
    ],
    ["200 levels", { name: "deep", spec: { tcp: [], extra: nest(200) } }, /64 levels/],
    ["50,000 levels", deepText, /levels|deep|nest/i],
  ])("%s", async (_, body, message) => {
    const before = await rowCount();
    const startedAt = performance.now();
    const reply = await post(body);
    expect(reply.status).toBe(400);
    expect(reply.json.message ?? reply.json.error).toMatch(message);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(await rowCount()).toBe(before);
    expect((await app.nobody.get("/api/_health")).status).toBe(200);
  });
});

describe("applying", () => {
  test("creates, leaves alone what is the same, and updates what is not", async () => {
    const name = freshName();
    const text = document(name, "interval: 60\ntcp:\n- name: a\n  endpoint: localhost:1");
    const created = await apply(text);
    expect(created.status, created.text).toBe(200);
    expect(created.json.canaries).toMatchObject([
      { name, namespace: "shop", outcome: "created", held: [] },
    ]);
    expect((await apply(text)).json.canaries).toMatchObject([{ outcome: "unchanged" }]);
    const changed = await apply(text.replace("60", "30"));
    expect(changed.json.canaries).toMatchObject([
      { id: created.json.canaries[0].id, outcome: "updated" },
    ]);
    expect((await scheduleOf(created.json.canaries[0].id))?.schedule).toBe("@every 30s");
  });

  test("says which checks are kept and not run", async () => {
    const reply = await apply(document(freshName(), "amqp:\n- name: image"));
    expect(reply.json.canaries[0].held).toEqual([
      { type: "amqp", name: "image", reason: expect.stringMatching(/not supported/) },
    ]);
  });

  test("keeps the id that a document names", async () => {
    const uid = "6a2f41a3-32c0-4f0d-9a51-0d1b3f7a2f11";
    const text = document(freshName(), "tcp:\n- name: a\n  endpoint: localhost:1").replace(
      "  namespace",
      `  uid: ${uid}\n  namespace`,
    );
    expect((await apply(text)).json.canaries[0].id).toBe(uid);
    expect((await apply(text.replace("doc-", "renamed-"))).json.canaries[0]).toMatchObject({
      id: uid,
      outcome: "updated",
    });
  });
});

test("texts that are saved at the same time make one canary of one document, whatever their order", async () => {
  const names = Array.from({ length: 6 }, freshName);
  const one = (name: string) => document(name, `tcp:\n- name: a\n  endpoint: localhost:1`);
  const texts = Array.from({ length: 8 }, (_, n) =>
    (n % 2 ? names : names.toReversed()).map(one).join("\n---\n"),
  );
  const replies = await Promise.all(texts.map((text) => apply(text)));
  expect(replies.map(({ status, text }) => (status === 200 ? 200 : text))).toEqual(
    texts.map(() => 200),
  );
  const outcomes = replies.flatMap(({ json }) =>
    (json.canaries as { outcome: string }[]).map(({ outcome }) => outcome),
  );
  expect(outcomes.filter((outcome) => outcome === "created")).toHaveLength(names.length);
});

test("the same name twice is a conflict that says what to do", async () => {
  const body = { name: freshName(), namespace: "shop", spec: { tcp: [] } };
  expect((await post(body)).status).toBe(201);
  const again = await post(body);
  expect(again.status).toBe(409);
  expect(again.json.message).toMatch(/already a canary called .* Edit that one/);
});

test("nobody writes without a session", async () => {
  expect((await app.nobody.post("/api/db/canaries", { name: "x", spec: {} })).status).toBe(401);
  expect((await app.nobody.post("/api/canary/documents", { text: "" })).status).toBe(401);
  expect((await app.nobody.post("/api/canary/run/document", { document: "" })).status).toBe(401);
});
