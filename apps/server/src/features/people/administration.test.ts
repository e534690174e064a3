import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/app.ts";
import { createPerson, type TestPerson } from "../../testing/people.ts";
import { edit } from "./testing/users.ts";

let app: TestApp;
let admin: TestPerson;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  admin = await createPerson(app, "admin", { first: "Admin", last: "Istrator" });
});
afterAll(() => app.stop());

describe.each<[name: string, call: (id: string) => Promise<{ status: number; json: unknown }>]>([
  ["deleting", (id) => admin.delete(`/api/people/${id}`)],
  ["deactivating", (id) => admin.post(`/api/auth/${id}/update_state`, { state: "inactive" })],
  ["a sign-in link for", (id) => admin.post(`/api/people/${id}/sign-in-link`)],
  ["properties of", (id) => admin.post(`/api/auth/${id}/properties`, {})],
  ["roles of", (id) => admin.post(`/api/rbac/${id}/update_role`, { roles: ["admin"] })],
  [
    "editing",
    (id) => admin.post("/api/people/update", { ...edit({ ...admin, email: "x@y.z" }), id }),
  ],
])("%s", (_, call) => {
  test.each([
    crypto.randomUUID(),
    "00000000-0000-0000-0000-000000000000",
    "1",
    "'; drop table people; --",
    "%00",
    "x".repeat(450),
  ])("%s finds nobody", async (id) => {
    const reply = await call(encodeURIComponent(id));
    expect([reply.status, reply.json]).toEqual([
      404,
      expect.objectContaining({ error: "There is no such user; it may have been deleted." }),
    ]);
  });
});

test("the program's own persons are not users", async () => {
  const system = await app.db.first<{ id: string }>(
    sql`select id from people where name = 'System'`,
  );
  expect((await admin.delete(`/api/people/${system!.id}`)).status).toBe(404);
  const agent = await app.db.first<{ id: string }>(
    sql`insert into people (name, type) values ('agent', 'agent') returning id`,
  );
  expect((await admin.delete(`/api/people/${agent!.id}`)).status).toBe(404);
  for (const { id } of [system!, agent!]) {
    const reply = await admin.post(`/api/rbac/${id}/update_role`, { roles: ["admin"] });
    expect(reply.status).toBe(404);
    expect((await admin.get(`/api/db/people_roles?id=eq.${id}`)).json).toEqual([]);
  }
});

test("the dump tells the matrix and who has which role", async () => {
  const person = await createPerson(app, ["commander", "viewer"]);
  const { payload } = (await admin.get("/api/rbac/dump")).json;
  expect(payload.policies).toContainEqual({
    subject: "commander",
    object: "incident",
    action: "write",
  });
  expect(payload.policies).not.toContainEqual({
    subject: "editor",
    object: "identities",
    action: "write",
  });
  expect(payload.grants).toContainEqual({
    id: person.id,
    name: person.name,
    email: person.email,
    roles: ["commander", "viewer"],
  });
});

test("every change is in the audit log, with who made it", async () => {
  const person = await createPerson(app, "viewer");
  await app.db.run(sql`delete from audit_log`);
  const said = async () => {
    const { json } = await admin.get(
      "/api/db/audit_log?select=actor:actor_id(id),verb,table_name,before,after&order=created_at,table_name,verb",
    );
    await app.db.run(sql`delete from audit_log`);
    return json as { actor: { id: string }; table_name: string; verb: string }[];
  };
  const by = { actor: { id: admin.id } };
  await admin.post(`/api/rbac/${person.id}/update_role`, { roles: ["editor"] });
  expect(await said()).toMatchObject([
    { ...by, verb: "delete", table_name: "casbin_rule", before: { v0: person.id, v1: "viewer" } },
    { ...by, verb: "insert", table_name: "casbin_rule", after: { v0: person.id, v1: "editor" } },
  ]);
  await admin.post(`/api/auth/${person.id}/update_state`, { state: "inactive" });
  expect(await said()).toMatchObject([
    { ...by, verb: "update", table_name: "identities", after: { state: "inactive" } },
  ]);
  await admin.post(`/api/auth/${person.id}/properties`, { a: 1 });
  expect(await said()).toMatchObject([
    { ...by, verb: "update", table_name: "people", after: { properties: { a: 1 } } },
  ]);
  await admin.post("/api/people/update", edit(person, { lastName: "King" }));
  expect(await said()).toMatchObject([
    { ...by, verb: "update", table_name: "people", after: { name: "Ada King" } },
  ]);
  await admin.delete(`/api/people/${person.id}`);
  expect(await said()).toMatchObject([
    { ...by, verb: "delete", table_name: "casbin_rule" },
    { ...by, verb: "update", table_name: "people", before: { deleted_at: null } },
  ]);
});
