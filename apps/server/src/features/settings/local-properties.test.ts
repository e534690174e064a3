import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { startTestApp, type TestApp } from "../../testing/app.ts";
import { createPerson, type TestPerson } from "../../testing/people.ts";
import { localProperties } from "./local-properties.ts";

const directory = mkdtempSync("/tmp/mainstay-properties-");
const file = join(directory, "mainstay.properties");
let app: TestApp;
let editor: TestPerson;

const START = "# ours\nhealth.disable = true\nlogs.disable=false\n";

beforeAll(async () => {
  writeFileSync(file, START);
  app = await startTestApp({ propertiesFile: file, role: "api" });
  editor = await createPerson(app, "editor");
});
afterAll(async () => {
  await app.stop();
  rmSync(directory, { recursive: true });
});
beforeEach(async () => {
  writeFileSync(file, START);
  await app.db.raw("delete from properties");
});

const inForce = async () => {
  const { json } = await editor.get("/api/properties");
  return (json as { name: string; value: string; source: string }[]).map(
    ({ name, value, source }) => `${name}=${value} (${source})`,
  );
};

test("what the file says wins over the database", async () => {
  await app.db.raw(
    "insert into properties (name, value) values ('health.disable', 'false'), ('agents.disable', 'true')",
  );
  expect(await inForce()).toEqual([
    "agents.disable=true (db)",
    "health.disable=true (local)",
    "logs.disable=false (local)",
  ]);
});

test("a file that is changed, replaced, broken or taken away is noticed at the next request", async () => {
  writeFileSync(file, "a=1\n");
  expect(await inForce()).toEqual(["a=1 (local)"]);
  writeFileSync(file, "a=2\n");
  expect(await inForce()).toEqual(["a=2 (local)"]);
  writeFileSync(`${file}.next`, "a=3\n");
  renameSync(`${file}.next`, file);
  expect(await inForce()).toEqual(["a=3 (local)"]);
  const said = vi.spyOn(app.app.ctx.log, "error");
  const complaints = () => said.mock.calls.length;
  writeFileSync(file, "b=\\u1\n");
  expect(await inForce()).toEqual(["a=3 (local)"]);
  expect(await inForce()).toEqual(["a=3 (local)"]);
  expect(complaints()).toBe(1);
  rmSync(file);
  expect(await inForce()).toEqual(["a=3 (local)"]);
  expect(await inForce()).toEqual(["a=3 (local)"]);
  expect(complaints()).toBe(2);
  writeFileSync(file, `a=${"x".repeat(1024 * 1024)}`);
  expect(await inForce()).toEqual(["a=3 (local)"]);
  expect(complaints()).toBe(3);
  writeFileSync(file, "");
  expect(await inForce()).toEqual([]);
});

test.each<[what: string, method: string, query: string, body?: object]>([
  ["adding one", "POST", "", { name: "health.disable", value: "false" }],
  [
    "adding one among others",
    "POST",
    "",
    [
      { name: "ok", value: "1" },
      { name: "logs.disable", value: "1" },
    ],
  ],
  [
    "editing it, as the console does",
    "PATCH",
    "?name=eq.health.disable",
    { name: "health.disable", value: "false" },
  ],
  ["editing its value", "PATCH", "?name=eq.health.disable", { value: "false" }],
  ["giving another its name", "PATCH", "?name=eq.other", { name: "health.disable" }],
  ["editing everything", "PATCH", "?value=eq.hidden", { value: "x" }],
  ["deleting it", "DELETE", "?name=eq.health.disable"],
  ["deleting it, escaped", "DELETE", "?name=eq.health%2Edisable"],
  ["deleting the row that it hides", "DELETE", "?value=eq.hidden"],
])("%s is refused", async (_, method, query, body) => {
  await app.db.raw(
    "insert into properties (name, value) values ('health.disable', 'hidden'), ('other', 'x')",
  );
  const reply = await editor.request(method, `/api/db/properties${query}`, body);
  expect(reply).toMatchObject({
    status: 403,
    json: { message: "Cannot edit local feature flags", error: "Cannot edit local feature flags" },
  });
  const { rows } = await app.db.raw("select name, value from properties order by name");
  expect(rows).toEqual([
    { name: "health.disable", value: "hidden" },
    { name: "other", value: "x" },
  ]);
});

test("others are edited as ever", async () => {
  expect(
    (await editor.request("POST", "/api/db/properties", { name: "other", value: "1" })).status,
  ).toBe(201);
  expect(
    (await editor.request("PATCH", "/api/db/properties?name=eq.other", { value: "2" })).status,
  ).toBe(204);
  expect((await editor.request("DELETE", "/api/db/properties?name=eq.other")).status).toBe(204);
});

test("a server whose file cannot be read does not start", () => {
  const start = (of: string) => () => {
    const { ctx } = app.app;
    localProperties.make({ ...ctx, config: { ...ctx.config, propertiesFile: of } });
  };
  expect(start(join(directory, "none"))).toThrow(/none of PROPERTIES_FILE cannot be read: ENOENT/);
  expect(start(directory)).toThrow("cannot be read: EISDIR");
  writeFileSync(file, "good=1\n\\u=2");
  expect(start(file)).toThrow("cannot be read: line 2: \\u wants four hexadecimal digits.");
});
