import { verify } from "@node-rs/argon2";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import {
  beginLogin,
  CookieJar,
  csrfTokenOf,
  type IdentityServer,
  PASSWORD,
  type Sent,
  sendLogin,
  signInAsBrowser,
  signInAsProgram,
  startIdentityServer,
} from "../testing/identity-server.ts";

// The real library, watched.
vi.mock("@node-rs/argon2", { spy: true });

let server: IdentityServer;
beforeAll(async () => {
  server = await startIdentityServer({ publicUrl: "https://mainstay.example.org" });
  await server.createPerson("ada@example.org", "editor");
});
afterAll(() => server.stop());
beforeEach(() => {
  vi.mocked(verify).mockReset();
});

const begin = () => beginLogin(server);
const send = (sent: Sent) => sendLogin(server, sent);
const sessions = async () => (await server.db.raw("select from identity_sessions")).rowCount!;

describe("cross-site forgery", () => {
  test("without, with a foreign and with a tampered token or cookie nothing is let in", async () => {
    const before = await sessions();
    const { jar, flow } = await begin();
    const other = await begin();
    const token = csrfTokenOf(flow);
    const tampered = new CookieJar();
    tampered.set("csrf_token_mainstay", `${"A".repeat(42)}B`);
    const cases: Sent[] = [
      { flow: flow.id, cookie: jar.toString() },
      { flow: flow.id, cookie: jar.toString(), fields: { csrf_token: "" } },
      { flow: flow.id, cookie: jar.toString(), fields: { csrf_token: { token } } },
      { flow: flow.id, cookie: jar.toString(), fields: { csrf_token: `${token}x` } },
      { flow: flow.id, cookie: jar.toString(), fields: { csrf_token: csrfTokenOf(other.flow) } },
      { flow: flow.id, fields: { csrf_token: token } },
      { flow: flow.id, cookie: other.jar.toString(), fields: { csrf_token: token } },
      { flow: flow.id, cookie: tampered.toString(), fields: { csrf_token: token } },
      // Another site that has planted its own cookie and flow.
      {
        flow: flow.id,
        cookie: jar.toString(),
        fields: { csrf_token: token },
        headers: { "sec-fetch-site": "cross-site" },
      },
      {
        flow: flow.id,
        cookie: jar.toString(),
        fields: { csrf_token: token },
        headers: { origin: "https://evil.example" },
      },
      {
        flow: flow.id,
        cookie: jar.toString(),
        fields: { csrf_token: token },
        headers: { origin: "null" },
      },
    ];
    for (const sent of cases) {
      const { status, body, headers } = await send(sent);
      expect([status, body]).toMatchObject([403, { error: { id: "security_csrf_violation" } }]);
      expect(headers.getSetCookie()).toEqual([]);
    }
    expect(verify).not.toHaveBeenCalled();
    expect(await sessions()).toBe(before);
    const good = await send({
      flow: flow.id,
      cookie: jar.toString(),
      fields: { csrf_token: token },
      headers: { origin: "https://mainstay.example.org" },
    });
    expect(good.status).toBe(200);
    expect(
      good.headers.getSetCookie().find((line) => line.startsWith("ory_kratos_session")),
    ).toContain("; Secure");
  });

  test("another browser cannot read the flow", async () => {
    const { flow } = await begin();
    const other = await begin();
    for (const cookie of [undefined, other.jar.toString()]) {
      const { status, data } = await server.client.getLoginFlow({ id: flow.id, cookie });
      expect([status, data]).toMatchObject([403, { error: { id: "security_csrf_violation" } }]);
    }
  });

  test("a program's flow cannot be used by a browser", async () => {
    const before = await sessions();
    const { data: flow } = await server.client.createNativeLoginFlow({});
    const fromBrowsers: Partial<Sent>[] = [
      { cookie: "anything=1" },
      { headers: { origin: "https://mainstay.example.org" } },
    ];
    for (const sent of fromBrowsers) {
      expect((await send({ flow: flow.id, ...sent })).status).toBe(400);
    }
    expect(await sessions()).toBe(before);
    expect((await send({ flow: flow.id })).status).toBe(200);
  });

  test("what another site sends with somebody's cookie is refused, with a token in a header it is not", async () => {
    const jar = await signInAsBrowser(server, "ada@example.org");
    const token = await signInAsProgram(server, "ada@example.org");
    const write = async (headers: Record<string, string>) =>
      (await fetch(`${server.url}/api/test/write`, { method: "POST", headers })).status;
    const cookie = jar.toString();
    expect(await write({ cookie })).toBe(200);
    expect(await write({ cookie, origin: "https://mainstay.example.org" })).toBe(200);
    expect(await write({ cookie, origin: server.url })).toBe(200);
    expect(await write({ cookie, origin: "https://evil.example" })).toBe(403);
    expect(await write({ cookie, "sec-fetch-site": "cross-site" })).toBe(403);
    expect(
      await write({ cookie, "sec-fetch-site": "same-site", origin: "https://sibling.example.org" }),
    ).toBe(403);
    expect(await write({ "x-session-token": token, origin: "https://evil.example" })).toBe(200);
    expect(await write({ authorization: `Bearer ${token}`, "sec-fetch-site": "cross-site" })).toBe(
      200,
    );
    expect(await write({})).toBe(401);
    const read = await fetch(`${server.url}/api/auth/whoami`, {
      headers: { cookie, "sec-fetch-site": "cross-site" },
    });
    expect(read.status).toBe(200);
  });

  test("a link with a wrong token signs nobody out", async () => {
    const jar = await signInAsBrowser(server, "ada@example.org");
    for (const [token, status] of [
      ["", 400],
      ["wrong", 403],
      ["x".repeat(43), 403],
    ] as const) {
      expect((await server.client.updateLogoutFlow({ token, cookie: jar.toString() })).status).toBe(
        status,
      );
    }
    expect((await server.client.toSession({ cookie: jar.toString() })).status).toBe(200);
  });
});

