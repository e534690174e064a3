import type { Role } from "@mainstay/contract";
import sql from "sql-template-tag";
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

const rolesOf = async (id: string) =>
  (await app.admin.get(`/api/db/people_roles?id=eq.${id}`)).json[0]?.roles as Role[] | undefined;
const stateOf = (id: string) =>
  app.db.first<{ state: string | null; deleted: boolean }>(sql`
    select i.state, p.deleted_at is not null as deleted from people p left join identities i on i.id = p.id
     where p.id = ${id}`);
const edit = (person: TestPerson, changes: object = {}) => ({
  id: person.id,
  firstName: "Ada",
  lastName: "Lovelace",
  email: person.email,
  ...changes,
});

describe("roles", () => {
  test.each<[before: Role[], given: Role[], after: Role[] | undefined]>([
    [[], ["editor"], ["editor"]],
    [
      ["viewer", "editor"],
      ["commander", "responder"],
      ["commander", "responder"],
    ],
    [["editor"], ["editor", "editor"], ["editor"]],
    [
      ["responder", "viewer"],
      ["viewer", "admin"],
      ["viewer", "admin"],
    ],
    [["editor"], [], undefined],
  ])("%j set to %j are %j", async (before, given, after) => {
    const person = await createPerson(app, before);
    const reply = await admin.post(`/api/rbac/${person.id}/update_role`, { roles: given });
    expect([reply.status, reply.json]).toEqual([200, { message: "Role updated successfully" }]);
    const found = await rolesOf(person.id);
    expect(found?.toSorted()).toEqual(after?.toSorted());
    expect((await person.get("/api/auth/whoami")).json.payload.roles.toSorted()).toEqual(
      after?.toSorted() ?? ["viewer"],
    );
  });

  test.each([
    [{}],
    [{ roles: "admin" }],
    [{ roles: ["owner"] }],
    [{ roles: ["Admin"] }],
    [{ roles: [null] }],
    [{ roles: [["admin"]] }],
    [{ roles: { 0: "admin" } }],
    [{ roles: ["__proto__"] }],
    [["admin"]],
    ["{"],
    [""],
  ])("%j is refused", async (body) => {
    const person = await createPerson(app, "viewer");
    const reply = await admin.post(`/api/rbac/${person.id}/update_role`, body);
    expect([reply.status, reply.json.code]).toEqual([400, "invalid"]);
    expect(await rolesOf(person.id)).toEqual(["viewer"]);
  });

  test("a name of a role that this version does not know goes with the others", async () => {
    const person = await createPerson(app);
    await app.db.run(
      sql`insert into casbin_rule (ptype, v0, v1) values ('g', ${person.id}, 'owner')`,
    );
    await admin.post(`/api/rbac/${person.id}/update_role`, { roles: ["viewer"] });
    expect(await rolesOf(person.id)).toEqual(["viewer"]);
  });

  test("are what the next request goes by, up and down", async () => {
    const person = await createPerson(app, "viewer");
    const write = () =>
      person.post("/api/db/properties", { name: `fresh-${crypto.randomUUID()}`, value: "1" });
    const set = (role: Role) => admin.post(`/api/rbac/${person.id}/update_role`, { roles: [role] });
    const statuses: number[] = [];
    for (const role of ["editor", "viewer", "editor", "commander"] as const) {
      statuses.push((await write()).status);
      await set(role);
    }
    statuses.push((await write()).status);
    expect(statuses).toEqual([403, 201, 403, 201, 403]);
  });
});

describe("a state", () => {
  test("that is inactive ends every session at once, for good", async () => {
    const person = await createPerson(app, "editor");
    expect((await person.get("/api/auth/whoami")).status).toBe(200);
    const off = { id: person.id, state: "inactive" };
    expect((await admin.post(`/api/auth/${person.id}/update_state`, off)).json).toEqual({
      message: "success",
    });
    expect((await person.get("/api/auth/whoami")).status).toBe(401);
    expect(await stateOf(person.id)).toEqual({ state: "inactive", deleted: false });
    await admin.post(`/api/auth/${person.id}/update_state`, { state: "active" });
    expect(await stateOf(person.id)).toEqual({ state: "active", deleted: false });
    // They sign in again; what was open stays closed.
    expect((await person.get("/api/auth/whoami")).status).toBe(401);
  });

  test.each([
    {},
    { state: "gone" },
    { state: true },
    { state: "inactive", id: crypto.randomUUID() },
  ])("%j is refused", async (body) => {
    const person = await createPerson(app);
    const reply = await admin.post(`/api/auth/${person.id}/update_state`, body);
    expect(reply.status).toBe(400);
    expect(await stateOf(person.id)).toMatchObject({ state: "active" });
  });
});

