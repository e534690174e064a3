import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { cleanUpIdentity } from "../clean-up.ts";
import { flowKindNames, flowKinds } from "./flow-kinds.ts";
import { type FlowBody, type Kind, messageIds, successorOf, Walker } from "../testing/flows.ts";
import {
  CookieJar,
  type IdentityServer,
  signInAsBrowser,
  startIdentityServer,
} from "../testing/identity-server.ts";

/** What no kind of flow lets in. What is particular to one kind is in that kind's own test. */

let server: IdentityServer;
let email: string;
let made = 0;
beforeAll(async () => {
  server = await startIdentityServer({
    registration: "open",
    publicUrl: "https://mainstay.example.org",
  });
});
afterAll(() => server.stop());
beforeEach(async () => {
  email = `ada-${++made}@example.org`;
  await server.createPerson(email);
});

async function walkerFor(kind: Kind): Promise<Walker> {
  return new Walker(
    server,
    kind === "settings" ? { jar: await signInAsBrowser(server, email) } : {},
  );
}
/** A submit that would be looked at, if it came from where it should. */
const fields: Record<Kind, () => Record<string, unknown>> = {
  login: () => ({ method: "password", identifier: email, password: "wrong" }),
  registration: () => ({ method: "password", password: "short", traits: {} }),
  recovery: () => ({ method: "link" }),
  verification: () => ({ method: "link" }),
  settings: () => ({ method: "profile", traits: { email, name: { first: "x".repeat(101) } } }),
};
const rows = async (table: string) => (await server.db.raw(`select from ${table}`)).rowCount!;

