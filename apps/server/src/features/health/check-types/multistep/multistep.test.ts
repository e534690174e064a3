import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { tryCheck } from "../testing/try-check.ts";
import { multistep } from "./multistep.ts";

/** A shop: sign in, order, look, take back. */
let shop: Server;
let url: string;
let orders: Map<string, { state: string; article: string }>;
let seen: { line: string; headers: IncomingMessage["headers"]; body: string }[];
const token = "t0k3n-of-the-shop";
const session = "s3ss10n-of-the-shop";
const orderPath = /^\/api\/orders\/(.+)$/;

beforeEach(async () => {
  orders = new Map();
  seen = [];
  shop = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => (body += String(part)));
    request.on("end", () => {
      const { pathname } = new URL(request.url ?? "/", "http://shop");
      const line = `${request.method} ${request.url}`;
      seen.push({ line, headers: request.headers, body });
      const answer = (code: number, value: unknown, headers: Record<string, string> = {}) => {
        response.writeHead(code, { "content-type": "application/json", ...headers });
        response.end(JSON.stringify(value));
      };
      const isKnown = request.headers.authorization === `Bearer ${token}`;
      if (line === "POST /api/login") {
        const cookie = { "set-cookie": `session=${session}; Path=/api` };
        return answer(200, { token, note: "welcome" }, cookie);
      }
      if (pathname === "/api/moved") {
        response.writeHead(302, { location: "/api/landed", "set-cookie": "hop=1; Path=/" });
        return response.end();
      }
      if (pathname === "/api/echo")
        return answer(200, { cookie: request.headers.cookie ?? "", body, repeated: token });
      if (pathname === "/api/landed") return answer(200, { cookie: request.headers.cookie ?? "" });
      if (pathname === "/api/renew") {
        const cookie = { "set-cookie": "session=s4cond-session; Path=/api" };
        return answer(200, { was: request.headers.cookie ?? "" }, cookie);
      }
      if (pathname === "/api/keys") return answer(200, {}, { "x-api-key": "k3y-of-the-shop" });
      if (pathname === "/api/silent") return undefined;
      if (!isKnown) return answer(401, { error: "who are you?" });
      if (line === "POST /api/orders") {
        const { article } = JSON.parse(body) as { article: string };
        const id = `o/${orders.size + 1}`;
        orders.set(id, { state: "open", article });
        const location = `/api/orders/${encodeURIComponent(id)}`;
        return answer(201, { id, links: [{ rel: "self" }] }, { location });
      }
      const id = decodeURIComponent(orderPath.exec(pathname)?.[1] ?? "");
      const order = orders.get(id);
      if (!order) return answer(404, { error: "no such order" });
      if (request.method === "DELETE") orders.delete(id);
      return answer(200, order);
    });
  });
  await new Promise<void>((resolve) => shop.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/api`;
});
afterEach(async () => {
  shop.closeAllConnections();
  await new Promise((resolve) => shop.close(resolve));
});

const attempt = (spec: Record<string, unknown>, more: { timeoutMs?: number } = {}) =>
  tryCheck(multistep, { url, ...(spec as { steps: { url: string }[] }) }, more);
const authorization = { name: "authorization", value: "Bearer ${token}" };
const signIn = {
  name: "sign in",
  url: "/login",
  method: "POST",
  body: '{"password": "${password}"}',
  extract: [{ name: "token", jsonPath: "$.token" }],
};
const order = {
  name: "order",
  url: "orders",
  method: "POST",
  headers: [authorization],
  body: '{"article": "${article}"}',
  responseCodes: [201],
  extract: [{ name: "order", jsonPath: "$.id", show: true }],
};
const takeBack = {
  name: "take back",
  url: "/orders/${order}",
  method: "DELETE",
  headers: [authorization],
};
const password = 'pass"word\\of-the-probe';
const env = [
  { name: "password", value: password },
  { name: "article", value: "book" },
];
const steps = ({ details = {} }: { details?: Record<string, unknown> }) =>
  (details.steps as { name: string; status: string; code?: number }[]).map(
    ({ name, status, code }) => [name, status, ...(code === undefined ? [] : [code])],
  );

test("values go from step to step, and what was made is taken away again", async () => {
  const look = {
    name: "look",
    url: "/orders/${order}",
    headers: [authorization],
    responseJSONContent: { path: "$.article", value: "book" },
    responseHeaders: [{ name: "Content-Type", value: "json" }],
  };
  const outcome = await attempt({ env, steps: [signIn, order, look], cleanup: [takeBack] });
  expect(outcome).toMatchObject({
    pass: true,
    message: expect.stringMatching(/^3 steps in [\d.]+ ms$/),
    details: { variables: { order: "o/1" } },
  });
  expect(steps(outcome)).toEqual([
    ["sign in", "passed", 200],
    ["order", "passed", 201],
    ["look", "passed", 200],
    ["take back", "passed", 200],
  ]);
  expect(orders.size).toBe(0);
  // Written as JSON needs it, and as a path does.
  expect(JSON.parse(seen[0]!.body)).toEqual({ password });
  expect(seen[2]!.line).toBe("GET /api/orders/o%2F1");
  // Cookies are handed on, in the clean-up too.
  expect(seen.map(({ headers }) => headers.cookie)).toEqual([
    undefined,
    ...Array.from({ length: 3 }, () => `session=${session}`),
  ]);
});

test("the step that fails is named, the rest is not tried, and the clean-up runs", async () => {
  const wrong = {
    name: "look",
    url: "/orders/${order}",
    headers: [authorization],
    responseJSONContent: { path: "$.state", value: "paid" },
  };
  const spec = { env, steps: [signIn, order, wrong, { url: "/never" }], cleanup: [takeBack] };
  const outcome = await attempt(spec);
  expect(outcome).toMatchObject({
    pass: false,
    error: 'step 3 "look": $.state is "open", wanted "paid"',
    details: { answer: { code: 200, content: expect.stringContaining('"state":"open"') } },
  });
  expect(steps(outcome)).toEqual([
    ["sign in", "passed", 200],
    ["order", "passed", 201],
    ["look", "failed", 200],
    ["step 4", "skipped"],
    ["take back", "passed", 200],
  ]);
  expect(orders.size).toBe(0);
});

test("what was never made is not taken away, and that is no failure of its own", async () => {
  const refused = { ...order, headers: [] };
  const outcome = await attempt({ env, steps: [signIn, refused], cleanup: [takeBack] });
  expect(outcome.error).toBe('step 2 "order": answered 401, wanted 201');
  expect(steps(outcome).at(-1)).toEqual(["take back", "skipped"]);
  expect(seen.some(({ line }) => line.startsWith("DELETE"))).toBe(false);
});

test("a clean-up that fails is told, and the steps after it run", async () => {
  const gone = { ...takeBack, name: "again" };
  const outcome = await attempt({
    env,
    steps: [signIn, order],
    cleanup: [takeBack, gone, { url: "/echo" }],
  });
  expect(outcome.error).toBe("the clean-up failed: again: answered 404, wanted 2xx");
  expect(steps(outcome).slice(-3)).toEqual([
    ["take back", "passed", 200],
    ["again", "failed", 404],
    ["clean-up 3", "passed", 200],
  ]);
});

test("when the time is over there is still some for the clean-up", async () => {
  const silent = { name: "wait", url: "/silent" };
  const spec = { env, steps: [signIn, order, silent], cleanup: [takeBack] };
  const outcome = await attempt(spec, { timeoutMs: 3_000 });
  expect(outcome).toMatchObject({
    pass: false,
    error: 'step 3 "wait": timed out after 3000 ms',
  });
  expect(outcome.untried).toBeUndefined();
  expect(orders.size).toBe(0);
});

test("a short time is shared by the steps and the clean-up", async () => {
  const spec = { env, steps: [signIn, order], cleanup: [takeBack] };
  expect(await attempt(spec, { timeoutMs: 1_000 })).toMatchObject({ pass: true });
  expect(orders.size).toBe(0);
});

test("a threshold is of its step", async () => {
  const outcome = await attempt({
    steps: [{ name: "wait", url: "/silent", thresholdMillis: 100 }],
  });
  expect(outcome.error).toBe('step 1 "wait": no complete answer within 100 ms');
});

test("no value of an answer that is not shown, no cookie and no credential is in a result", async () => {
  const said = {
    name: "echo",
    url: "/echo",
    body: "${token}",
    method: "POST",
    responseContent: "never there",
  };
  const outcome = await attempt({ env, bearer: "b34r3r-of-the-probe", steps: [signIn, said] });
  expect(outcome.pass).toBe(false);
  expect(seen[1]).toMatchObject({ body: token, headers: { cookie: `session=${session}` } });
  const all = JSON.stringify([outcome, outcome.data?.()]);
  expect(all).toContain("[hidden]");
  for (const secret of [token, session, "b34r3r-of-the-probe", password]) {
    expect(all).not.toContain(secret);
    expect(all).not.toContain(JSON.stringify(secret).slice(1, -1));
  }
});

test.each([
  ["a token", { bearer: "wr0ng-token" }, "wr0ng-token"],
  ["a password", { username: "ann", password: "wr0ng-password" }, "wr0ng-password"],
])("%s that is refused fails its step, and is not shown", async (_, login, secret) => {
  const outcome = await attempt({ ...login, steps: [{ url: "/orders/1" }] });
  expect(seen[0]!.headers.authorization).toMatch(/^(Bearer|Basic) /);
  expect(outcome).toMatchObject({ pass: false, error: "step 1: answered 401, wanted 2xx" });
  expect(JSON.stringify([outcome, outcome.data?.()])).not.toContain(secret);
});

test("a cookie that took the place of another leaves that one hidden", async () => {
  const echo = { url: "/renew", responseContent: "never there" };
  const outcome = await attempt({ env, steps: [signIn, echo] });
  expect(outcome.details).toMatchObject({ answer: { content: expect.stringContaining("was") } });
  expect(JSON.stringify(outcome)).not.toContain(session);
});

test.each([
  ["an answer that is not as it should be", { responseContent: "never there" }],
  [
    "a header that is not as it should be",
    { responseHeaders: [{ name: "x-api-key", value: "x" }] },
  ],
])("%s shows no header that hands out a secret", async (_, wanted) => {
  const outcome = await attempt({ steps: [{ url: "/keys", ...wanted }] });
  expect(outcome).toMatchObject({
    pass: false,
    details: {
      answer: { headers: { "x-api-key": "[hidden]", "content-type": "application/json" } },
    },
  });
  expect(JSON.stringify(outcome)).not.toContain("k3y-of-the-shop");
});

describe("who is sent what", () => {
  test("cookies of redirects are kept", async () => {
    const outcome = await attempt({
      steps: [
        { url: "/moved", responseJSONContent: { path: "$.cookie", value: "hop=1" } },
        { url: "/landed", responseJSONContent: { path: "$.cookie", value: "hop=1" } },
      ],
    });
    expect(outcome).toMatchObject({ pass: true });
  });

  test("another host gets neither credentials nor headers of the check", async () => {
    const other = url.replace("127.0.0.1", "localhost").replace("/api", "/api/echo");
    const headers = [{ name: "x-key", value: "of the check" }];
    const spec = { username: "u", password: "p", headers };
    const own = { name: "x-own", value: "of the step" };
    await attempt({ ...spec, steps: [{ url: "/echo" }, { url: other, headers: [own] }] });
    expect(seen[0]!.headers).toMatchObject({
      "x-key": "of the check",
      authorization: `Basic ${btoa("u:p")}`,
    });
    expect(seen[1]!.headers).not.toHaveProperty("x-key");
    expect(seen[1]!.headers).not.toHaveProperty("authorization");
    expect(seen[1]!.headers).toMatchObject({ "x-own": "of the step" });
  });

  test("credentials in the address count", async () => {
    const own = url.replace("//", "//u:p@");
    await attempt({ url: own, steps: [{ url: "/echo" }] });
    expect(seen[0]!.headers.authorization).toBe(`Basic ${btoa("u:p")}`);
  });

  test.each([
    ["a whole address", "https://evil.example/x", /leads to evil\.example, which the document/],
    ["an address without a scheme", "//evil.example/x", undefined],
    ["a way up", "../../x", undefined],
  ])("an answer names no host: %s", async (_, next, error) => {
    const first = {
      url: "/echo",
      method: "POST",
      body: next,
      extract: [{ name: "next", jsonPath: "$.body" }],
    };
    const outcome = await attempt({ steps: [first, { url: "${next}" }] });
    if (error) expect(outcome.error).toMatch(error);
    else expect(seen).toHaveLength(2);
    expect(outcome.pass).toBe(false);
  });

  test("a value cannot add a header", async () => {
    const first = {
      url: "/echo",
      method: "POST",
      body: "a\r\nx-evil: 1",
      extract: [{ name: "value", jsonPath: "$.body" }],
    };
    const second = { url: "/echo", headers: [{ name: "x-value", value: "${value}" }] };
    const outcome = await attempt({ steps: [first, second] });
    expect(outcome.error).toBe("step 2: the header x-value would hold a sign that ends it");
    expect(seen).toHaveLength(1);
  });
});

test.each([
  ["a regular expression", { regex: '"note":"(\\w+)"' }, "welcome"],
  ["all of what matches", { regex: "wel\\w+" }, "welcome"],
  ["a header", { header: "Content-Type" }, "application/json"],
  ["a cookie", { cookie: "session" }, session],
])("%s gives a value", async (_, way, value) => {
  const extract = [{ name: "it", show: true, ...way }];
  const outcome = await attempt({ env, steps: [{ ...signIn, extract }] });
  if ("cookie" in way) expect(outcome.details?.variables).toEqual({ it: "[hidden]" });
  else expect(outcome.details?.variables).toEqual({ it: value });
});

test.each([
  ["nothing at a path", { jsonPath: "$.nobody" }, "it is not there: nothing is at $.nobody"],
  ["no match", { regex: "nobody" }, "it is not there: nothing in the body matches"],
  ["no header", { header: "x-no" }, "it is not there: the answer has no header x-no"],
  ["no cookie", { cookie: "no" }, "it is not there: no cookie no was set"],
])("%s is a failure of its step", async (_, way, error) => {
  const outcome = await attempt({ env, steps: [{ ...signIn, extract: [{ name: "it", ...way }] }] });
  expect(outcome).toMatchObject({ pass: false, error: `step 1 "sign in": ${error}` });
});

test("a target that refuses has failed; one that may not be asked is unknown", async () => {
  const refused = await attempt({ url: "http://127.0.0.1:1", steps: [{ url: "/" }] });
  expect(refused).toMatchObject({
    pass: false,
    error: expect.stringMatching(/^step 1: .*refused/),
  });
  expect(refused.untried).toBeUndefined();
  const denied = await attempt({ url: "http://169.254.169.254", steps: [{ url: "/" }] });
  expect(denied).toMatchObject({ untried: true, error: expect.stringMatching(/address policy/) });
});

test.each([
  [{ steps: [] }, /no steps/],
  [{ steps: [{ url: "/${never}" }] }, /\$\{never\} is set by no env and by no step before/],
  [
    { steps: [{ url: "https://${host}/x" }], env: [{ name: "host", value: "a" }] },
    /The host of an address/,
  ],
  [{ steps: [{ url: "ftp://a/x" }] }, /must begin with http/],
  [{ steps: [{ url: "/", extract: [{ name: "a" }] }] }, /Say one of jsonPath/],
  [{ steps: [{ url: "/", extract: [{ name: "a b", header: "x" }] }] }, /named by letters/],
  [{ steps: [{ url: "/", responseCodes: ["999"] }] }, /response code/],
])("a document that cannot be meant is refused: %j", (spec, message) => {
  const judged = multistep.spec.safeParse({ url: "https://a.example", ...spec });
  expect(judged.error?.issues.map((issue) => issue.message).join()).toMatch(message);
});

test("what a step of the steps sets is known in the clean-up", () => {
  const spec = { url, env, steps: [signIn, order], cleanup: [takeBack] };
  expect(multistep.spec.safeParse(spec).error).toBeUndefined();
});