describe("editing", () => {
  test("changes names, address, role and state", async () => {
    const person = await createPerson(app, ["viewer", "commander"]);
    const email = `countess-${person.id}@example.org`;
    const reply = await admin.post(
      "/api/people/update",
      edit(person, { lastName: "King", email, role: "editor", active: true }),
    );
    expect([reply.status, reply.json]).toEqual([
      200,
      { email, name: { first: "Ada", last: "King" } },
    ]);
    expect(await rolesOf(person.id)).toEqual(["editor"]);
    expect((await person.get("/api/auth/whoami")).json.payload).toMatchObject({
      user: { name: "Ada King", email },
      roles: ["editor"],
    });
    const shown = await admin.get(`/api/db/identities?id=eq.${person.id}&select=traits,state`);
    expect(shown.json).toEqual([
      { traits: { email, name: { first: "Ada", last: "King" } }, state: "active" },
    ]);
    expect((await admin.post("/api/people/update", edit(person, { active: false }))).status).toBe(
      200,
    );
    expect((await person.get("/api/auth/whoami")).status).toBe(401);
    expect(await rolesOf(person.id)).toEqual(["editor"]);
  });

  test("comes as a form, too", async () => {
    const person = await createPerson(app, "viewer");
    const form = new URLSearchParams(
      edit(person, { active: "false", role: "responder" }),
    ).toString();
    const reply = await admin.request("POST", "/api/people/update", form, {
      "content-type": "application/x-www-form-urlencoded",
    });
    expect(reply.status, reply.text).toBe(200);
    expect(await stateOf(person.id)).toMatchObject({ state: "inactive" });
    expect(await rolesOf(person.id)).toEqual(["responder"]);
  });

  test.each([
    ["Łukasz", "Żółć"],
    ["नरेन्द्र", "कुमार"],
    ["محمد", "الفارسي"],
    ["שָׁלוֹם", "כהן"],
    ["小明", "王"],
    ["ひらがな", "カタカナ"],
    ["สมชาย", "ใจดี"],
    ["Zoë", "O'Connor-Smith"],
    ["👩‍👩‍👧‍👦", "𝒥𝑜𝒽𝓃"],
    ["Robert'); DROP TABLE people;--", "<script>alert(1)</script>"],
    ["  spaced  ", "\u00e9".normalize("NFD")],
  ])("keeps the name %s %s", async (firstName, lastName) => {
    const person = await createPerson(app);
    const reply = await admin.post("/api/people/update", edit(person, { firstName, lastName }));
    expect(reply.status, reply.text).toBe(200);
    const [first, last] = [firstName.trim(), lastName.normalize("NFC")];
    expect(reply.json.name).toEqual({ first, last });
    expect((await admin.get(`/api/db/people?id=eq.${person.id}`)).json[0].name).toBe(
      `${first} ${last}`,
    );
  });

  test.each<[changes: object, message: string]>([
    [{ firstName: undefined }, "Please provide valid first name"],
    [{ firstName: "  " }, "Please provide valid first name"],
    [{ firstName: 7 }, "Please provide valid first name"],
    [{ firstName: "x".repeat(101) }, "Please provide valid first name"],
    [{ firstName: "a\0b" }, "Please provide valid first name"],
    [{ firstName: "a\ud800b" }, "Please provide valid first name"],
    [{ lastName: "" }, "Please provide valid last name"],
    [{ lastName: "two\nlines" }, "Please provide valid last name"],
    [{ lastName: "x".repeat(60_000) }, "Please provide valid last name"],
    [{ email: "" }, "Please provide valid email"],
    [{ email: "nobody" }, "Entered value does not match email format"],
    [{ email: "a b@example.org" }, "Entered value does not match email format"],
    [{ email: `${"x".repeat(400)}@example.org` }, "Entered value does not match email format"],
    [{ role: "owner" }, "Please select any role"],
    [{ role: "" }, "Please select any role"],
    [{ active: "maybe" }, "active must be true or false."],
  ])("%# is refused with its text", async (changes, message) => {
    const person = await createPerson(app, "viewer");
    const reply = await admin.post("/api/people/update", edit(person, changes));
    expect([reply.status, reply.json.error]).toEqual([400, message]);
    expect(await rolesOf(person.id)).toEqual(["viewer"]);
  });

  test("is for oneself, too, as long as the role stays", async () => {
    const self = await createPerson(app, ["admin", "viewer"]);
    const reply = await self.post(
      "/api/people/update",
      edit(self, { lastName: "King", role: "admin", active: true }),
    );
    expect([reply.status, await rolesOf(self.id)]).toEqual([200, ["admin"]]);
    expect((await self.get("/api/auth/whoami")).json.payload.user.name).toBe("Ada King");
  });

  test("does not give one address to two, however it is written", async () => {
    const [one, other] = [await createPerson(app), await createPerson(app)];
    const email = one.email.toUpperCase();
    const reply = await admin.post("/api/people/update", edit(other, { email, role: "editor" }));
    expect([reply.status, reply.json.error]).toEqual([
      409,
      `Another user has the e-mail address ${email}.`,
    ]);
    expect(await rolesOf(other.id)).toBeUndefined();
    // Writing one's own differently is fine.
    expect((await admin.post("/api/people/update", edit(one, { email }))).status).toBe(200);
  });

  test("what is larger than any user is not read", async () => {
    const reply = await admin.post("/api/people/update", { firstName: "x".repeat(70_000) });
    expect(reply.status).toBe(413);
  });
});

