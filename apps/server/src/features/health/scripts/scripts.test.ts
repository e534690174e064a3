// Takes long: scripts that never end are run until their time is over.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startTestApp, type TestApp } from "../../../testing/app.ts";

let app: TestApp;
let target: Server;
let url: string;
const hits = new Map<string, number>();

beforeAll(async () => {
  target = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://target");
    response.setHeader("content-type", "application/json");
    const hit = (hits.get(request.url!) ?? 0) + 1;
    hits.set(request.url!, hit);
    if (pathname === "/teapot" || (pathname === "/second" && hit === 1)) response.writeHead(418);
    response.end(JSON.stringify({ path: pathname, items: [{ n: 1 }, { n: 2 }], none: null }));
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

interface Shown {
  name: string;
  pass: boolean;
  invalid: boolean;
  untried?: boolean;
  message?: string;
  error?: string;
  detail?: Record<string, unknown>;
}

/** Runs the checks of a spec once, as the console does with an unsaved document. */
async function tryOut(spec: object, metadata: object = {}): Promise<Map<string, Shown>> {
  const document = JSON.stringify({
    apiVersion: "canaries.flanksource.com/v1",
    kind: "Canary",
    metadata: { name: "tried", namespace: "test", labels: { team: "blue" }, ...metadata },
    spec,
  });
  const reply = await app.admin.post("/api/canary/run/document", { document });
  expect(reply.status, reply.text).toBe(200);
  return new Map(reply.json.results.map((result: Shown) => [result.name, result]));
}

const save = async (name: string, spec: object) => {
  const reply = await app.admin.post(
    "/api/db/canaries",
    { name, namespace: "test", spec },
    { prefer: "return=representation" },
  );
  expect(reply.status, reply.text).toBe(201);
  return reply.json[0].id as string;
};
const checkId = async (canaryId: string, name: string) =>
  (await app.db.first<{ id: string }>(
    sql`select id from checks where canary_id = ${canaryId} and name = ${name} and deleted_at is null`,
  ))!.id;
const run = async (id: string) => {
  const reply = await app.admin.post(`/api/canary/run/check/${id}`);
  expect(reply.status, reply.text).toBe(200);
  return reply.json as Shown;
};

describe("test and display", () => {
  test.each([
    [
      "expr",
      { expr: "code == 200 && elapsed < duration('1m')" },
      { expr: "json.items.size()" },
      "2",
    ],
    [
      "template",
      { template: "{{ eq .code 200 }}" },
      { template: "{{ .json.path }} of {{ .check.name }} in {{ .canary.namespace }}" },
      "/ok of it in test",
    ],
    [
      "javascript",
      { javascript: "json.items.length == 2" },
      { javascript: "canary.labels.team + ' ' + code" },
      "blue 200",
    ],
    ["jsonPath", { jsonPath: "$.pass" }, { jsonPath: "$.json.items[1].n" }, "2"],
    ["jsonpath", { jsonpath: "pass" }, { jsonpath: "$.results.code" }, "200"],
    [
      "the first key that counts",
      { javascript: "true", template: "false", expr: "false" },
      { template: "a", expr: "'b'" },
      "a",
    ],
  ])("%s", async (_, isRight, display, message) => {
    const found = await tryOut({
      http: [{ name: "it", url: `${url}/ok`, test: isRight, display }],
    });
    expect(found.get("it")).toMatchObject({ pass: true, message });
  });

  test("a test can only fail what has passed", async () => {
    const isFalse = { expr: "code == 404" };
    const found = await tryOut({
      http: [
        { name: "false", url, test: isFalse },
        { name: "said", url, test: isFalse, display: { expr: "'it is ' + string(code)" } },
        { name: "failed", url: `${url}/teapot`, test: { expr: "true" } },
        { name: "neither", url, test: { expr: "code" } },
        {
          name: "lost",
          url: "http://127.0.0.1:1",
          test: { expr: "code == 200" },
          display: { expr: "string(code)" },
        },
      ],
      exec: [{ name: "exec", script: "echo out; echo err >&2", test: { expr: "false" } }],
    });
    expect(found.get("false")).toMatchObject({
      pass: false,
      error: "The test is false: code == 404",
    });
    expect(found.get("said")).toMatchObject({ error: "it is 200", message: "it is 200" });
    expect(found.get("failed")).toMatchObject({ error: "answered 418, wanted 2xx" });
    expect(found.get("neither")!.error).toBe(
      'test: cel: gives "200", which is neither true nor false',
    );
    expect(found.get("lost")!.error).toMatch(/refused/);
    expect(found.get("exec")).toMatchObject({ pass: false, error: "err\nout" });
  });

  test("a mistake says which script, where, and never a secret", async () => {
    const password = "correct-horse-battery";
    const found = await tryOut({
      http: [
        { name: "test", url, test: { expr: "1 +\n cod" } },
        { name: "display", url, display: { template: "{{ .code }}\n{{ nothing }}" } },
        { name: "javascript", url, test: { javascript: "a.b" } },
      ],
      exec: [
        {
          name: "secret",
          script: 'echo "$P"',
          env: [{ name: "P", value: password }],
          display: { javascript: "throw new Error(results.stdout)" },
          metrics: [{ name: "m", value: "results.stdout" }],
        },
        {
          name: "shown",
          script: 'echo "$P"',
          env: [{ name: "P", value: password }],
          display: { expr: "'it is ' + results.stdout" },
        },
      ],
    });
    expect(found.get("test")).toMatchObject({ pass: false });
    expect(found.get("test")).not.toHaveProperty("untried");
    expect(found.get("test")!.error).toBe("test: cel:2:2: undeclared reference to 'cod'");
    expect(found.get("display")!.error).toMatch(/^display: gotemplate:2:\d+: .*nothing/);
    expect(found.get("javascript")!.error).toMatch(/^test: javascript:1:1: .*'?a'? is not defined/);
    expect(found.get("secret")!.error).toContain("display: javascript:1");
    expect(found.get("shown")!.message).toBe("it is [hidden]");
    expect(JSON.stringify([...found])).not.toContain(password);
  });

  test("what went wrong before stays, and no results are a failure where the check says so", async () => {
    const found = await tryOut({
      exec: [
        { name: "fails", script: "echo no; exit 3", display: { expr: "nothing.here" } },
        { name: "empty", script: "true", markFailOnEmpty: true, transform: { expr: "[]" } },
      ],
      folder: [
        { name: "folder", path: "/nowhere/at/all", test: { expr: "results.files.size() == 0" } },
      ],
    });
    expect(found.get("fails")).toMatchObject({ error: "the script ended with code 3: no" });
    expect(found.get("empty")!.error).toMatch(/^The transform made no results/);
    expect(found.get("folder")).toMatchObject({ pass: true });
  });
});

describe("what a document says is judged when it is saved", () => {
  test.each([
    ["a test", { test: { expr: "code ==" } }, "spec.http.0.test.expr", /^test: cel:1:8: /],
    [
      "a display",
      { display: { template: "{{ if }}" } },
      "spec.http.0.display.template",
      /^display: gotemplate:1/,
    ],
    [
      "JavaScript",
      { transform: { javascript: "var = 1" } },
      "spec.http.0.transform.javascript",
      /^transform: javascript:1/,
    ],
    [
      "a metric",
      { metrics: [{ name: "m", value: "1 +" }] },
      "spec.http.0.metrics.0.value",
      /^metrics\.m: cel:1/,
    ],
    ["an address", { url: "http://{{ .a" }, "spec.http.0.url", /^url: gotemplate:1/],
  ])("%s", async (_, part, path, message) => {
    const spec = { http: [{ name: "it", url, ...part }] };
    const body = { name: "wrong", namespace: "test", spec };
    const refused = await app.admin.post("/api/db/canaries", body);
    expect(refused.status).toBe(400);
    expect(refused.json.issues).toMatchObject([
      { path, message: expect.stringMatching(message) as string, line: 1 },
    ]);
    const text = `apiVersion: canaries.flanksource.com/v1\nkind: Canary\nmetadata:\n  name: wrong\nspec: ${JSON.stringify(spec)}\n`;
    const applied = await app.admin.post("/api/canary/documents", { text });
    expect(applied.status).toBe(400);
    expect(applied.json.issues[0]).toMatchObject({ path, line: 5 });
  });

  test.each([
    ["itself", [{ name: "a", dependsOn: ["a"] }], /itself/],
    ["nobody", [{ name: "a", dependsOn: ["b"] }], /No check of this document is called "b"/],
    [
      "each other",
      [
        { name: "a", dependsOn: ["b"] },
        { name: "b", dependsOn: ["a"] },
      ],
      /a, b, a/,
    ],
    ["one twice", [{ name: "a", dependsOn: ["b", "b"] }, { name: "b" }], /twice/],
  ])("a check that depends on %s", async (_, checks, message) => {
    const spec = { http: checks.map((check) => ({ url, ...check })) };
    const refused = await app.admin.post("/api/db/canaries", {
      name: "wrong",
      namespace: "test",
      spec,
    });
    expect(refused.status).toBe(400);
    expect(refused.json.issues[0].message).toMatch(message);
  });
});

test("checks run after those that they depend on, and see what these say", async () => {
  const spec = {
    exec: [
      {
        name: "first",
        script: "echo '{{ .outputs.third.code }} {{ .outputs.second.pass }}'",
        dependsOn: ["second", "third"],
      },
      { name: "second", script: "echo second", dependsOn: ["third"] },
    ],
    http: [{ name: "third", url }],
  };
  expect((await tryOut(spec)).get("first")).toMatchObject({ pass: true, message: "200 true" });
  const id = await save("dependent", { schedule: "@every 1s", ...spec });
  await vi.waitFor(
    async () => {
      const row = await app.db.first<{ message: string }>(sql`
        select message from check_totals where check_id = ${await checkId(id, "first")}`);
      expect(row?.message).toBe("200 true");
    },
    { timeout: 15_000, interval: 50 },
  );
});

test("last_result() is the result before this one", async () => {
  const id = await save("last", {
    schedule: "@never",
    http: [
      {
        name: "it",
        url,
        display: { template: "{{ .code }} after {{ (last_result).message }}" },
        test: { expr: "!has(last_result().results.code) || last_result().results.code == 200" },
      },
    ],
  });
  const check = await checkId(id, "it");
  expect((await run(check)).message).toMatch(/^200 after/);
  expect((await run(check)).message).toMatch(/^200 after 200 after/);
});

test("a failed check is tried again, and its last result counts", async () => {
  const retries = { interval: "10ms", maxRetries: 2 };
  const found = await tryOut({
    http: [
      { name: "again", url: `${url}/second`, retries },
      { name: "once", url: `${url}/teapot`, retries: { ...retries, disabled: true } },
      { name: "never", url: `${url}/teapot?never`, retries },
    ],
  });
  expect(found.get("again")).toMatchObject({ pass: true });
  expect(found.get("once")).toMatchObject({ pass: false });
  expect(found.get("never")).toMatchObject({ pass: false });
  expect([hits.get("/second"), hits.get("/teapot?never")]).toEqual([2, 3]);
});

describe("a script that does harm", () => {
  test.each([
    ["a loop", { javascript: "for (;;);" }, /^test: javascript:1:\d+: takes longer than/],
    [
      "memory",
      { javascript: "var a = []; for (;;) a.push(new Array(1e5).fill(0))" },
      /^test: javascript.*(MB|takes longer)/,
    ],
    [
      "prototypes",
      { javascript: "Object.prototype.pass = true; constructor.constructor('return process')()" },
      /^test: javascript.*process/,
    ],
    [
      "10 MB",
      { javascript: "'x'.repeat(10 * 1024 * 1024)" },
      /^test: javascript.*(longer than|MB)/,
    ],
    [
      "recursion",
      { javascript: "function f() { return f() + 1 } f()" },
      /^test: javascript.*nested too deeply/,
    ],
    [
      "a template",
      { template: "{{ range seq 100000 }}{{ range seq 100000 }}a{{ end }}{{ end }}" },
      /^test: gotemplate/,
    ],
  ])("%s: it is named, and the others have their results", async (name, isRight, error) => {
    const others = Array.from({ length: 5 }, (_one, index) => ({
      name: `other-${index}`,
      url,
      test: { expr: `code == 200 && json.items[0].n == 1` },
    }));
    // Somebody else asks meanwhile, again and again, each time when there is an answer.
    const meanwhile = { isOver: false, answers: 0 };
    const asking = (async () => {
      for (; !meanwhile.isOver; meanwhile.answers += 1)
        expect((await app.nobody.get("/api/_health")).status).toBe(200);
    })();
    const found = await tryOut({ http: [{ name: "bad", url, test: isRight }, ...others] });
    meanwhile.isOver = true;
    await asking;
    expect(found.get("bad")!.error).toMatch(error);
    // Of a server that is held up there would be one at the start, and one at the end.
    if (found.get("bad")!.error!.includes("takes longer"))
      expect(meanwhile.answers).toBeGreaterThan(5);
    // What it was given was never judged, unless the script broke on it.
    expect(found.get("bad")!.untried === true).toBe(name !== "prototypes");
    for (const other of others) expect(found.get(other.name)).toMatchObject({ pass: true });
  });
});
