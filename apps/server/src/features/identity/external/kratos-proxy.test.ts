import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  csrfTokenOf,
  type IdentityServer,
  startIdentityServer,
} from "../testing/identity-server.ts";

/** A service that keeps what it is sent, and answers what a test wants. */
let peer: Server;
let peerUrl: string;
let server: IdentityServer;
let received: { request: IncomingMessage; body: string };
let answer: (response: ServerResponse) => void;
beforeAll(async () => {
  peer = createServer((request, response) => {
    void text(request).then((body) => {
      received = { request, body };
      answer(response);
    });
  });
  await new Promise<void>((resolve) => peer.listen(0, "127.0.0.1", resolve));
  peerUrl = `http://127.0.0.1:${(peer.address() as AddressInfo).port}/kratos`;
  server = await startIdentityServer({
    identityUrl: peerUrl,
    publicUrl: "https://mainstay.example.org",
  });
});
afterAll(async () => {
  await server.stop();
  await new Promise((resolve) => peer.close(resolve));
});

const json = (status: number, body: unknown, headers: Record<string, string | string[]> = {}) => {
  answer = (response) =>
    response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(JSON.stringify(body));
};
const ask = (path: string, init: RequestInit = {}) =>
  fetch(`${server.url}/api/.ory${path}`, { redirect: "manual", ...init });

// Signed with padding and signs that another spelling would break, as Kratos' own are.
const COOKIE = "csrf_token_806=x+y/z==; ory_kratos_session=MTY4|dGVzdA==|0-_9=; theme=dark";

test("what a client needs goes there as it is, and nothing that is for this server alone", async () => {
  json(200, {});
  await ask("/self-service/login?flow=a%20b&x=%2F", {
    method: "POST",
    headers: {
      cookie: COOKIE,
      "content-type": "application/x-www-form-urlencoded",
      "x-session-token": "token",
      "user-agent": "Walker/1",
      authorization: "Basic c2VjcmV0OnNlY3JldA==",
      "x-forwarded-host": "evil.example",
      "x-forwarded-for": "6.6.6.6",
      "x-kratos-admin": "yes",
    },
    body: "identifier=a%40b.example&password=a+b",
  });
  const { request, body } = received;
  expect(request.url).toBe("/kratos/self-service/login?flow=a%20b&x=%2F");
  expect(body).toBe("identifier=a%40b.example&password=a+b");
  expect(request.headers).toMatchObject({
    cookie: COOKIE,
    "content-type": "application/x-www-form-urlencoded",
    "x-session-token": "token",
    "user-agent": "Walker/1",
    "x-forwarded-proto": "https",
    "x-forwarded-host": "mainstay.example.org",
    "x-forwarded-for": "127.0.0.1",
  });
  expect(request.headers).not.toHaveProperty("authorization");
  expect(request.headers).not.toHaveProperty("x-kratos-admin");
});

test.each([
  ["Bearer ory_st_VFtgCeRufqnr6b1q4LV7cc9ISwQAMqBZ", true],
  ["Bearer mst_c2VjcmV0.c2FsdHNhbHQ.1.65536.4", false],
  ["Basic c2VjcmV0OnNlY3JldA==", false],
])("of credentials only a session token goes there: %s", async (authorization, goes) => {
  json(200, {});
  await ask("/sessions/whoami", { headers: { authorization } });
  expect(received.request.headers.authorization).toBe(goes ? authorization : undefined);
});

test("whoami is asked with the session's cookie as the browser has it, and with no other", async () => {
  json(401, {});
  await fetch(`${server.url}/api/auth/whoami`, { headers: { cookie: COOKIE } });
  expect(received.request.url).toBe("/kratos/sessions/whoami");
  expect(received.request.headers.cookie).toBe("ory_kratos_session=MTY4|dGVzdA==|0-_9=");
});

