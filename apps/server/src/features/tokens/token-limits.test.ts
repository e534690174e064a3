import { roles } from "@mainstay/contract";
import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/app.ts";
import { untilBlocked } from "../../testing/blocked.ts";
import { lockRoles } from "../roles/index.ts";
import { basic, bearer, type SignedIn, signInAs } from "./testing/people.ts";

/** What an access token is not: a session, a user, or a way to more than it was given. */

let server: TestApp;
let boss: SignedIn;
beforeAll(async () => {
  server = await startTestApp();
  boss = await signInAs(server, "admin");
});
afterAll(() => server.stop());

interface Service {
  id: string;
  access_token: string;
  person: { id: string };
}
const makeService = async (name: string, granted: readonly string[]): Promise<Service> =>
  (await boss.post("/api/auth/tokens", { name, kind: "service", roles: granted })).json as Service;

describe("a token is no session", () => {
  test.each<[how: string, headers: (text: string) => Record<string, string>]>([
    ["as a bearer", bearer],
    ["as Basic", (text) => basic("token", text)],
    ["in the header of sessions", (text) => ({ "x-session-token": text })],
    ["in the cookie of sessions", (text) => ({ cookie: `ory_kratos_session=${text}` })],
  ])("%s it opens no identity flow", async (_, headers) => {
    const ada = await signInAs(server, "admin");
    const given = headers(await ada.makeToken({ name: "x" }));
    const ask = (method: string, path: string) =>
      server.nobody.request(method, `/api/.ory/${path}`, undefined, given);
    for (const [method, path] of [
      ["GET", "sessions/whoami"],
      ["GET", "sessions"],
      ["DELETE", "sessions"],
      ["GET", "self-service/settings/api"],
      ["GET", "self-service/settings/browser"],
      ["GET", "self-service/logout/browser"],
    ] as const)
      expect([path, (await ask(method, path)).status]).toEqual([path, 401]);
    // Its owner stays signed in.
    expect((await ada.get("/api/auth/whoami")).status).toBe(200);
  });

  test.each<[how: string, headers: (text: string) => Record<string, string>]>([
    ["the header", (text) => ({ "x-session-token": text })],
    ["the cookie", (text) => ({ cookie: `ory_kratos_session=${text}` })],
  ])("in %s of sessions it asks for nobody", async (_, headers) => {
    const text = await boss.makeToken({ name: crypto.randomUUID() });
    expect((await server.nobody.get("/api/auth/whoami", headers(text))).status).toBe(401);
  });

  test("that of a service opens none either, and manages no tokens", async () => {
    const { access_token: text } = await makeService("no flows", ["admin"]);
    for (const path of ["/api/.ory/sessions/whoami", "/api/.ory/self-service/settings/api"])
      expect((await server.nobody.get(path, bearer(text))).status).toBe(401);
    for (const body of [{ name: "y" }, { name: "y", kind: "service", roles: ["viewer"] }])
      expect((await server.nobody.post("/api/auth/tokens", body, bearer(text))).status).toBe(403);
    expect((await server.nobody.get("/api/kubeconfig", bearer(text))).status).toBe(403);
  });
});

describe("a token that is limited", () => {
  test.each(roles.filter((role) => role !== "admin"))(
    "to %s changes no users and no roles, whatever its owner may",
    async (role) => {
      const text = await boss.makeToken({ name: crypto.randomUUID(), roles: [role] });
      const victim = await signInAs(server, "viewer");
      const statuses = await Promise.all(
        (
          [
            ["/api/auth/invite_user", { firstName: "A", lastName: "B", email: "a@b.example" }],
            [`/api/rbac/${boss.id}/update_role`, { roles: ["admin"] }],
            [`/api/auth/${victim.id}/update_state`, { state: "inactive" }],
            [`/api/people/${victim.id}/sign-in-link`, {}],
            [`/api/people/${victim.id}/reset-second-factor`, {}],
            [`/api/auth/${boss.id}/properties`, { role: "admin" }],
          ] as const
        ).map(async ([path, body]) => (await server.nobody.post(path, body, bearer(text))).status),
      );
      expect(statuses).toEqual([403, 403, 403, 403, 403, 403]);
    },
  );
});

describe("a service", () => {
  test("is no user: not listed, not edited, in no team", async () => {
    const { person } = await makeService("robot", ["viewer"]);
    expect((await boss.get(`/api/db/identities?id=eq.${person.id}`)).json).toEqual([]);
    const listed = await boss.get(`/api/db/people?id=eq.${person.id}&select=name,type,email`);
    expect(listed.json).toEqual([{ name: "robot", type: "service", email: null }]);
    const edit = { id: person.id, firstName: "A", lastName: "B", email: "a@b.example" };
    for (const reply of [
      await boss.delete(`/api/people/${person.id}`),
      await boss.post("/api/people/update", edit),
      await boss.post(`/api/auth/${person.id}/update_state`, { state: "inactive" }),
      await boss.post(`/api/auth/${person.id}/properties`, { a: 1 }),
      await boss.post(`/api/people/${person.id}/sign-in-link`),
    ])
      expect(reply.status).toBe(404);
    const [team] = (
      await boss.post("/api/db/teams", { name: "robots" }, { prefer: "return=representation" })
    ).json as { id: string }[];
    const joined = await boss.post("/api/db/team_members", {
      team_id: team!.id,
      person_id: person.id,
    });
    expect(joined.status).toBe(400);
  });

  test("has its roles changed where everybody has, and its token follows", async () => {
    const { person, access_token: text } = await makeService("narrowed", ["editor"]);
    const rolesNow = async () =>
      (await server.nobody.get("/api/auth/whoami", bearer(text))).json.payload.roles as string[];
    expect(await rolesNow()).toEqual(["editor"]);
    await boss.post(`/api/rbac/${person.id}/update_role`, { roles: ["responder"] });
    expect(await rolesNow()).toEqual(["responder"]);
  });

  test("of the name of one that ended is another one", async () => {
    const first = await makeService("again", ["viewer"]);
    await boss.delete(`/api/auth/tokens/${first.id}`);
    const second = await makeService("again", ["viewer"]);
    expect(second.person.id).not.toBe(first.person.id);
    const reply = await server.nobody.get("/api/auth/whoami", bearer(first.access_token));
    expect(reply.status).toBe(401);
  });

  test("is not made by somebody who was demoted while they asked", async () => {
    const late = await signInAs(server, "admin");
    const name = crypto.randomUUID();
    const asked = await server.db.transaction(async (tx) => {
      await lockRoles(tx);
      const reply = late.post("/api/auth/tokens", { name, kind: "service", roles: ["admin"] });
      await untilBlocked(tx, 1);
      await tx.run(sql`delete from casbin_rule where v0 = ${late.id}`);
      return { reply };
    });
    expect((await asked.reply).status).toBe(403);
    expect(await server.db.first(sql`select from people where name = ${name}`)).toBeUndefined();
  });
});
