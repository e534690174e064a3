import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type IdentityServer,
  PASSWORD,
  sendLogin,
  startIdentityServer,
  beginLogin,
  csrfTokenOf,
} from "../testing/identity-server.ts";

let trusting: IdentityServer;
let wary: IdentityServer;
beforeAll(async () => {
  [trusting, wary] = await Promise.all([
    startIdentityServer({ trustProxy: ["127.0.0.1"] }),
    startIdentityServer(),
  ]);
  for (const server of [trusting, wary]) await server.createPerson("ada@example.org");
});
afterAll(() => Promise.all([trusting.stop(), wary.stop()]));

const forwarded = {
  "x-forwarded-proto": "https",
  "x-forwarded-host": "mainstay.example.org",
  "x-forwarded-for": "192.0.2.7",
  origin: "https://mainstay.example.org",
};

async function signIn(server: IdentityServer) {
  const { jar, flow } = await beginLogin(server);
  const fields = { csrf_token: csrfTokenOf(flow), password: PASSWORD };
  return await sendLogin(server, {
    flow: flow.id,
    cookie: jar.toString(),
    fields,
    headers: forwarded,
  });
}

test("a trusted proxy says who asks, how, and for which address", async () => {
  const { status, headers, body } = await signIn(trusting);
  expect(status).toBe(200);
  expect(body).toMatchObject({ session: { devices: [{ ip_address: "192.0.2.7" }] } });
  expect(headers.getSetCookie()).toContainEqual(
    expect.stringMatching(/^ory_kratos_session=.*; Secure/),
  );
});

test("anybody else who says so is not believed", async () => {
  const { status, body } = await signIn(wary);
  expect([status, body]).toMatchObject([403, { error: { id: "security_csrf_violation" } }]);
});

test.each([
  ["ports", (index: number) => `192.0.2.9:${1024 + index}`],
  ["addresses of one network", (index: number) => `2001:db8:0:9::${index + 1}`],
  ["brackets and ports", (index: number) => `[2001:db8:0:8::1]:${1024 + index}`],
  ["forms of one address", (index: number) => (index % 2 ? "192.0.2.8" : "::ffff:c000:208")],
  ["addresses in front of one's own", (index: number) => `198.51.100.${index}, 192.0.2.6`],
  ["names that are no addresses", (index: number) => `unknown-${index}`],
])("behind a trusted proxy %s make nobody many senders", async (_what, from) => {
  const { data: flow } = await trusting.client.createNativeLoginFlow({});
  const said = await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      const { body } = await sendLogin(trusting, {
        flow: flow.id,
        fields: { password: "wrong" },
        headers: { "x-forwarded-for": from(index) },
      });
      return (body.ui as typeof flow.ui).messages![0]!.id;
    }),
  );
  expect(said.filter((id) => id === 4000006)).toHaveLength(10);
});

test("without a trusted proxy nobody can pretend to be many addresses", async () => {
  const { data: flow } = await wary.client.createNativeLoginFlow({});
  const attempt = async (index: number) => {
    const { body } = await sendLogin(wary, {
      flow: flow.id,
      fields: { password: "wrong" },
      headers: { "x-forwarded-for": `192.0.2.${index}` },
    });
    return (body.ui as typeof flow.ui).messages![0]!.id;
  };
  const said = await Promise.all(Array.from({ length: 12 }, (_, index) => attempt(index)));
  expect(said.filter((id) => id === 4000006)).toHaveLength(10);
});
