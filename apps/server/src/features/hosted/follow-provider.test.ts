import type { JWTPayload } from "jose";
import sql from "sql-template-tag";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/app.ts";
import { type OpenIdProvider, startOpenIdProvider } from "../../testing/openid-provider.ts";

const CLIENT = "console";
const ORGANIZATION = "org_acme";

let provider: OpenIdProvider;
let server: TestApp;
beforeAll(async () => {
  provider = await startOpenIdProvider([]);
  server = await startTestApp({
    hostedIssuer: provider.issuer,
    hostedClientId: CLIENT,
    hostedOrganization: ORGANIZATION,
  });
});
afterAll(async () => {
  await server.stop();
  await provider.stop();
});
beforeEach(async () => {
  await server.db.run(sql`delete from casbin_rule where ptype = 'g'`);
  await server.db.run(sql`update people set deleted_at = now() where external_id is not null`);
});

const seconds = () => Math.floor(Date.now() / 1000);

/** What somebody who is an administrator or a member at the provider may do here. */
async function ask(subject: string, role: "admin" | "member", more: JWTPayload = {}) {
  const token = await provider.sign({
    iss: provider.issuer,
    sub: subject,
    azp: CLIENT,
    org_id: ORGANIZATION,
    org_role: `org:${role}`,
    iat: seconds(),
    exp: seconds() + 60,
    ...more,
  });
  const reply = await server.nobody.get("/api/auth/whoami", { authorization: `Bearer ${token}` });
  expect(reply.status).toBe(200);
  return reply.json.payload as { user: { id: string }; roles: string[] };
}

const somebody = () => `user-${crypto.randomUUID()}`;
const give = (id: string, role: string) =>
  server.db.run(sql`insert into casbin_rule (ptype, v0, v1) values ('g', ${id}, ${role})`);

describe("the administrator's role that the provider brought", () => {
  test("goes with the provider's word, when there is another administrator", async () => {
    const [ada, other] = [somebody(), somebody()];
    await ask(other, "admin");
    expect((await ask(ada, "admin")).roles).toEqual(["admin"]);
    expect((await ask(ada, "member")).roles).toEqual(["viewer"]);
    expect((await ask(ada, "admin")).roles).toEqual(["admin"]);
  });

  test("stays with the last administrator, and goes as soon as there is another one", async () => {
    const [ada, other] = [somebody(), somebody()];
    await ask(ada, "admin");
    expect((await ask(ada, "member")).roles).toEqual(["admin"]);
    expect((await ask(ada, "member")).roles).toEqual(["admin"]);
    await ask(other, "admin");
    expect((await ask(ada, "member")).roles).toEqual(["viewer"]);
  });

  test("is not counted as another one's who was removed or cannot sign in", async () => {
    const [ada, removed] = [somebody(), somebody()];
    const { user } = await ask(removed, "admin");
    await ask(ada, "admin");
    await server.db.run(sql`update people set deleted_at = now() where id = ${user.id}`);
    expect((await ask(ada, "member")).roles).toEqual(["admin"]);
  });

  test("is never lost by all who are demoted at once", async () => {
    const subjects = Array.from({ length: 6 }, somebody);
    for (const subject of subjects) await ask(subject, "admin");
    await Promise.all(subjects.map((subject) => ask(subject, "member")));
    const left = await server.db.rows(sql`select v0 from casbin_rule where v1 = 'admin'`);
    expect(left).toHaveLength(1);
  });

  test("is not taken away by who demotes another at the same moment", async () => {
    const [ada, bea] = [somebody(), somebody()];
    const claims = { iss: provider.issuer, azp: CLIENT, org_id: ORGANIZATION };
    for (let round = 0; round < 5; round += 1) {
      await server.db.run(sql`delete from casbin_rule where ptype = 'g'`);
      await server.db.run(sql`delete from hosted_people`);
      const [boss, victim] = [await ask(ada, "admin"), await ask(bea, "admin")];
      const token = await provider.sign({
        ...claims,
        sub: ada,
        org_role: "org:admin",
        iat: seconds(),
        exp: seconds() + 60,
      });
      // Ada demotes Bea here while the provider demotes Ada.
      await Promise.all([
        server.nobody.post(
          `/api/rbac/${victim.user.id}/update_role`,
          { roles: ["viewer"] },
          { authorization: `Bearer ${token}` },
        ),
        ask(ada, "member"),
      ]);
      const left = await server.db.rows<{ v0: string }>(
        sql`select v0 from casbin_rule where v1 = 'admin'`,
      );
      expect(left.length).toBeGreaterThan(0);
      expect([boss.user.id, victim.user.id]).toContain(left[0]!.v0);
    }
  });

  test("leaves alone what an administrator gave here", async () => {
    const [ada, other] = [somebody(), somebody()];
    await ask(other, "admin");
    const { user } = await ask(ada, "member");
    await give(user.id, "admin");
    expect((await ask(ada, "admin")).roles).toEqual(["admin"]);
    expect((await ask(ada, "member")).roles).toEqual(["admin"]);
  });

  test("is not made or kept by what people write of themselves", async () => {
    const [ada, other] = [somebody(), somebody()];
    await ask(other, "admin");
    const { user } = await ask(ada, "member");
    for (const role of ["admin", "member"]) {
      await server.db.run(
        sql`update people set properties = jsonb_build_object('role', ${role}::text) where id = ${user.id}`,
      );
      expect((await ask(ada, "member")).roles).toEqual(["viewer"]);
      expect((await ask(ada, "admin")).roles).toEqual(["admin"]);
      expect((await ask(ada, "member")).roles).toEqual(["viewer"]);
    }
  });
});
