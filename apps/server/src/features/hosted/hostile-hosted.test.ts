import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/app.ts";
import { createPerson } from "../../testing/people.ts";
import { type OpenIdProvider, startOpenIdProvider } from "../../testing/openid-provider.ts";

/** Somebody who signs in here waits under another's address for them to come from the provider. */

let provider: OpenIdProvider;
let server: TestApp;
beforeAll(async () => {
  provider = await startOpenIdProvider([]);
  server = await startTestApp({
    hostedIssuer: provider.issuer,
    hostedClientId: "console",
    hostedOrganization: "org_acme",
  });
});
afterAll(async () => {
  await server.stop();
  await provider.stop();
});

async function come(email: string) {
  const now = Math.floor(Date.now() / 1000);
  const token = await provider.sign({
    iss: provider.issuer,
    sub: `user-${crypto.randomUUID()}`,
    azp: "console",
    org_id: "org_acme",
    org_role: "org:admin",
    name: "The Chief",
    email,
    email_verified: true,
    iat: now,
    exp: now + 60,
  });
  return await server.nobody.get("/api/auth/whoami", { authorization: `Bearer ${token}` });
}

const rolesOf = async (client: { get: TestApp["admin"]["get"] }) =>
  ((await client.get("/api/auth/whoami")).json as { payload: { roles: string[] } }).payload.roles;

test.each([
  ["typed in", "", 403, ["viewer"]],
  [
    "proven",
    "update identity_addresses set verified = true, verified_at = now(), status = 'completed'",
    200,
    ["admin"],
  ],
  ["given, and nobody has been in since", "update people set last_login = null", 200, ["admin"]],
])("an address that was %s", async (_what, change, status, roles) => {
  const person = await createPerson(server);
  const address = `chief-${crypto.randomUUID()}@example.org`;
  await server.db.run(sql`
    update identities set traits = traits || jsonb_build_object('email', ${address}::text) where id = ${person.id}`);
  await server.db.run(sql`update people set last_login = now() where id = ${person.id}`);
  if (change !== "") await server.db.raw(change);
  // However the provider writes it.
  expect((await come(address.toUpperCase())).status).toBe(status);
  expect(await server.db.rows(sql`select from people where email = ${address}`)).toHaveLength(1);
  expect(await rolesOf(person)).toEqual(roles);
});