test("a bearer token that is no session's is not sent there, and stands before no cookie", async () => {
  json(401, {});
  const cookie = "ory_kratos_session=behind-a-proxy";
  const authorization = "Bearer eyJhbGciOiJub25lIn0.e30.c2ln";
  await fetch(`${server.url}/api/auth/whoami`, { headers: { cookie, authorization } });
  const { headers } = received.request;
  expect([headers.cookie, headers["x-session-token"]]).toEqual([cookie, undefined]);
});

test("cookies come back one by one, for this server where they named another", async () => {
  json(
    200,
    {},
    {
      "set-cookie": [
        "csrf_token_1=a==; Path=/; Domain=kratos.internal; Max-Age=31536000; HttpOnly; SameSite=Lax",
        "ory_kratos_session=b; Path=/; Domain=.example.org; HttpOnly; Secure",
        "ory_kratos_continuity=c; Path=/",
        "evil=d; Domain=notexample.org",
      ],
    },
  );
  const reply = await ask("/self-service/login/browser");
  expect(reply.headers.getSetCookie()).toEqual([
    "csrf_token_1=a==; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax",
    "ory_kratos_session=b; Path=/; Domain=.example.org; HttpOnly; Secure",
    "ory_kratos_continuity=c; Path=/",
    "evil=d",
  ]);
});

test.each([
  [() => `${peerUrl}/self-service/login/browser?a=b`, "/api/.ory/self-service/login/browser?a=b"],
  [() => "https://mainstay.example.org/login?flow=1", "/login?flow=1"],
  [() => "/profile-settings?flow=1", "/profile-settings?flow=1"],
  [
    () => "https://accounts.example.com/o?redirect_uri=x",
    "https://accounts.example.com/o?redirect_uri=x",
  ],
])("a redirect is handed on, not followed, and leads to this server (%#)", async (to, expected) => {
  json(303, {}, { location: to() });
  const reply = await ask("/self-service/recovery?token=abc");
  expect(reply.status).toBe(303);
  expect(reply.headers.get("location")!.replace("https://mainstay.example.org", "")).toBe(expected);
});

test("addresses in what it says lead here", async () => {
  json(200, { ui: { action: `${peerUrl}/self-service/login?flow=1&a=b` }, other: `${peerUrl}x` });
  expect(await (await ask("/self-service/login/flows?id=1")).json()).toEqual({
    ui: { action: "https://mainstay.example.org/api/.ory/self-service/login?flow=1&a=b" },
    other: `${peerUrl}x`,
  });
});

test("addresses are moved below /api/.ory and back, as deep as they lie in each other", async () => {
  const own = "https://mainstay.example.org";
  const nest = (base: string) => {
    const settings = `${base}/self-service/settings/browser?${new URLSearchParams({ return_to: "/health" }).toString()}`;
    const login = `${base}/self-service/login/browser?${new URLSearchParams({ aal: "aal2", return_to: settings }).toString()}`;
    return `${base}/self-service/login/browser?${new URLSearchParams({ refresh: "true", return_to: login }).toString()}`;
  };
  json(403, { redirect_browser_to: nest(own), own: nest(peerUrl), page: `${own}/health` });
  const asked = nest(`${own}/api/.ory`).slice(`${own}/api/.ory`.length);
  const reply = await ask(asked);
  const moved = nest(`${own}/api/.ory`);
  expect(await reply.json()).toEqual({
    redirect_browser_to: moved,
    own: moved,
    page: `${own}/health`,
  });
  expect(received.request.url).toBe(`/kratos${nest(own).slice(own.length)}`);
  await ask("/self-service/login/browser?return_to=/api/.ory/self-service/settings?flow=1");
  expect(received.request.url).toBe(
    "/kratos/self-service/login/browser?return_to=/self-service/settings?flow=1",
  );
});

