import { mostViews, type SavedView } from "@mainstay/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../../testing/app.ts";
import { createPerson, type TestPerson } from "../../../testing/people.ts";

let app: TestApp;
let vera: TestPerson;
let otto: TestPerson;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  // Views are one's own, whatever one's roles.
  vera = await createPerson(app, "viewer");
  otto = await createPerson(app, "admin");
});
afterAll(() => app.stop());

const path = "/api/saved-views";
const listOf = async (who: TestPerson) =>
  ((await who.get(`${path}?page=health`)).json as { views: SavedView[] }).views;
const save = async (who: TestPerson, view: Partial<SavedView>) =>
  who.post(path, { page: "health", search: "query=x", ...view });
const made = async (who: TestPerson, view: Partial<SavedView>) => {
  const reply = await save(who, view);
  expect([reply.status, reply.text]).toEqual([201, expect.any(String)]);
  return reply.json as SavedView;
};

test("a view is saved, renamed, changed and deleted by whose it is", async () => {
  const view = await made(vera, { name: "  Night  " });
  expect(view).toEqual({ id: view.id, name: "Night", search: "query=x", is_default: false });
  const changed = await vera.patch(`${path}/${view.id}`, {
    name: "Day",
    search: "severity=high:1",
  });
  expect(changed.json).toMatchObject({ name: "Day", search: "severity=high:1" });
  expect(await listOf(vera)).toEqual([changed.json]);
  expect((await vera.request("DELETE", `${path}/${view.id}`)).status).toBe(200);
  expect(await listOf(vera)).toEqual([]);
});

test("one is the default", async () => {
  const first = await made(vera, { name: "first", is_default: true });
  const second = await made(vera, { name: "second", is_default: true });
  const defaults = async () =>
    (await listOf(vera)).filter((view) => view.is_default).map(({ name }) => name);
  expect(await defaults()).toEqual(["second"]);
  await vera.patch(`${path}/${first.id}`, { is_default: true });
  expect(await defaults()).toEqual(["first"]);
  await vera.patch(`${path}/${first.id}`, { is_default: false });
  expect(await defaults()).toEqual([]);
  for (const { id } of [first, second]) await vera.request("DELETE", `${path}/${id}`);
});

test("nobody else sees, changes or deletes it, whatever their role", async () => {
  const view = await made(vera, { name: "hers", is_default: true });
  expect(await listOf(otto)).toEqual([]);
  expect((await otto.patch(`${path}/${view.id}`, { name: "his" })).status).toBe(404);
  expect((await otto.request("DELETE", `${path}/${view.id}`)).status).toBe(404);
  await made(otto, { name: "hers", is_default: true });
  expect(await listOf(vera)).toEqual([view]);
  // There is no other door.
  expect((await otto.get("/api/db/saved_views")).status).toBe(404);
});

describe("refused", () => {
  test.each([
    ["without a name", { name: "  " }, 400],
    ["a name that is too long", { name: "x".repeat(101) }, 400],
    ["a name that cannot be kept", { name: "a\u0000b" }, 400],
    ["an address that is too long", { name: "x", search: "x".repeat(4_001) }, 400],
    ["a page that is not there", { name: "x", page: "elsewhere" }, 400],
  ])("%s", async (_, view, status) => {
    expect((await save(vera, view)).status).toBe(status);
  });

  test("a name that is taken, and one too many", async () => {
    const person = await createPerson(app, "viewer");
    await made(person, { name: "0" });
    const other = await made(person, { name: "1" });
    expect((await save(person, { name: "0" })).status).toBe(409);
    expect((await person.patch(`${path}/${other.id}`, { name: "0" })).status).toBe(409);
    const rest = Array.from({ length: mostViews - 1 }, (_, at) => String(at + 2));
    const statuses = await Promise.all(
      rest.map(async (name) => (await save(person, { name })).status),
    );
    expect(statuses.filter((status) => status === 201)).toHaveLength(mostViews - 2);
    expect(statuses.filter((status) => status === 409)).toHaveLength(1);
    expect(await listOf(person)).toHaveLength(mostViews);
  });
});
