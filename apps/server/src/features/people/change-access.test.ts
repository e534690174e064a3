import type { Role } from "@mainstay/contract";
import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/app.ts";
import { createPerson, type TestPerson } from "../../testing/people.ts";
import { rolesOf, stateOf } from "./testing/users.ts";

let app: TestApp;
let admin: TestPerson;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  admin = await createPerson(app, "admin", { first: "Admin", last: "Istrator" });
});
afterAll(() => app.stop());

describe("roles", () => {
  test.each<[before: Role[], given: Role[], after: Role[]]>([
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
    [["editor"], [], ["viewer"]],
  ])("%j set to %j are %j", async (before, given, after) => {
    const person = await createPerson(app, before);
    const reply = await admin.post(`/api/rbac/${person.id}/update_role`, { roles: given });
    expect([reply.status, reply.json]).toEqual([200, { message: "Role updated successfully" }]);
    const found = await rolesOf(app, person.id);
    expect(found?.toSorted()).toEqual(after.toSorted());
    expect((await person.get("/api/auth/whoami")).json.payload.roles.toSorted()).toEqual(
      after.toSorted(),
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
    expect(await rolesOf(app, person.id)).toEqual(["viewer"]);
  });

  test("a name of a role that this version does not know goes with the others", async () => {
    const person = await createPerson(app);
    await app.db.run(
      sql`insert into casbin_rule (ptype, v0, v1) values ('g', ${person.id}, 'owner')`,
    );
    await admin.post(`/api/rbac/${person.id}/update_role`, { roles: ["viewer"] });
    expect(await rolesOf(app, person.id)).toEqual(["viewer"]);
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
    expect(await stateOf(app, person.id)).toEqual({ state: "inactive", deleted: false });
    await admin.post(`/api/auth/${person.id}/update_state`, { state: "active" });
    expect(await stateOf(app, person.id)).toEqual({ state: "active", deleted: false });
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
    expect(await stateOf(app, person.id)).toMatchObject({ state: "active" });
  });
});
