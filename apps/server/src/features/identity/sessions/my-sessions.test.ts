import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type CookieJar,
  type IdentityServer,
  signInAsBrowser,
  signInAsProgram,
  startIdentityServer,
} from "../testing/identity-server.ts";
import { createSession } from "./sessions.ts";

let server: IdentityServer;
let email: string;
let jar: CookieJar;
let made = 0;
beforeAll(async () => {
  server = await startIdentityServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  email = `ada-${++made}@example.org`;
  await server.createPerson(email);
  jar = await signInAsBrowser(server, email);
});

const cookie = () => jar.toString();
const isAlive = async (token: string) =>
  (await server.client.toSession({ xSessionToken: token })).status === 200;

test("the other sessions of a person, with their devices and when they were seen", async () => {
  const token = await signInAsProgram(server, email);
  await server.createPerson(`other-${made}@example.org`);
  await signInAsProgram(server, `other-${made}@example.org`);
  const { status, data, headers } = await server.client.listMySessions({ cookie: cookie() });
  expect([status, headers["x-total-count"]]).toEqual([200, "1"]);
  const { data: own } = await server.client.toSession({ xSessionToken: token });
  expect(data).toMatchObject([
    {
      id: own.id,
      active: true,
      authenticator_assurance_level: "aal1",
      identity: { id: own.identity!.id, traits: { email } },
      devices: [{ ip_address: "127.0.0.1", user_agent: expect.stringContaining("axios") }],
      last_seen_at: expect.any(String),
    },
  ]);
  expect(JSON.stringify(data)).not.toContain("token");
});

test("the command line's session is nobody's device: it is not listed, and not ended from here", async () => {
  const { id } = await server.createPerson(`admin-${made}@example.org`, "admin");
  const { token } = await createSession(server.db, {
    identityId: id,
    method: "local",
    device: {},
    now: server.ctx.clock.now(),
  });
  const admin = await signInAsProgram(server, `admin-${made}@example.org`);
  const { status, data } = await server.client.listMySessions({ xSessionToken: admin });
  expect([status, data]).toEqual([200, []]);
  const { data: own } = await server.client.toSession({ xSessionToken: token });
  const ended = await server.client.disableMySession({ id: own.id, xSessionToken: admin });
  expect(ended.status).toBe(204);
  expect(await isAlive(token)).toBe(true);
});

test("one is signed out, then every other; this one stays", async () => {
  const tokens = [
    await signInAsProgram(server, email),
    await signInAsProgram(server, email),
    await signInAsProgram(server, email),
  ];
  const { data: first } = await server.client.toSession({ xSessionToken: tokens[0]! });
  expect((await server.client.disableMySession({ id: first.id, cookie: cookie() })).status).toBe(
    204,
  );
  expect(await Promise.all(tokens.map(isAlive))).toEqual([false, true, true]);
  const all = await server.client.disableMyOtherSessions({ cookie: cookie() });
  expect([all.status, all.data]).toEqual([200, { count: 2 }]);
  expect(await Promise.all(tokens.map(isAlive))).toEqual([false, false, false]);
  const kept = await server.client.listMySessions({ cookie: cookie() });
  expect([kept.status, kept.data]).toEqual([200, []]);
});

test("what has expired or was idle for too long is not listed", async () => {
  await signInAsProgram(server, email);
  server.advance(11 * 3_600_000);
  expect((await server.client.listMySessions({ cookie: cookie() })).data).toHaveLength(1);
  server.advance(2 * 3_600_000);
  expect((await server.client.listMySessions({ cookie: cookie() })).data).toEqual([]);
});

describe("what is not let in", () => {
  test("nobody", async () => {
    for (const { status, data } of [
      await server.client.listMySessions({}),
      await server.client.disableMyOtherSessions({}),
      await server.client.disableMySession({ id: crypto.randomUUID() }),
    ])
      expect([status, data]).toMatchObject([401, { error: { id: "session_inactive" } }]);
  });

  test("another person's session, one's own, and what is no id", async () => {
    const address = `other-${made}@example.org`;
    await server.createPerson(address);
    const token = await signInAsProgram(server, address);
    const { data: other } = await server.client.toSession({ xSessionToken: token });
    const { data: own } = await server.client.toSession({ cookie: cookie() });
    const revoke = async (id: string) =>
      (await server.client.disableMySession({ id, cookie: cookie() })).status;
    // Not told from one that is nobody's.
    expect([await revoke(other.id), await revoke(crypto.randomUUID())]).toEqual([204, 204]);
    expect(await isAlive(token)).toBe(true);
    expect(await revoke(own.id)).toBe(400);
    expect(await revoke("x")).toBe(404);
    expect(await isAlive(token)).toBe(true);
  });

  test("another site", async () => {
    const token = await signInAsProgram(server, email);
    const reply = await fetch(`${server.url}/api/.ory/sessions`, {
      method: "DELETE",
      headers: { cookie: cookie(), origin: "https://evil.example" },
    });
    expect([reply.status, await reply.json()]).toMatchObject([
      403,
      { error: { id: "security_csrf_violation" } },
    ]);
    expect(await isAlive(token)).toBe(true);
  });

  test.each(["0", "-1", "x", "1e9", "99999999999"])("a page of %s", async (size) => {
    const reply = await fetch(`${server.url}/api/.ory/sessions?page_size=${size}`, {
      headers: { cookie: cookie(), accept: "application/json" },
    });
    expect(reply.status).toBe(400);
  });
});

test("an identity says where its schema is, and there it is", async () => {
  const { data } = await server.client.toSession({ cookie: cookie() });
  for (const address of [data.identity!.schema_url, `${server.url}/api/.ory/schemas/default`])
    expect(await (await fetch(address)).json()).toMatchObject({
      properties: { traits: { properties: { email: { format: "email" } } } },
    });
  expect((await fetch(`${server.url}/api/.ory/schemas/other`)).status).toBe(404);
  expect(await (await fetch(`${server.url}/api/.ory/schemas`)).json()).toMatchObject([
    { id: "default", schema: { type: "object" } },
  ]);
});

test("what fails on the way to a page is kept and shown there", async () => {
  const visit = (path: string) =>
    fetch(server.url + path, { redirect: "manual", headers: { accept: "text/html" } });
  const failed = await visit("/api/.ory/self-service/login/browser?return_to=//evil.example");
  expect(failed.status).toBe(303);
  const id = /^\/error\?id=([0-9a-f-]{36})$/.exec(failed.headers.get("location")!)![1]!;
  const { status, data } = await server.client.getFlowError({ id });
  expect([status, data]).toMatchObject([
    200,
    { id, error: { id: "self_service_flow_return_to_forbidden", code: 400 } },
  ]);
  expect((await visit("/api/.ory/self-service/logout/browser")).headers.get("location")).toBe(
    "/login",
  );
  expect((await server.client.getFlowError({ id: "x" })).status).toBe(404);
});