describe("the life of a flow", () => {
  test("an expired one is replaced by a fresh one that works", async () => {
    const { jar, flow } = await begin();
    server.advance(61 * 60_000);
    const seen = await server.client.getLoginFlow({ id: flow.id, cookie: jar.toString() });
    expect([seen.status, seen.data]).toMatchObject([
      410,
      { error: { id: "self_service_flow_expired", code: 410, status: "Gone" } },
    ]);

    const { status, body } = await send({
      flow: flow.id,
      cookie: jar.toString(),
      fields: { csrf_token: csrfTokenOf(flow) },
    });
    expect([status, body]).toMatchObject([
      410,
      { error: { id: "self_service_flow_expired" }, expired_at: flow.expires_at },
    ]);
    expect(body.since).toBeGreaterThan(0);
    const { data: fresh } = await server.client.getLoginFlow({
      id: body.use_flow_id as string,
      cookie: jar.toString(),
    });
    expect(fresh).toMatchObject({ return_to: "/health", ui: { messages: [{ id: 4010001 }] } });
    const signedIn = await send({
      flow: fresh.id,
      cookie: jar.toString(),
      fields: { csrf_token: csrfTokenOf(fresh) },
    });
    expect(signedIn.status).toBe(200);
  });

  test("a completed one cannot be replayed, and of many at once one succeeds", async () => {
    const before = await sessions();
    const { jar, flow } = await begin();
    const sent = {
      flow: flow.id,
      cookie: jar.toString(),
      fields: { csrf_token: csrfTokenOf(flow) },
    };
    const many = await Promise.all(Array.from({ length: 5 }, () => send(sent)));
    expect(many.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([
      200, 410, 410, 410, 410,
    ]);
    const replayed = await send(sent);
    expect([replayed.status, replayed.body]).toMatchObject([
      410,
      { error: { id: "self_service_flow_expired" } },
    ]);
    expect(await sessions()).toBe(before + 1);
  });

  test("a flow with a sign that is no text is no address", async () => {
    expect((await send({ flow: "%00" })).status).toBe(400);
  });

  test.each(["", "x", "5f0c6f0e-0000-4000-8000-000000000000", "' or 1=1 --", "a&flow=b"])(
    "flow %j is not there",
    async (id) => {
      const { status, body } = await send({ flow: id });
      expect([status, body]).toMatchObject([404, { error: { code: 404 } }]);
      expect((await server.client.getLoginFlow({ id })).status).toBe(404);
    },
  );
});

test.each(["//evil.example", "/\\evil.example", "/%2Fevil.example", "https://evil.example/"])(
  "%s is no way back",
  async (returnTo) => {
    const begun = await server.client.createBrowserLoginFlow({ returnTo });
    expect([begun.status, begun.data]).toMatchObject([
      400,
      { error: { id: "self_service_flow_return_to_forbidden" } },
    ]);
    const jar = await signInAsBrowser(server, "ada@example.org");
    const { data: logout } = await server.client.createBrowserLogoutFlow({
      cookie: jar.toString(),
    });
    const out = await server.client.updateLogoutFlow({
      token: logout.logout_token,
      returnTo,
      cookie: jar.toString(),
    });
    expect(out.data).toMatchObject({ error: { id: "self_service_flow_return_to_forbidden" } });
    expect((await server.client.toSession({ cookie: jar.toString() })).status).toBe(401);
  },
);

describe("what is sent", () => {
  const strange: [string, Record<string, unknown>][] = [
    ["fields of other types", { identifier: { $ne: null }, password: ["x"] }],
    ["numbers", { identifier: 1, password: 2 }],
    ["a zero byte", { identifier: "ada@example.org\u0000", password: PASSWORD }],
    ["half a character", { identifier: "\ud800@example.org", password: "\udfff" }],
    ["a script", { identifier: "<script>alert(1)</script>", password: "x" }],
    ["SQL", { identifier: "' or true --", password: "' or true --" }],
    ["a long address", { identifier: "a".repeat(5000), password: "x" }],
    ["a long password", { identifier: "ada@example.org", password: "x".repeat(10_000) }],
    [
      "the password and more",
      { identifier: "ada@example.org", password: `${PASSWORD}${" ".repeat(2000)}` },
    ],
    ["a wildcard", { identifier: "%@example.org", password: PASSWORD }],
  ];
  test("strange fields are a refused sign-in like any other", async () => {
    const before = await sessions();
    const { jar, flow } = await begin();
    for (const [name, fields] of strange) {
      const { status, body } = await send({
        flow: flow.id,
        cookie: jar.toString(),
        fields: { csrf_token: csrfTokenOf(flow), ...fields },
      });
      expect([name, status, body.id]).toEqual([name, 400, flow.id]);
      const seen = await server.client.getLoginFlow({ id: flow.id, cookie: jar.toString() });
      expect(seen.status).toBe(200);
    }
    expect(await sessions()).toBe(before);
  });

  test.each<[string, RequestInit, number]>([
    [
      "a giant body",
      {
        method: "POST",
        body: JSON.stringify({ password: "x".repeat(100_000) }),
        headers: { "content-type": "application/json" },
      },
      413,
    ],
    [
      "no JSON",
      { method: "POST", body: "{", headers: { "content-type": "application/json" } },
      403,
    ],
    [
      "a list",
      { method: "POST", body: "[]", headers: { "content-type": "application/json" } },
      403,
    ],
    [
      "plain text, as a form of another site could",
      { method: "POST", body: "{}", headers: { "content-type": "text/plain" } },
      403,
    ],
    ["no body", { method: "POST" }, 403],
    ["another method", { method: "GET" }, 404],
    [
      "another method still",
      { method: "PUT", body: "{}", headers: { "content-type": "application/json" } },
      404,
    ],
  ])("%s is refused", async (_name, init, status) => {
    const { flow } = await begin();
    const reply = await fetch(`${server.url}/api/.ory/self-service/login?flow=${flow.id}`, init);
    expect(reply.status).toBe(status);
    expect(await reply.json()).toHaveProperty("error");
  });
});
