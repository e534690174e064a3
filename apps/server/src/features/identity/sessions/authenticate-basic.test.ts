import sql from "sql-template-tag";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../../testing/app.ts";
import { type Address, normalAddress } from "#platform/address.ts";
import { createIdentity } from "../create-identity.ts";
import { saveCredential } from "../credentials.ts";
import { forgetSessions } from "./sessions.ts";

const PASSWORD = "correct horse battery staple";

let server: TestApp;
beforeAll(async () => {
  server = await startTestApp();
});
afterAll(() => server.stop());

let email: Address;
let id: string;
beforeEach(async () => {
  email = normalAddress(`${crypto.randomUUID()}@example.org`)!;
  ({ id } = await createIdentity(server.db, {
    email,
    firstName: "Ada",
    lastName: "Lovelace",
    password: PASSWORD,
  }));
});

const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
});
const whoami = (headers: Record<string, string>) => server.nobody.get("/api/auth/whoami", headers);
const sessions = () =>
  server.db.rows<{ id: string; minutes: number }>(sql`
    select id, extract(epoch from expires_at - issued_at)::int / 60 as minutes
      from identity_sessions where identity_id = ${id}`);

test("a password signs in, once for half an hour of requests", async () => {
  const replies = await Promise.all([1, 2, 3, 4].map(() => whoami(basic(email, PASSWORD))));
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(replies[0]!.json.payload.user).toMatchObject({ id, email });
  expect((await whoami(basic(email.toUpperCase(), PASSWORD))).status).toBe(200);
  expect(await sessions()).toEqual([{ id: expect.any(String), minutes: 30 }]);
});

describe("what does not count any more", () => {
  test("a session that was revoked: the password is asked for again", async () => {
    await whoami(basic(email, PASSWORD));
    await server.db.run(sql`update identity_sessions set active = false where identity_id = ${id}`);
    forgetSessions(server.app.ctx);
    expect((await whoami(basic(email, PASSWORD))).status).toBe(200);
    expect(await sessions()).toHaveLength(2);
  });

  test("a password that was changed, at once", async () => {
    await whoami(basic(email, PASSWORD));
    const other = await createIdentity(server.db, {
      email: normalAddress(`${crypto.randomUUID()}@example.org`)!,
      firstName: "",
      lastName: "",
      password: "another long pass phrase",
    });
    await server.db.run(sql`
      update identity_credentials set config = (select config from identity_credentials where identity_id = ${other.id})
       where identity_id = ${id}`);
    expect((await whoami(basic(email, PASSWORD))).status).toBe(401);
    expect((await whoami(basic(email, "another long pass phrase"))).status).toBe(200);
  });

  test("somebody who was deactivated", async () => {
    await whoami(basic(email, PASSWORD));
    await server.db.run(sql`update identities set state = 'inactive' where id = ${id}`);
    forgetSessions(server.app.ctx);
    const reply = await whoami(basic(email, PASSWORD));
    expect([reply.status, reply.json.error]).toEqual([403, expect.stringContaining("deactivated")]);
    expect((await whoami(basic(email, "wrong"))).status).toBe(401);
  });
});

test("whoever has a second factor is told to use a token", async () => {
  await whoami(basic(email, PASSWORD));
  await saveCredential(server.db, id, "totp", {});
  forgetSessions(server.app.ctx);
  for (const password of [PASSWORD, PASSWORD]) {
    const reply = await whoami(basic(email, password));
    expect([reply.status, reply.json.error]).toEqual([
      403,
      expect.stringContaining("Use an access token"),
    ]);
  }
  // Nothing is told to who does not know the password.
  expect((await whoami(basic(email, "wrong"))).json.error).toBe("Authorization Error");
});

test.each([
  ["a wrong password", () => basic(email, "wrong")],
  ["nobody's address", () => basic("nobody@example.org", PASSWORD)],
  ["no password", () => basic(email, "")],
  ["nobody", () => basic("", "")],
  ["no colon", () => ({ authorization: `Basic ${Buffer.from(email).toString("base64")}` })],
  ["no base64", () => ({ authorization: "Basic ;;;" })],
  ["a zero byte", () => basic(`${email}\u0000`, PASSWORD)],
  ["an endless password", () => basic(email, "x".repeat(4000))],
])("%s is refused, all in the same words", async (_what, headers) => {
  const reply = await whoami(headers());
  expect([reply.status, reply.json.error]).toEqual([401, "Authorization Error"]);
  expect(reply.headers.get("www-authenticate")).toBeNull();
  expect(await sessions()).toEqual([]);
});

test("another site's page cannot use what a browser remembers", async () => {
  const foreign = { origin: "https://evil.example.org", "sec-fetch-site": "cross-site" };
  const write = (headers: Record<string, string>) =>
    server.nobody.post("/api/auth/tokens", { name: crypto.randomUUID() }, headers);
  expect((await write({ ...basic(email, PASSWORD), ...foreign })).status).toBe(403);
  expect((await write(basic(email, PASSWORD))).status).toBe(201);
});

test("guesses are slowed down, together with those at the form; the same wrong one costs nothing", async () => {
  const statuses: number[] = [];
  for (let guess = 0; guess < 12; guess += 1)
    statuses.push((await whoami(basic(email, `guess ${guess}`))).status);
  expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);
  const flow = await server.nobody.get("/api/.ory/self-service/login/api");
  const atForm = await server.nobody.post(`/api/.ory/self-service/login?flow=${flow.json.id}`, {
    method: "password",
    identifier: email,
    password: PASSWORD,
  });
  expect(atForm.json.ui.messages[0].text).toMatch(/^Too many failed attempts/);
  expect((await whoami(basic(email, "guess 0"))).status).toBe(401);
  // Whoever is in stays in: nobody can be locked out by guesses from elsewhere, and not from here for others.
  const other = normalAddress(`${crypto.randomUUID()}@example.org`)!;
  await createIdentity(server.db, {
    email: other,
    firstName: "",
    lastName: "",
    password: PASSWORD,
  });
  expect((await whoami(basic(other, PASSWORD))).status).toBe(200);
});