describe("deleting", () => {
  test("ends the identity, the sessions, the roles and the memberships, and keeps the person", async () => {
    const person = await createPerson(app, "editor");
    const [team] = (
      await admin.post(
        "/api/db/teams?select=id",
        { name: `left-${person.id}` },
        { prefer: "return=representation" },
      )
    ).json;
    await admin.post("/api/db/team_members", { team_id: team.id, person_id: person.id });
    await person.post("/api/db/properties", { name: `by-${person.id}`, value: "1" });
    expect((await admin.delete(`/api/people/${person.id}`)).status).toBe(204);
    expect((await person.get("/api/auth/whoami")).status).toBe(401);
    expect(await stateOf(person.id)).toEqual({ state: null, deleted: true });
    expect(await rolesOf(person.id)).toBeUndefined();
    const members = await admin.get(`/api/db/team_members?team_id=eq.${team.id}`);
    expect(members.json).toEqual([]);
    const made = await admin.get(
      `/api/db/properties?name=eq.by-${person.id}&select=created_by(name)`,
    );
    expect(made.json).toEqual([{ created_by: { name: person.name } }]);
    // The address is free again, and who is gone is not found.
    expect((await admin.delete(`/api/people/${person.id}`)).status).toBe(404);
    const next = await createPerson(app);
    const reply = await admin.post("/api/people/update", edit(next, { email: person.email }));
    expect(reply.status).toBe(200);
  });

  test("a person who signs in elsewhere is deleted, too", async () => {
    const person = await app.db.first<{ id: string }>(
      sql`insert into people (name, external_id) values ('Elsewhere', 'user_1') returning id`,
    );
    expect((await admin.delete(`/api/people/${person!.id}`)).status).toBe(204);
    expect(await stateOf(person!.id)).toEqual({ state: null, deleted: true });
  });
});

test("a person who signs in elsewhere is renamed and deactivated there", async () => {
  const person = (await app.db.first<{ id: string }>(
    sql`insert into people (name, email, external_id) values ('Else', 'else@where', 'user_2') returning id`,
  ))!;
  for (const reply of [
    await admin.post("/api/people/update", {
      ...edit({ ...admin, ...person }),
      email: "new@where",
    }),
    await admin.post(`/api/auth/${person.id}/update_state`, { state: "inactive" }),
  ])
    expect([reply.status, reply.json.error]).toEqual([
      409,
      "This user signs in with another identity service. Change the name, the address or the state there.",
    ]);
  const reply = await admin.post(`/api/rbac/${person.id}/update_role`, { roles: ["editor"] });
  expect([reply.status, await rolesOf(person.id)]).toEqual([200, ["editor"]]);
});

describe.each<[name: string, call: (id: string) => Promise<{ status: number; json: unknown }>]>([
  ["deleting", (id) => admin.delete(`/api/people/${id}`)],
  ["deactivating", (id) => admin.post(`/api/auth/${id}/update_state`, { state: "inactive" })],
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
  expect(
    (await admin.post(`/api/rbac/${agent!.id}/update_role`, { roles: ["admin"] })).status,
  ).toBe(404);
});

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
