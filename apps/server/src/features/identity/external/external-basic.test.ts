import { afterAll, beforeAll, expect, test } from "vitest";
import { linkApp, startFactorServer } from "../testing/second-factors.ts";
import {
  type IdentityServer,
  PASSWORD,
  signInAsBrowser,
  startIdentityServer,
} from "../testing/identity-server.ts";

let kratos: IdentityServer;
let server: IdentityServer;
beforeAll(async () => {
  kratos = await startFactorServer();
  server = await startIdentityServer({ identityUrl: `${kratos.url}/api/.ory` });
});
afterAll(async () => {
  await server.stop();
  await kratos.stop();
});

const ask = (user: string, password: string, headers: Record<string, string> = {}) =>
  fetch(`${server.url}/api/auth/whoami`, {
    headers: {
      authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
      ...headers,
    },
  });
const flows = async () =>
  (await kratos.db.raw("select count(*)::int as n from identity_flows")).rows[0]!.n as number;

test("an address and its password are somebody, and are asked about once", async () => {
  const { id } = await kratos.createPerson("ada@example.org");
  const before = await flows();
  const replies = await Promise.all([1, 2, 3].map(() => ask("ada@example.org", PASSWORD)));
  for (const reply of replies)
    expect(await reply.json()).toMatchObject({ payload: { user: { id } } });
  expect((await ask("ADA@example.org", PASSWORD)).status).toBe(200);
  expect(await flows()).toBe(before + 1);
});

test("a wrong password is nobody, and is not asked about again", async () => {
  await kratos.createPerson("eve@example.org");
  const before = await flows();
  for (let n = 0; n < 3; n += 1) {
    const reply = await ask("eve@example.org", "wrong");
    expect(reply.status).toBe(401);
    expect(await reply.text()).toContain("Authorization Error");
  }
  expect(await flows()).toBe(before + 1);
});

test("so many wrong ones are enough, for who sends them from there", async () => {
  await kratos.createPerson("mal@example.org");
  const statuses = new Set<number>();
  for (let n = 0; n < 12; n += 1) statuses.add((await ask("mal@example.org", `wrong ${n}`)).status);
  expect(statuses).toEqual(new Set([401, 429]));
});

test("who is signed out there has to show the password again, and who has a second factor may not", async () => {
  const { id } = await kratos.createPerson("two@example.org");
  expect((await ask("two@example.org", PASSWORD)).status).toBe(200);
  await kratos.db.raw("update identity_sessions set active = false where identity_id = $1", [id]);
  kratos.advance(6_000);
  server.advance(6_000);
  const before = await flows();
  expect((await ask("two@example.org", PASSWORD)).status).toBe(200);
  expect(await flows()).toBe(before + 1);
  await linkApp(kratos, await signInAsBrowser(kratos, "two@example.org"));
  kratos.advance(6_000);
  server.advance(6_000);
  expect((await ask("two@example.org", PASSWORD)).status).toBe(403);
});

test("an outage is told as one, and no try is counted", async () => {
  const lost = await startIdentityServer({ identityUrl: "http://127.0.0.1:1" });
  try {
    for (let n = 0; n < 12; n += 1) {
      const reply = await fetch(`${lost.url}/api/auth/whoami`, {
        headers: { authorization: `Basic ${Buffer.from("a@b.example:x").toString("base64")}` },
      });
      expect(reply.status).toBe(503);
    }
  } finally {
    await lost.stop();
  }
});
