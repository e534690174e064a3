// Takes long: checks run by the clock.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../../testing/app.ts";

let app: TestApp;
let target: Server;
let url: string;
/** What the target answers. */
let answer: unknown = [];

beforeAll(async () => {
  target = createServer((_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
  app = await startTestApp();
});
afterAll(async () => {
  target.closeAllConnections();
  await new Promise((resolve) => target.close(resolve));
  await app.stop();
});

let made = 0;
async function save(check: object, more: object[] = []) {
  const spec = { schedule: "@never", http: [{ name: "parent", url, ...check }, ...more] };
  const reply = await app.admin.post(
    "/api/db/canaries",
    { name: `transform-${++made}`, namespace: "test", spec },
    { prefer: "return=representation" },
  );
  expect(reply.status, reply.text).toBe(201);
  const id = reply.json[0].id as string;
  const parent = await app.db.first<{ id: string }>(
    sql`select id from checks where canary_id = ${id} and name = 'parent'`,
  );
  return { id, spec, run: () => app.admin.post(`/api/canary/run/check/${parent!.id}`) };
}
const children = (canaryId: string) =>
  app.db.rows<Record<string, unknown>>(sql`
    select c.name, c.type, c.status, c.namespace, c.description, c.labels, c.severity, c.deleted_at is not null as deleted,
           s.message, s.error, s.details
      from checks c left join check_statuses s on s.check_id = c.id and s.time = c.last_runtime
     where c.canary_id = ${canaryId} and c.parent_id is not null order by c.name`);
const events = (canaryId: string) =>
  app.db.rows<{ name: string; event: string }>(sql`
    select c.name, e.name as event from event_queue e join checks c on c.id::text = e.properties ->> 'id'
     where c.canary_id = ${canaryId}`);
const each = { expr: "json.items" };

describe("a transform that makes checks", () => {
  test("gives them rows, results and states of their own, and takes those away that are gone", async () => {
    const { id, run } = await save({
      transform: {
        expr: "json.map(x, {'name': x.name, 'pass': x.up, 'message': x.say, 'labels': {'n': x.name}, 'detail': x}).toJSON()",
      },
    });
    answer = [
      { name: "a", up: true, say: "fine" },
      { name: "b", up: false, say: "down" },
    ];
    expect((await run()).json).toMatchObject({ pass: true });
    expect(await children(id)).toMatchObject([
      {
        name: "a",
        type: "http",
        status: "healthy",
        namespace: "test",
        message: "fine",
        labels: { n: "a" },
        deleted: false,
        details: { up: true },
      },
      { name: "b", status: "unhealthy", message: "down" },
    ]);
    const parent = await app.db.first(sql`
      select s.details from checks c join check_statuses s on s.check_id = c.id and s.time = c.last_runtime
       where c.canary_id = ${id} and c.parent_id is null`);
    expect(parent).toEqual({ details: null });

    answer = [{ name: "b", up: true, say: "up again" }];
    await run();
    expect(await children(id)).toMatchObject([
      { name: "a", deleted: true },
      { name: "b", status: "healthy", message: "up again", deleted: false },
    ]);
    // A run that makes none takes none away.
    answer = [];
    await run();
    expect(await children(id)).toMatchObject([
      { name: "a", deleted: true },
      { name: "b", deleted: false },
    ]);
    answer = [{ name: "a", up: true, say: "back" }];
    await run();
    expect(await children(id)).toMatchObject([
      { name: "a", deleted: false, message: "back" },
      { name: "b", deleted: true },
    ]);
    const summary = await app.admin.get("/api/canary/api/summary");
    const shown = summary.json.checks_summary.filter(
      (one: { canary_id: string }) => one.canary_id === id,
    );
    expect(
      shown.map((one: { name: string; status: string }) => [one.name, one.status]).sort(),
    ).toEqual([
      ["a", "healthy"],
      ["parent", "healthy"],
    ]);
  });

  test("whose check could not be run leaves them unknown, with its reason, and goes on where they were", async () => {
    const { id, spec, run } = await save({ transform: { expr: "json.toJSON()" } });
    answer = [
      { name: "a", pass: true },
      { name: "b", pass: false, message: "down" },
    ];
    await run();
    const [parent] = spec.http as [object];
    const patch = (change: object) =>
      app.admin.patch(`/api/db/canaries?id=eq.${id}`, {
        spec: { ...spec, http: [{ ...parent, ...change }] },
      });
    await patch({ connection: "connection://nowhere" });
    const reply = await run();
    expect(reply.json).toMatchObject({ untried: true, success: 0, failed: 0 });
    const error = `"parent", which makes this check, could not be run: ${reply.json.error}`;
    expect(await children(id)).toMatchObject([
      { name: "a", status: "unknown", error },
      { name: "b", status: "unknown", error },
    ]);
    const totals = await app.db.rows(sql`
      select c.name, t.passed, t.failed, t.streak, t.untried
        from checks c join check_totals t on t.check_id = c.id
       where c.canary_id = ${id} and c.parent_id is not null order by c.name`);
    expect(totals).toEqual([
      { name: "a", passed: 1, failed: 0, streak: 1, untried: error },
      { name: "b", passed: 0, failed: 1, streak: 1, untried: error },
    ]);
    expect((await events(id)).map(({ event }) => event)).toEqual(["check.failed"]);
    await patch({});
    await run();
    expect(await children(id)).toMatchObject([
      { name: "a", status: "healthy", error: null },
      { name: "b", status: "unhealthy", message: "down" },
    ]);
  });

  test("that the database refuses to keep leaves the check unknown", async () => {
    const { run } = await save({ transform: { expr: "json.toJSON()" } });
    answer = [{ name: "a\u0000b", pass: true }];
    expect((await run()).json).toMatchObject({
      untried: true,
      error: expect.stringMatching(/^transform: .*byte sequence/),
    });
  });

  test("leaves those that are gone as the check says", async () => {
    const { id, run } = await save({
      transformDeleteStrategy: "MarkHealthy",
      transform: {
        expr: "json.map(x, {'name': x.name, 'pass': x.up, 'transformDeleteStrategy': x.gone}).toJSON()",
      },
    });
    answer = [
      { name: "a", up: false, gone: "" },
      { name: "b", up: true, gone: "MarkUnhealthy" },
      { name: "c", up: false, gone: "Ignore" },
      { name: "d", up: true, gone: "" },
    ];
    await run();
    answer = [{ name: "d", up: true, gone: "" }];
    await run();
    expect(await children(id)).toMatchObject([
      { name: "a", status: "healthy", deleted: true },
      { name: "b", status: "unhealthy", deleted: true },
      { name: "c", status: "unhealthy", deleted: true },
      { name: "d", status: "healthy", deleted: false },
    ]);
    const raised = await events(id);
    expect(raised).toContainEqual({ name: "a", event: "check.passed" });
    expect(raised).toContainEqual({ name: "b", event: "check.failed" });
  });

  test("goes with its check, and stays while the document changes", async () => {
    const { id, spec, run } = await save({ transform: each }, [{ name: "other", url }]);
    answer = { items: [{ name: "a", pass: true }] };
    await run();
    const patch = (http: object[]) =>
      app.admin.patch(`/api/db/canaries?id=eq.${id}`, { spec: { ...spec, http } });
    const [parent, other] = spec.http as [object, object];
    await patch([{ ...parent, description: "changed" }, other]);
    expect(await children(id)).toMatchObject([{ name: "a", deleted: false }]);
    await patch([{ ...parent, transform: undefined }, other]);
    expect(await children(id)).toMatchObject([{ name: "a", deleted: true }]);
    const [child] = await app.db.rows<{ id: string }>(
      sql`select id from checks where canary_id = ${id} and parent_id is not null`,
    );
    await patch([parent, other]);
    await run();
    expect(await children(id)).toMatchObject([{ name: "a", deleted: false }]);
    expect((await app.admin.post(`/api/canary/run/check/${child!.id}`)).json.error).toMatch(
      /"parent"/,
    );
    // A check of the document takes the place of one that was made.
    await patch([parent, other, { name: "a", url }]);
    expect(await children(id)).toEqual([]);
    expect((await run()).json).toMatchObject({
      pass: false,
      error: 'transform: the http check "a" is there already and was not made by this one',
    });
  });

  test.each([
    ["two of one name", { items: [{ name: "a" }, { name: "a" }] }, /two results of type http/],
    [
      "two without a name",
      { items: [{ pass: true }, { pass: true }] },
      /several results without a name/,
    ],
    ["no objects", { items: [1] }, /the number 1 where a result/],
    ["no JSON", { items: "{" }, /gives "\{", which is no JSON/],
    ["a canary without a name", { items: [{ spec: {} }] }, /gives a canary without a name/],
    [
      "a canary that is wrong",
      { items: [{ name: "a", spec: { http: [{ name: "b" }] } }] },
      /canary "a", which is wrong: spec\.http\.0: An http check needs a url/,
    ],
    [
      "a canary that runs programs",
      { items: [{ name: "a", spec: { exec: [{ name: "b", script: "id" }] } }] },
      /reaches into the server's own machine/,
    ],
    [
      "a canary that names a stored password",
      {
        items: [
          {
            name: "a",
            spec: {
              http: [
                {
                  name: "b",
                  url: "http://evil.example",
                  password: { valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
                },
              ],
            },
          },
        ],
      },
      /names stored values or connections/,
    ],
    [
      "a canary that names a connection",
      { items: [{ name: "a", spec: { http: [{ name: "b", connection: "connection://c" }] } }] },
      /names stored values or connections/,
    ],
    [
      "a thousand and one",
      { items: Array.from({ length: 1001 }, (_, n) => ({ name: `n${n}` })) },
      /1001 results, at most 1000/,
    ],
  ])("fails over %s", async (_, body, error) => {
    const { id, run } = await save({ transform: each });
    answer = body;
    const { json } = await run();
    expect(json).toMatchObject({ pass: false, error: expect.stringMatching(error) });
    expect(await children(id)).toEqual([]);
  });

  test("many at once", async () => {
    const { id, run } = await save({ transform: each });
    answer = {
      items: Array.from({ length: 1000 }, (_, n) => ({ name: `n${n}`, pass: n % 2 === 0 })),
    };
    expect((await run()).json).toMatchObject({ pass: true });
    const states = (await children(id)).map(({ status }) => status);
    expect(states.filter((status) => status === "healthy")).toHaveLength(500);
    expect(states).toHaveLength(1000);
  });
});

describe("a transform that makes canaries", () => {
  const canaries = (place: string) =>
    app.db.rows<{ id: string; name: string; spec: object; version: string; deleted: boolean }>(sql`
      select id, name, spec, xmin::text as version, deleted_at is not null as deleted
        from canaries where namespace = ${place} order by name`);
  const shop = (name: string, path: string, namespace = "made") => ({
    name,
    namespace,
    spec: { schedule: "@never", http: [{ name: "page", url: url + path }] },
  });

  test("keeps them as they are given, and they go when they are not, or with their check", async () => {
    const { id, run } = await save({ transform: each });
    answer = { items: [shop("one", "/{{ .canary.name }}"), shop("two", "/")] };
    expect((await run()).json).toMatchObject({
      pass: true,
      message: expect.stringMatching(/; makes 2 canaries$/) as string,
    });
    const [one, two] = await canaries("made");
    expect([one?.name, two?.name]).toEqual(["one", "two"]);
    const checks = await app.db.rows<{ id: string; name: string }>(
      sql`select id, name from checks where canary_id = ${one!.id} and deleted_at is null`,
    );
    expect(checks).toMatchObject([{ name: "page" }]);
    // What came from a target is no template.
    const ran = await app.admin.post(`/api/canary/run/check/${checks[0]!.id}`);
    expect(ran.json).toMatchObject({ pass: true });

    await run();
    expect(await canaries("made")).toEqual([one, two]);
    answer = { items: [shop("one", "/new")] };
    await run();
    expect(await canaries("made")).toMatchObject([
      { id: one!.id, spec: { http: [{ url: `${url}/new` }] }, deleted: false },
      { id: two!.id, deleted: true },
    ]);
    await app.admin.patch(`/api/db/canaries?id=eq.${id}`, { deleted_at: "now()" });
    expect(await canaries("made")).toMatchObject([{ deleted: true }, { deleted: true }]);
  });

  test("of one canary alone makes that, and what is made makes no more", async () => {
    const made = shop("chain", "/", "chained");
    const { run } = await save({ transform: { expr: "json.items[0].toJSON()" } });
    const transform = { expr: "{'name': 'again', 'spec': {'schedule': '@never'}}.toJSON()" };
    answer = {
      items: [{ ...made, spec: { ...made.spec, http: [{ ...made.spec.http[0], transform }] } }],
    };
    expect((await run()).json).toMatchObject({ pass: true });
    const [chain] = await canaries("chained");
    const check = await app.db.first<{ id: string }>(
      sql`select id from checks where canary_id = ${chain!.id}`,
    );
    const again = await app.admin.post(`/api/canary/run/check/${check!.id}`);
    expect(again.json).toMatchObject({
      pass: false,
      error: expect.stringContaining("made by a check already") as string,
    });
    expect(await canaries("chained")).toHaveLength(1);
  });
});

describe("a transform that changes its own result", () => {
  test.each([
    [
      "a message and a verdict",
      { pass: false, message: "changed", error: "why" },
      { pass: false, message: "changed", error: "why" },
    ],
    ["details", { detail: { a: 1 } }, { pass: true, detail: { a: 1 } }],
    ["a list of one", [{ message: "one" }], { pass: true, message: "one" }],
    ["its own name", [{ name: "parent", message: "own" }], { message: "own" }],
  ])("%s", async (_, items, expected) => {
    const { run } = await save({ transform: each });
    answer = { items };
    expect((await run()).json).toMatchObject(expected);
  });

  test("what it keeps is seen beside what was found, by all that judges after it", async () => {
    answer = { items: [1, 2] };
    const { run } = await save({
      transform: { expr: "{'detail': {'last': json.items.size()}}" },
      display: { expr: "string(results.json.items.size()) + ' of ' + string(results.last)" },
      test: { expr: "results.?json.items.orValue([]).size() == 2" },
    });
    expect((await run()).json).toMatchObject({
      pass: true,
      message: "2 of 2",
      detail: { last: 2 },
    });
    expect((await run()).json.detail).toEqual({ last: 2 });
  });

  test("details that it deletes, and what is seen after it", async () => {
    const deleted = await save({ transform: { expr: "{'detail': '$delete'}" } });
    expect((await deleted.run()).json.detail).toBeUndefined();
    const seen = await save({
      transform: { javascript: "({detail: {n: 41}, data: {more: 1}})" },
      display: { expr: "string(results.n + more)" },
      test: { expr: "results.n == 41" },
    });
    expect((await seen.run()).json).toMatchObject({ pass: true, message: "42" });
  });
});

test("metrics of checks are shown beside those of the server, and mistakes in the result", async () => {
  answer = { items: [] };
  const { run } = await save({
    metrics: [
      {
        name: "shop_answer_code",
        type: "gauge",
        value: "code",
        labels: [
          { name: "check", valueExpr: "check.name" },
          { name: "kind", value: 'a "b"' },
        ],
      },
      { name: "shop_asked", type: "counter", value: "1" },
      { name: "shop_seconds", type: "histogram", value: "1.5" },
      { name: "mainstay_check_runs_total", type: "counter", value: "1" },
      { name: "wrong", value: "nothing" },
    ],
  });
  const first = (await run()).json;
  expect(first.pass).toBe(true);
  expect(first.message).toContain("metrics.wrong: cel:1:1: undeclared reference to 'nothing'");
  expect(first.message).toContain("mainstay_check_runs_total: the name belongs to the server");
  await run();
  const { text } = await app.admin.get("/metrics");
  expect(text).toContain('shop_answer_code{check="parent",kind="a \\"b\\""} 200');
  expect(text).toContain("shop_asked 2");
  expect(text).toContain('shop_seconds_bucket{le="1"} 0');
  expect(text).toContain('shop_seconds_bucket{le="2.5"} 2');
  expect(text).toContain("shop_seconds_sum 3");
});

test("a transform gives the check itself metrics, beside those of its document", async () => {
  answer = { items: [{ of: "EUR", rate: 0.9 }] };
  const { id, run } = await save({
    transform: {
      expr: "{'detail': {'n': 1}, 'metrics': json.items.map(x, {'name': 'shop_rate', 'type': 'gauge', 'value': x.rate, 'labels': {'of': x.of}})}.toJSON()",
    },
    metrics: [{ name: "shop_rates", value: "json.items.size()" }],
  });
  expect((await run()).json).toMatchObject({ pass: true, detail: { n: 1 } });
  const { text } = await app.admin.get("/metrics");
  expect(text).toContain('shop_rate{of="EUR"} 0.9');
  expect(text).toContain("shop_rates 1");
  expect(await children(id)).toEqual([]);
});

test("secrets of a check show in nothing that its scripts make", async () => {
  const password = "planted-canary-token";
  // The target repeats what it is told.
  answer = { items: [{ name: password, said: password }] };
  const { id, run } = await save({
    headers: [{ name: "x-token", value: password }],
    display: { expr: "content" },
    metrics: [{ name: "planted", value: "1", labels: [{ name: "said", valueExpr: "content" }] }],
    transform: {
      expr: "json.items.map(x, {'name': x.name, 'pass': false, 'error': x.said, 'message': x.said, 'detail': x, 'labels': {x.said: x.said}, 'metrics': [{'name': 'made', 'value': 1, 'labels': {'said': x.said}}]}).toJSON()",
    },
  });
  const reply = await run();
  const stored = await app.db.rows(sql`
    select to_jsonb(c) - 'spec', to_jsonb(s), to_jsonb(t) from checks c
      left join check_statuses s on s.check_id = c.id left join check_totals t on t.check_id = c.id
     where c.canary_id = ${id}`);
  expect(stored).toHaveLength(2);
  const outputs = [
    reply.text,
    JSON.stringify(stored),
    (await app.admin.get("/api/canary/api/summary")).text,
    (await app.admin.get("/metrics")).text,
    (await app.admin.get(`/api/db/checks?canary_id=eq.${id}`)).text,
  ];
  for (const output of outputs) expect(output).not.toContain(password);
  expect(outputs[3]).toContain("[hidden]");
});

test("a script is tried on the last result of a check, by who may write canaries", async () => {
  answer = { items: [{ n: 1 }] };
  const { id, run } = await save({});
  await run();
  const check = await app.db.first<{ id: string }>(
    sql`select id from checks where canary_id = ${id}`,
  );
  const trial = (body: object) => app.admin.post("/api/canary/script", body);
  const script = "json.items[0].n + size(check.name) + (elapsed < duration('1m') ? 100 : 0)";
  expect((await trial({ language: "cel", script, check: check!.id })).json).toEqual({
    value: 107,
    text: "107",
  });
  expect(
    (await trial({ language: "gotemplate", script: "{{ .a }}", context: { a: 1 } })).json,
  ).toEqual({
    value: "1",
    text: "1",
  });
  expect((await trial({ language: "cel", script: "1 +\n b", check: check!.id })).json).toEqual({
    error: "undeclared reference to 'b'",
    line: 2,
    column: 2,
  });
  expect((await trial({ language: "javascript", script: "for (;;);" })).json.error).toMatch(
    /takes longer/,
  );
  expect((await trial({ language: "cobol", script: "1" })).status).toBe(400);
  expect(
    (await app.nobody.post("/api/canary/script", { language: "cel", script: "1" })).status,
  ).toBe(401);
});