test("its status and reason are kept, its word on other origins is not", async () => {
  json(
    410,
    { error: { id: "self_service_flow_expired" }, use_flow_id: "x" },
    {
      "access-control-allow-origin": "https://evil.example",
      "access-control-allow-credentials": "true",
      "content-security-policy": "default-src *",
      "clear-site-data": '"cookies"',
    },
  );
  const reply = await ask("/self-service/login?flow=1", {
    method: "POST",
    body: "{}",
    headers: { "content-type": "application/json" },
  });
  expect(reply.status).toBe(410);
  expect(await reply.json()).toMatchObject({ use_flow_id: "x" });
  expect(reply.headers.get("access-control-allow-origin")).toBeNull();
  expect(reply.headers.get("access-control-allow-credentials")).toBeNull();
  expect(reply.headers.get("clear-site-data")).toBeNull();
  expect(reply.headers.get("content-security-policy") ?? "").not.toBe("default-src *");
  expect(reply.headers.get("cache-control")).toBe("no-store");
});

const headed = { "content-type": "text/html" };
test.each<[string, (response: ServerResponse) => void]>([
  ["is cut off", (response) => void response.destroy()],
  [
    "stops in the middle",
    (response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("half", () => response.destroy());
    },
  ],
  ["fails behind a gateway", (response) => void response.writeHead(502, headed).end("bad")],
  [
    "says too much",
    (response) => void response.writeHead(200, headed).end(Buffer.alloc(5 * 1024 * 1024)),
  ],
  [
    "has endless headers",
    (response) => void response.writeHead(200, { "x-long": "x".repeat(64 * 1024) }).end(),
  ],
])("a service that %s is named as what is in trouble", async (_name, given) => {
  answer = given;
  const reply = await ask("/sessions/whoami", { headers: { cookie: COOKIE } });
  expect(reply.status).toBe(503);
  expect(await reply.text()).toMatch(
    /The identity service (does not answer|is in trouble)\. Please try again\./,
  );
  expect(reply.headers.getSetCookie()).toEqual([]);
});

test("more than a form can hold is refused here", async () => {
  json(200, {});
  const reply = await ask("/self-service/settings?flow=1", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ a: "x".repeat(1024 * 1024) }),
  });
  expect(reply.status).toBe(413);
});

test("a person walks its forms by plain HTML, when it believes what this server says of the browser", async () => {
  const kratos = await startIdentityServer({ trustProxy: ["127.0.0.1"] });
  const here = await startIdentityServer({ identityUrl: `${kratos.url}/api/.ory` });
  try {
    await kratos.createPerson("ada@example.org");
    const page = { accept: "text/html", origin: here.url, "sec-fetch-site": "same-origin" };
    const flow = await fetch(`${here.url}/api/.ory/self-service/login/browser?return_to=/health`, {
      headers: { accept: "application/json" },
    });
    const cookie = flow.headers
      .getSetCookie()
      .map((line) => line.split(";", 1)[0])
      .join("; ");
    const body = (await flow.json()) as { ui: { action: string; nodes: { attributes: object }[] } };
    expect(body.ui.action).toMatch(`${here.url}/api/.ory/self-service/login?flow=`);
    const send = (fields: Record<string, string>) =>
      fetch(body.ui.action, {
        method: "POST",
        redirect: "manual",
        headers: { ...page, cookie },
        body: new URLSearchParams({
          method: "password",
          identifier: "ada@example.org",
          password: "correct horse battery staple",
          ...fields,
        }),
      });
    const forged = await send({ csrf_token: "forged" });
    expect([forged.status, forged.headers.get("location")]).toEqual([
      303,
      expect.stringMatching(/^\/error\?id=/),
    ]);
    const signedIn = await send({ csrf_token: csrfTokenOf(body) });
    expect([signedIn.status, signedIn.headers.get("location")]).toEqual([303, "/health"]);
    const session = signedIn.headers
      .getSetCookie()
      .map((line) => line.split(";", 1)[0])
      .join("; ");
    const who = await fetch(`${here.url}/api/auth/whoami`, { headers: { cookie: session } });
    expect(await who.json()).toMatchObject({ payload: { user: { email: "ada@example.org" } } });
  } finally {
    await here.stop();
    await kratos.stop();
  }
});