describe.each(flowKindNames)("a %s flow", (kind) => {
  const { path, page } = flowKinds[kind];
  const post = (id: string, jar: CookieJar, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${server.url}${path}?flow=${id}`, {
      method: "POST",
      redirect: "manual",
      headers: {
        accept: "application/json",
        "content-type": "application/json",
        cookie: jar.toString(),
        ...headers,
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });

  test("with a good token is looked at, and read again as it was answered", async () => {
    const walker = await walkerFor(kind);
    const { body: flow } = await walker.begin(kind);
    const { status, body } = await walker.send(kind, flow, fields[kind]());
    expect(status).toBe(400);
    expect((await walker.get(kind, flow.id)).body).toEqual(body);
    expect(Date.parse(flow.expires_at) - server.ctx.clock.now().getTime()).toBeGreaterThan(
      3_590_000,
    );
  });

  test("without, with a foreign, another flow's or a tampered token, from another site or browser: nothing", async () => {
    const walker = await walkerFor(kind);
    const { body: flow } = await walker.begin(kind);
    const { body: other } = await walker.begin(kind);
    const stranger = await walkerFor(kind);
    await stranger.begin(kind);
    const token = tokenOf(flow);
    const tampered = new CookieJar();
    for (const line of walker.jar.toString().split("; ")) {
      const [name, value] = line.split("=") as [string, string];
      tampered.set(name, name === "csrf_token_mainstay" ? `${"A".repeat(42)}B` : value);
    }
    const good = { ...fields[kind](), csrf_token: token };
    const attempts: [CookieJar, object, Record<string, string>?][] = [
      [walker.jar, fields[kind]()],
      [walker.jar, { ...good, csrf_token: "" }],
      [walker.jar, { ...good, csrf_token: [token] }],
      [walker.jar, { ...good, csrf_token: `${token}x` }],
      [walker.jar, { ...good, csrf_token: tokenOf(other) }],
      [stranger.jar, good],
      [tampered, good],
      [new CookieJar(), good],
      [walker.jar, good, { origin: "https://evil.example" }],
      [walker.jar, good, { origin: "null" }],
      [walker.jar, good, { "sec-fetch-site": "cross-site" }],
      [walker.jar, good, { referer: "https://evil.example/" }],
    ];
    const sessions = await rows("identity_sessions");
    for (const [jar, body, headers] of attempts) {
      const reply = await post(flow.id, jar, body, headers);
      expect([reply.status, await reply.json()]).toMatchObject([
        403,
        { error: { id: "security_csrf_violation" } },
      ]);
    }
    expect(await rows("identity_sessions")).toBe(sessions);
    expect((await stranger.get(kind, flow.id)).status).toBe(403);
    expect(
      (await post(flow.id, walker.jar, good, { origin: "https://mainstay.example.org" })).status,
    ).toBe(400);
  });

  test("that expired is replaced, whatever the clock does; the fresh one works", async () => {
    const walker = await walkerFor(kind);
    const { body: flow } = await walker.begin(kind, { return_to: "/health?x=1" });
    server.advance(-10 * 60_000);
    expect((await walker.get(kind, flow.id)).status).toBe(200);
    server.advance(71 * 60_000);
    const seen = await walker.get(kind, flow.id);
    expect([seen.status, seen.body]).toMatchObject([
      410,
      {
        error: {
          id: "self_service_flow_expired",
          details: {
            redirect_to: `https://mainstay.example.org${path}/browser?return_to=%2Fhealth%3Fx%3D1`,
            return_to: "/health?x=1",
          },
        },
      },
    ]);
    const sent = await walker.send(kind, flow, fields[kind]());
    const leadsOn = kind === "recovery" || kind === "verification";
    expect(sent.status).toBe(leadsOn ? 303 : 410);
    const { since } = sent.body as unknown as { since: number };
    if (!leadsOn) expect(since).toBeGreaterThan(0);
    const id = successorOf(sent);
    const fresh = await walker.get(kind, id);
    expect([fresh.status, fresh.body.return_to]).toEqual([200, "/health?x=1"]);
    expect(messageIds(fresh.body)).toContain(
      {
        login: 4010001,
        registration: 4040001,
        recovery: 4060005,
        verification: 4070005,
        settings: 4050001,
      }[kind],
    );
    expect((await walker.send(kind, fresh.body, fields[kind]())).status).toBe(400);
  });

  test("of a person without script leads back to its page, expired or not", async () => {
    const walker = await walkerFor(kind);
    const began = await walker.visit(`${path}/browser?return_to=/health`);
    expect(began).toMatch(new RegExp(`^303 ${page}\\?flow=[0-9a-f-]{36}$`));
    const id = began.slice(-36);
    const { body: flow } = await walker.get(kind, id);
    const submit = (csrf: string) =>
      fetch(`${server.url}${path}?flow=${id}`, {
        method: "POST",
        redirect: "manual",
        headers: { accept: "text/html", cookie: walker.jar.toString() },
        body: new URLSearchParams({ csrf_token: csrf, method: "password" }),
      });
    const again = await submit(tokenOf(flow));
    expect([again.status, again.headers.get("location")]).toEqual([303, `${page}?flow=${id}`]);
    const refused = await submit("x");
    expect([refused.status, refused.headers.get("location")]).toEqual([
      303,
      expect.stringMatching(/^\/error\?id=[0-9a-f-]{36}$/),
    ]);
    server.advance(61 * 60_000);
    const late = await submit(tokenOf(flow));
    expect([late.status, late.headers.get("location")]).toEqual([
      303,
      expect.stringMatching(new RegExp(`^${page}\\?flow=(?!${id})`)),
    ]);
  });

  test.each(["", "x", "5f0c6f0e-0000-4000-8000-000000000000", "' or 1=1 --", "%00", "a&flow=b"])(
    "%j is not there",
    async (id) => {
      const walker = await walkerFor(kind);
      expect((await walker.get(kind, id)).status).toBe(404);
      expect((await post(encodeURIComponent(id), walker.jar, {})).status).toBe(404);
    },
  );

  test("is not one of another kind", async () => {
    const walker = await walkerFor(kind);
    const { body: flow } = await walker.begin(kind);
    for (const other of flowKindNames.filter((name) => name !== kind)) {
      expect((await walker.get(other, flow.id)).status).toBe(404);
      expect((await walker.send(other, flow, fields[other]())).status).toBe(404);
    }
  });

  test.each([
    "//evil.example",
    "/\\evil.example",
    "/%2Fevil.example",
    "/%5cevil.example",
    "/%252Fevil.example",
    "/\tevil",
    "https://evil.example/",
    "https://mainstay.example.org@evil.example/",
    "https://mainstay.example.org.evil.example/",
    "http://mainstay.example.org/",
    "javascript:alert(1)",
    "data:text/html,x",
    "evil",
    `/${"x".repeat(3000)}`,
  ])("does not lead to %.60s", async (returnTo) => {
    const walker = await walkerFor(kind);
    const begun = await walker.begin(kind, { return_to: returnTo });
    expect([begun.status, begun.body]).toMatchObject([
      400,
      { error: { id: "self_service_flow_return_to_forbidden" } },
    ]);
  });

  test("is not filled by what is no form, too large, or strange", async () => {
    const walker = await walkerFor(kind);
    const { body: flow } = await walker.begin(kind);
    const good = { ...fields[kind](), csrf_token: tokenOf(flow) };
    const bodies: [unknown, Record<string, string>, number][] = [
      [{ ...good, traits: { name: { first: "x".repeat(100_000) } } }, {}, 413],
      [{ ...good, method: "__proto__" }, {}, 400],
      [{ ...good, method: "constructor" }, {}, 400],
      [{ ...good, method: ["password"] }, {}, 400],
      [{ ...good, traits: "x", password: {}, identifier: [], email: 7, code: {} }, {}, 400],
      [{ ...good, traits: nested(200) }, {}, 400],
    ];
    for (const [body, headers, status] of bodies) {
      const reply = await post(flow.id, walker.jar, body, headers);
      expect(reply.status).toBe(status);
    }
    expect((await walker.get(kind, flow.id)).status).toBe(200);
  });

  test("of a program is not used by a browser", async () => {
    const program = new Walker(server, { isProgram: true });
    if (kind === "settings") {
      const { body: login } = await program.begin("login");
      await program.send("login", login, {
        method: "password",
        identifier: email,
        password: "correct horse battery staple",
      });
    }
    const { status, body: flow } = await program.begin(kind);
    expect([status, tokenOf(flow)]).toEqual([200, ""]);
    for (const headers of [{ cookie: "a=1" }, { cookie: "", origin: server.url }] as Record<
      string,
      string
    >[]) {
      const sent: Record<string, string> = { ...headers, "x-session-token": program.token ?? "" };
      if (sent.cookie === "") delete sent.cookie;
      const reply = await fetch(`${server.url}${path}?flow=${flow.id}`, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json", ...sent },
        body: JSON.stringify(fields[kind]()),
      });
      expect(reply.status).toBe(400);
      expect(await reply.json()).toMatchObject({ error: { code: 400 } });
    }
    expect((await program.send(kind, flow, fields[kind]())).body.id).toBe(flow.id);
  });
});

