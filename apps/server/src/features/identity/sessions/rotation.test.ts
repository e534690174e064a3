import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Walker } from "../testing/flows.ts";
import { type IdentityServer, PASSWORD } from "../testing/identity-server.ts";
import { codeOf, linkApp, startFactorServer } from "../testing/second-factors.ts";

/** Whoever knew a session before somebody signed in has nothing afterwards. */
const COOKIE = "ory_kratos_session";
let server: IdentityServer;
let email: string;
let made = 0;
beforeAll(async () => {
  server = await startFactorServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  email = `ada-${++made}@example.org`;
  await server.createPerson(email);
});

async function signIn(walker: Walker, query: Record<string, string> = {}, identifier = email) {
  const { body: flow } = await walker.begin("login", query);
  const sent = { method: "password", identifier, password: PASSWORD };
  expect([200, 422]).toContain((await walker.send("login", flow, sent)).status);
}
async function statusWith(token: string): Promise<number> {
  const reply = await fetch(`${server.url}/api/.ory/sessions/whoami`, {
    headers: { cookie: `${COOKIE}=${token}` },
  });
  return reply.status;
}

test.each(["", "x", "a".repeat(43)])(
  "a session %j that was planted is not taken over",
  async (planted) => {
    const walker = new Walker(server);
    walker.jar.set(COOKIE, planted);
    await signIn(walker);
    expect(walker.jar.get(COOKIE)).not.toBe(planted);
    expect(await statusWith(planted)).toBe(401);
    expect(await statusWith(walker.jar.get(COOKIE)!)).toBe(200);
  },
);

test("somebody else's living session in the browser does not become one's own", async () => {
  const thief = `thief-${made}@example.org`;
  const { id } = await server.createPerson(thief);
  const walker = new Walker(server);
  const { body: flow } = await walker.begin("login");
  const other = new Walker(server);
  await signIn(other, {}, thief);
  const planted = other.jar.get(COOKIE)!;
  walker.jar.set(COOKIE, planted);
  const sent = { method: "password", identifier: email, password: PASSWORD };
  const { status, body } = await walker.send("login", flow, sent);
  expect([status, body]).toMatchObject([400, { error: { id: "session_already_available" } }]);
  const { body: whose } = await other.whoami();
  expect(whose).toMatchObject({ identity: { id } });
});

test("who has no second factor is not asked for one", async () => {
  const walker = new Walker(server);
  await signIn(walker);
  const { status, body } = await walker.begin("login", { aal: "aal2" });
  expect([status, body]).toMatchObject([400, { error: { id: "session_already_available" } }]);
  expect(
    await walker.visit("/api/.ory/self-service/login/browser?aal=aal2&return_to=/health"),
  ).toBe("303 /health");
});

describe("a new token, and the one before is void, when", () => {
  test("somebody confirms who they are", async () => {
    const walker = new Walker(server);
    await signIn(walker);
    const before = walker.jar.get(COOKIE)!;
    await signIn(walker, { refresh: "true" });
    expect(walker.jar.get(COOKIE)).not.toBe(before);
    expect([await statusWith(before), await statusWith(walker.jar.get(COOKIE)!)]).toEqual([
      401, 200,
    ]);
  });

  test("a program confirms who it is", async () => {
    const walker = new Walker(server, { isProgram: true });
    await signIn(walker);
    const before = walker.token!;
    await signIn(walker, { refresh: "true" });
    expect(walker.token).not.toBe(before);
    expect((await server.client.toSession({ xSessionToken: before })).status).toBe(401);
    expect((await walker.whoami()).status).toBe(200);
  });

  test("somebody shows a second factor", async () => {
    const setup = new Walker(server);
    await signIn(setup);
    const secret = await linkApp(server, setup.jar);
    server.advance(30_000);
    const walker = new Walker(server);
    await signIn(walker);
    const before = walker.jar.get(COOKIE)!;
    const { body: flow } = await walker.begin("login", { aal: "aal2" });
    const code = { method: "totp", totp_code: codeOf(server, secret) };
    expect((await walker.send("login", flow, code)).status).toBe(200);
    const after = walker.jar.get(COOKIE)!;
    expect(after).not.toBe(before);
    expect([await statusWith(before), await statusWith(after)]).toEqual([401, 200]);
  });
});
