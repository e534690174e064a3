import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { normalAddress } from "#platform/address.ts";
import { createFirstAdministrator } from "../create-first-administrator.ts";
import { createRecoveryLink } from "../index.ts";
import { createLocalSession } from "../sessions/create-local-session.ts";
import { createSession } from "../sessions/sessions.ts";
import { Walker } from "../testing/flows.ts";
import { type IdentityServer, PASSWORD, startIdentityServer } from "../testing/identity-server.ts";

/** The built-in service speaks Kratos' wire format, so one server here stands in for a Kratos of its own. */
let kratos: IdentityServer;
let server: IdentityServer;
let email: string;
let id: string;
let made = 0;
beforeAll(async () => {
  // It names its own address in what it says, as a Kratos does that was not told the console's.
  kratos = await startIdentityServer({ registration: "open" });
  server = await startIdentityServer({
    identityUrl: `${kratos.url}/api/.ory`,
    adminEmail: normalAddress("root@example.org")!,
  });
});
afterAll(async () => {
  await server.stop();
  await kratos.stop();
});
beforeEach(async () => {
  email = `ada-${++made}@example.org`;
  ({ id } = await kratos.createPerson(email));
});

async function signIn(walker: Walker, identifier = email): Promise<void> {
  const { body: flow } = await walker.begin("login");
  const { status } = await walker.send("login", flow, {
    method: "password",
    identifier,
    password: PASSWORD,
  });
  expect(status).toBe(200);
}
const whoami = async (walker: Walker) => {
  const reply = await fetch(`${server.url}/api/auth/whoami`, {
    headers: walker.token ? { "x-session-token": walker.token } : { cookie: walker.jar.toString() },
  });
  return [reply.status, await reply.json()] as const;
};

test.each([
  ["a browser", false],
  ["a program", true],
])("%s signs in there through here, is somebody here, and signs out", async (_name, isProgram) => {
  const walker = new Walker(server, { isProgram });
  expect((await whoami(walker))[0]).toBe(401);
  await signIn(walker);
  expect((await walker.whoami()).body).toMatchObject({ identity: { id } });
  expect(await whoami(walker)).toMatchObject([
    200,
    { payload: { user: { id, name: "Ada Lovelace", email }, roles: ["viewer"] } },
  ]);
  const { rows } = await server.db.raw("select count(*)::int as n from identities where id = $1", [
    id,
  ]);
  expect(rows).toEqual([{ n: 1 }]);
  if (isProgram) {
    await server.client.performNativeLogout({
      performNativeLogoutBody: { session_token: walker.token! },
    });
  } else {
    const cookie = walker.jar.toString();
    const { data } = await server.client.createBrowserLogoutFlow({ cookie });
    walker.jar.keep(await server.client.updateLogoutFlow({ token: data.logout_token, cookie }));
    expect(walker.jar.get("ory_kratos_session")).toBeUndefined();
  }
  expect((await walker.whoami()).status).toBe(401);
});

test("who signs out, or is signed out there, is out here", async () => {
  const [one, two] = [new Walker(server), new Walker(server)];
  for (const walker of [one, two]) {
    await signIn(walker);
    expect((await whoami(walker))[0]).toBe(200);
  }
  const cookie = one.jar.toString();
  const { data } = await server.client.createBrowserLogoutFlow({ cookie });
  await server.client.updateLogoutFlow({ token: data.logout_token, cookie });
  expect((await whoami(one))[0]).toBe(401);
  // Not by way of this server: it is believed until it is asked about again.
  await kratos.db.raw("update identity_sessions set active = false where identity_id = $1", [id]);
  kratos.advance(6_000);
  expect((await whoami(two))[0]).toBe(200);
  server.advance(6_000);
  expect((await whoami(two))[0]).toBe(401);
});

test("who is deactivated there is out here", async () => {
  const walker = new Walker(server, { isProgram: true });
  await signIn(walker);
  expect((await whoami(walker))[0]).toBe(200);
  await kratos.db.raw("update identities set state = 'inactive' where id = $1", [id]);
  kratos.advance(6_000);
  server.advance(6_000);
  expect((await whoami(walker))[0]).toBe(401);
});

test("a name that changes there changes here", async () => {
  const walker = new Walker(server);
  await signIn(walker);
  await whoami(walker);
  const { body: flow } = await walker.begin("settings");
  await walker.send("settings", flow, {
    method: "profile",
    traits: { email, name: { first: "Ada", last: "King" } },
  });
  // Another session, that was not asked about yet.
  const other = new Walker(server, { isProgram: true });
  await signIn(other);
  expect(await whoami(other)).toMatchObject([200, { payload: { user: { name: "Ada King" } } }]);
});

test("who proves to have ADMIN_EMAIL administrates; who only says so does not", async () => {
  await kratos.createPerson("root@example.org");
  const first = new Walker(server, { isProgram: true });
  await signIn(first, "root@example.org");
  expect(await whoami(first)).toMatchObject([200, { payload: { roles: ["viewer"] } }]);
  await server.db.raw("delete from identities where traits ->> 'email' = 'root@example.org'");
  await server.db.raw("delete from people where email = 'root@example.org'");
  await kratos.db.raw(
    "update identity_addresses set verified = true, verified_at = now() where value = 'root@example.org'",
  );
  const second = new Walker(server, { isProgram: true });
  await signIn(second, "root@example.org");
  expect(await whoami(second)).toMatchObject([200, { payload: { roles: ["admin"] } }]);
});

test("who was deleted here stays out, whatever the service says", async () => {
  const walker = new Walker(server, { isProgram: true });
  await signIn(walker);
  expect((await whoami(walker))[0]).toBe(200);
  await server.db.raw("update people set deleted_at = now() where id = $1", [id]);
  const again = new Walker(server, { isProgram: true });
  await signIn(again);
  expect((await whoami(again))[0]).toBe(401);
});

test("what another site sends with somebody's cookie is refused", async () => {
  const walker = new Walker(server);
  await signIn(walker);
  const reply = await fetch(`${server.url}/api/test/write`, {
    method: "POST",
    headers: { cookie: walker.jar.toString(), origin: "https://evil.example" },
  });
  expect(reply.status).toBe(403);
});

test("sessions and passwords from before count no more; the command line's session does", async () => {
  const { id: old } = await server.createPerson(`old-${made}@example.org`, "admin");
  const now = server.ctx.clock.now();
  const { token } = await createSession(server.db, {
    identityId: old,
    method: "password",
    device: {},
    now,
  });
  const ask = async (headers: Record<string, string>) =>
    (await fetch(`${server.url}/api/auth/whoami`, { headers })).status;
  expect(await ask({ "x-session-token": token })).toBe(401);
  expect(await ask({ cookie: `ory_kratos_session=${token}` })).toBe(401);
  const local = await createLocalSession(server.ctx);
  expect(await ask({ "x-session-token": local.token })).toBe(200);
  await local.revoke();
  expect(await ask({ "x-session-token": local.token })).toBe(401);
});

test("links and first administrators are not made here", async () => {
  await expect(createRecoveryLink(server.ctx, id)).rejects.toMatchObject({ code: "unsupported" });
  expect(await createFirstAdministrator(server.ctx, server.ctx.config)).toMatchObject({
    created: false,
  });
});

test.each([
  "/admin/identities",
  "/metrics/prometheus",
  "/self-service/../admin",
  "/health/ready",
  "/",
])("%s is not sent on", async (path) => {
  const reply = await fetch(`${server.url}/api/.ory${path}`);
  expect(reply.status).toBe(404);
});