test("two tabs of one browser work in two flows, in any order", async () => {
  const walker = new Walker(server);
  const tabs: FlowBody[] = [];
  for (let tab = 0; tab < 2; tab += 1) tabs.push((await walker.begin("registration")).body);
  for (const flow of tabs)
    expect((await walker.send("registration", flow, fields.registration())).status).toBe(400);
  const { body: login } = await walker.begin("login");
  expect((await walker.send("login", login, fields.login())).status).toBe(400);
});

test("what has ended is deleted after a day, what is new is kept", async () => {
  await new Walker(server).begin("recovery");
  await new Walker(server).visit("/api/.ory/self-service/login/browser?return_to=//evil.example");
  await server.db.raw(
    `insert into identity_codes (purpose, secret_hash, issued_at, expires_at)
     values ('recovery', 'x', $1::timestamptz, $1::timestamptz + interval '15 minutes')`,
    [server.ctx.clock.now()],
  );
  server.advance(23 * 3_600_000);
  expect((await cleanUpIdentity.run(server.ctx)).details).toMatchObject({ codes: 0, devices: 0 });
  server.advance(3 * 3_600_000);
  const { details } = await cleanUpIdentity.run(server.ctx);
  expect(details).toMatchObject({ codes: 1, devices: 0 });
  expect(details!.errors).toBeGreaterThan(0);
  expect([
    await rows("identity_errors"),
    await rows("identity_codes"),
    await rows("identity_flows"),
  ]).toEqual([0, 0, 0]);
});

const tokenOf = ({ ui }: FlowBody) => ui.nodes[0]!.attributes.value as string;
const nested = (depth: number): unknown => (depth === 0 ? "x" : { email: nested(depth - 1) });
