import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/app.ts";
import { createPerson, type TestPerson } from "../../testing/people.ts";

let app: TestApp;
let admin: TestPerson;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  admin = await createPerson(app, "admin", { first: "Admin", last: "Istrator" });
});
afterAll(() => app.stop());

describe("properties", () => {
  let person: TestPerson;
  beforeEach(async () => {
    person = await createPerson(app, "viewer");
  });
  const mine = async () =>
    (await person.get("/api/auth/whoami")).json.payload.user.properties as object;
  const add = (body: unknown) => person.post(`/api/auth/${person.id}/properties`, body);

  test("are merged; a null removes one", async () => {
    await add({ lead: "yes", theme: { dark: true } });
    await add({ lead: null, note: "two\nlines \\u0000" });
    expect(await mine()).toEqual({ theme: { dark: true }, note: "two\nlines \\u0000" });
  });

  test.each([
    [[]],
    ["text"],
    [{ a: "\0" }],
    [{ "\ud800": 1 }],
    [{ a: [{ b: "\udc00" }] }],
    [{ a: "x".repeat(17_000) }],
    [JSON.parse(`${'{"a":'.repeat(10)}1${"}".repeat(10)}`) as object],
  ])("%# is refused", async (body) => {
    await add({ kept: true });
    const reply = await add(typeof body === "string" ? JSON.stringify(body) : body);
    expect([reply.status, reply.json.code]).toEqual([400, "invalid"]);
    expect(await mine()).toEqual({ kept: true });
  });

  test("are limited together", async () => {
    const part = "x".repeat(9_000);
    expect((await add({ a: part })).status).toBe(200);
    expect((await add({ b: part })).json).toMatchObject({
      error: "The properties of a person have at most 16 KiB together.",
    });
    expect(await mine()).toEqual({ a: part });
  });

  test("of somebody else are an administrator's to change", async () => {
    expect((await person.post(`/api/auth/${admin.id}/properties`, { a: 1 })).status).toBe(403);
    expect((await admin.post(`/api/auth/${person.id}/properties`, { a: 1 })).status).toBe(200);
    expect(await mine()).toEqual({ a: 1 });
  });

  test("grant nothing, and do not say what the provider has not said", async () => {
    expect((await add({ roles: ["admin"] })).status).toBe(200);
    expect((await add({ role: "admin" })).status).toBe(403);
    expect((await admin.post(`/api/auth/${person.id}/properties`, { role: "admin" })).status).toBe(
      200,
    );
    expect((await add({ role: null })).status).toBe(403);
    expect((await person.get("/api/db/identities")).status).toBe(403);
  });
});
