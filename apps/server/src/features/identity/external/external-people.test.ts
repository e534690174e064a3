import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { grantRole } from "#features/roles/index.ts";
import { Walker } from "../testing/flows.ts";
import { type IdentityServer, PASSWORD, startIdentityServer } from "../testing/identity-server.ts";

/** What an administrator does here with people who sign in elsewhere. */
let kratos: IdentityServer;
let server: IdentityServer;
let admin: Walker;
let ada: Walker;
let id: string;
let email: string;
let made = 0;
beforeAll(async () => {
  kratos = await startIdentityServer();
  server = await startIdentityServer({ identityUrl: `${kratos.url}/api/.ory` });
  const root = await kratos.createPerson("root@example.org");
  admin = await signIn("root@example.org");
  await whoami(admin);
  await server.ctx.tx((tx) => grantRole(tx, root.id, "admin"));
  server.advance(6_000);
});
afterAll(async () => {
  await server.stop();
  await kratos.stop();
});
beforeEach(async () => {
  email = `ada-${++made}@example.org`;
  ({ id } = await kratos.createPerson(email));
  ada = await signIn(email);
  expect((await whoami(ada)).status).toBe(200);
});

async function signIn(identifier: string): Promise<Walker> {
  const walker = new Walker(server, { isProgram: true });
  const { body: flow } = await walker.begin("login");
  const sent = { method: "password", identifier, password: PASSWORD };
  expect((await walker.send("login", flow, sent)).status).toBe(200);
  return walker;
}
const call = async (walker: Walker, method: string, path: string, body?: object) => {
  const reply = await fetch(server.url + path, {
    method,
    headers: {
      "x-session-token": walker.token!,
      ...(body ? { "content-type": "application/json" } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await reply.text();
  return { status: reply.status, text };
};
const whoami = (walker: Walker) => call(walker, "GET", "/api/auth/whoami");
const ofAda = (changes: object = {}) => ({
  id,
  firstName: "Ada",
  lastName: "Lovelace",
  email,
  ...changes,
});

test("roles are given here, names and addresses there", async () => {
  const change = (changes: object) => call(admin, "POST", "/api/people/update", ofAda(changes));
  expect((await change({ role: "editor" })).status).toBe(200);
  server.advance(6_000);
  expect(JSON.parse((await whoami(ada)).text)).toMatchObject({ payload: { roles: ["editor"] } });
  for (const changes of [{ lastName: "King" }, { email: "king@example.org" }]) {
    const { status, text } = await change(changes);
    expect([status, text]).toEqual([501, expect.stringContaining("IDENTITY_URL")]);
  }
});

test("who is deactivated here is nobody here, until activated again", async () => {
  const set = (state: string) => call(admin, "POST", `/api/auth/${id}/update_state`, { id, state });
  expect((await set("inactive")).status).toBe(200);
  server.advance(6_000);
  expect((await whoami(ada)).status).toBe(401);
  expect((await set("active")).status).toBe(200);
  server.advance(6_000);
  expect((await whoami(ada)).status).toBe(200);
});

test("who is deleted here stays out, whatever the service says", async () => {
  expect((await call(admin, "DELETE", `/api/people/${id}`)).status).toBeLessThan(300);
  server.advance(6_000);
  expect((await whoami(ada)).status).toBe(401);
  expect((await whoami(await signIn(email))).status).toBe(401);
});

test.each([
  ["POST", "/api/auth/invite_user", { firstName: "G", lastName: "H", email: "g@example.org" }],
  ["POST", "/api/people/:id/sign-in-link", {}],
  ["POST", "/api/people/:id/reset-second-factor", {}],
])("%s %s says where it is done", async (method, path, body) => {
  const { status, text } = await call(admin, method, path.replace(":id", id), body);
  expect(status).toBe(501);
  expect(text).toMatch(/identity service/);
});
