import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { eachLimited } from "#platform/each-limited.ts";
import { startTestApp, type TestApp } from "../testing/app.ts";
import { createPerson, type TestPerson } from "../testing/people.ts";
import { ask } from "./testing/ask.ts";
import { alarm } from "./testing/calm.ts";
import { type Asked, endpointsOf, tables } from "./testing/endpoints.ts";
import { pairs, sample } from "@mainstay/testkit/sample.ts";

/** Names that every object answers to, where a name of the sender's choice is looked up or kept. */

const names = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf"];

let app: TestApp;
let admin: TestPerson;
let endpoints: Asked[];
beforeAll(async () => {
  app = await startTestApp({ role: "api", logLevel: "fatal" });
  admin = await createPerson(app, "admin");
  endpoints = endpointsOf(app);
});
afterAll(() => app.stop());

afterEach(() => {
  // What one request leaves behind in every object, all later ones would find.
  const plain: Record<string, unknown> = {};
  expect([plain["polluted"], plain["admin"], plain["roles"]]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(Object.keys(Object)).toEqual([]);
});

const session = () => ({ "x-session-token": admin.token });
const poison = '{"polluted":true,"admin":true,"roles":["admin"]}';
const bodies = names.flatMap((name) => [
  `{"${name}":${poison}}`,
  `{"name":"a","${name}":${poison},"constructor":{"prototype":${poison}}}`,
  `{"name":{"${name}":${poison}},"spec":{"${name}":${poison}},"labels":{"${name}":"x"}}`,
  `[{"${name}":${poison}}]`,
  `"${name}"`,
  `{"name":"${name}","value":"${name}","method":"${name}","kind":"${name}","roles":["${name}"]}`,
]);

async function expectCalm(
  cases: readonly { method: string; path: string; body?: string }[],
): Promise<Map<number, number>> {
  const wrong: string[] = [];
  const statuses = new Map<number, number>();
  await eachLimited(cases, 6, async (sent) => {
    const reply = await ask(app, { ...sent, headers: session() });
    statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
    const found = alarm(reply);
    if (/\[native code\]|\[object Object\]/.test(reply.text)) found.push("tells a part of objects");
    wrong.push(...found.map((what) => `${sent.method} ${sent.path} ${sent.body ?? ""}: ${what}`));
  });
  expect(wrong).toEqual([]);
  return statuses;
}

test("in the body of every writing route", async () => {
  const writing = endpoints.filter(
    // Ends the session that asks.
    ({ isReading, route }) => !isReading && route !== "/api/.ory/sessions",
  );
  const cases = pairs(writing, bodies).map(([{ method, path }, body]) => ({ method, path, body }));
  await expectCalm(cases);
});

test("in the query of every reading route, as name and as value", async () => {
  const reading = endpoints.filter(({ isReading }) => isReading);
  const queries = names.flatMap((name) => [
    `${name}=1`,
    `${name}[polluted]=1`,
    `${name}.polluted=1`,
    `constructor[prototype][polluted]=1`,
    `id=${name}`,
    `flow=${name}&return_to=/${name}`,
  ]);
  const cases = pairs(reading, queries).map(([{ method, path }, query]) => ({
    method,
    path: `${path.split("?", 1)[0]}?${query}`,
  }));
  await expectCalm(cases);
});

test("as the name of a file, a table, a column, a function or somebody", async () => {
  const places = endpoints.filter(({ route }) => route.includes(":"));
  const paths = names.flatMap((name) => [
    ...places.map(({ method, route, isReading }) => ({
      method,
      path: route.replaceAll(/:\w+/g, name),
      ...(isReading ? {} : { body: "{}" }),
    })),
    { method: "GET", path: `/api/db/${name}` },
    { method: "POST", path: `/api/db/${name}`, body: "{}" },
    { method: "POST", path: `/api/db/rpc/${name}`, body: "{}" },
  ]);
  await expectCalm(sample(paths, 80));
  for (const name of names) {
    const path = `/api/db/${name}`;
    expect([name, (await admin.get(path)).status]).toEqual([name, 404]);
    for (const file of [`/api/schemas/${name}`, `/api/.ory/schemas/${name}`])
      expect([file, (await admin.get(file)).status]).toEqual([file, 404]);
  }
  const ways = names.flatMap((name) => [
    `select=${name}`,
    `select=x:${name}`,
    `select=*,${name}(*)`,
    `${name}=eq.1`,
    `order=${name}`,
    `id=${name}.1`,
    `select=id::${name}`,
  ]);
  const columns = pairs(
    tables.map(({ name }) => name),
    ways,
  ).map(([table, query]) => ({ method: "GET", path: `/api/db/${table}?${query}&limit=1` }));
  const statuses = await expectCalm(columns);
  expect([...statuses.keys()]).toEqual([400]);
});

test("in a document, and as the name of everything in it", async () => {
  let made = 0;
  const documents = names.flatMap((name) => [
    `apiVersion: canaries.flanksource.com/v1\nkind: Canary\nmetadata: {name: a${(made += 1)}, labels: {${name}: x}}\nspec:\n  ${name}: {polluted: true}\n  schedule: "@every 1h"\n  http: [{name: x, url: "http://127.0.0.1:1/"}]`,
    `apiVersion: canaries.flanksource.com/v1\nkind: Canary\nmetadata: {name: a${(made += 1)}}\nspec:\n  schedule: "@every 1h"\n  http: [{name: ${name}, url: "http://127.0.0.1:1/", ${name}: {polluted: true}}]`,
    `${name}: &a {polluted: true}\n<<: *a\nkind: Canary`,
    `apiVersion: canaries.flanksource.com/v1\nkind: ${name}\nmetadata: {name: a${(made += 1)}}\nspec: {}`,
  ]);
  await expectCalm(
    documents.flatMap((document) => [
      {
        method: "POST",
        path: "/api/canary/run/document",
        body: JSON.stringify({ document }),
      },
      { method: "POST", path: "/api/canary/documents", body: JSON.stringify({ text: document }) },
    ]),
  );
});

test("as names of labels, flags and properties they are kept as what they are, and nothing else", async () => {
  for (const name of ["constructor", "toString", "valueOf"]) {
    const flag = await admin.post("/api/db/properties", { name, value: "x" });
    expect([name, flag.status]).toEqual([name, 201]);
  }
  const { status, json } = await admin.get("/api/properties");
  expect(status).toBe(200);
  const kept = (json as { name: string; value: string }[]).filter(({ value }) => value === "x");
  expect(kept.map(({ name }) => name).toSorted()).toEqual(["constructor", "toString", "valueOf"]);
  const own = await admin.post(
    `/api/auth/${admin.id}/properties`,
    `{"__proto__":${poison},"constructor":{"prototype":${poison}}}`,
  );
  expect(own.status).toBeLessThan(500);
  const roles = (await admin.get("/api/auth/whoami")).json.payload.roles as string[];
  expect(roles).toEqual(["admin"]);
});
