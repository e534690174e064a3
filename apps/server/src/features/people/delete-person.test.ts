import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/app.ts";
import { createPerson, type TestPerson } from "../../testing/people.ts";
import { edit, rolesOf, stateOf } from "./testing/users.ts";

let app: TestApp;
let admin: TestPerson;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  admin = await createPerson(app, "admin", { first: "Admin", last: "Istrator" });
});
afterAll(() => app.stop());

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
    expect(await stateOf(app, person.id)).toEqual({ state: null, deleted: true });
    expect(await rolesOf(app, person.id)).toBeUndefined();
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
    expect(await stateOf(app, person!.id)).toEqual({ state: null, deleted: true });
  });
});
