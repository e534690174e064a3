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
