import { once } from "node:events";
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import {
  conflict,
  type ErrorCode,
  AppError,
  forbidden,
  invalid,
  notFound,
  statusOf,
  unauthenticated,
} from "../errors.ts";
import { sendRaw, startHttpServer, type TestHttpServer } from "./testing/http-server.ts";

let server: TestHttpServer;
let signal: AbortSignal | undefined;
let hugeSignal: AbortSignal | undefined;
let givenUp: AbortSignal | undefined;
const held = Promise.withResolvers<void>();

const withCode = (code: string, fields: object = {}) =>
  Object.assign(new Error("from below, with details"), { code, ...fields });
const failures: Record<string, () => Error> = {
  notFound: () => notFound("There is no such check."),
  invalid: () => invalid("The name is too long.", [{ path: "name", message: "too long" }]),
  forbidden: () => forbidden("You may not."),
  unauthenticated: () => unauthenticated(),
  conflict: () => conflict("It exists already."),
  unknown: () => new Error("secret detail"),
  away: () => withCode("ECONNREFUSED", { syscall: "connect" }),
  shutdown: () => withCode("57P01"),
  deadlock: () => withCode("40P01"),
  diskFull: () => withCode("53100"),
  slowQuery: () => withCode("57014"),
  missingFile: () => withCode("ENOENT", { syscall: "open" }),
};

beforeAll(async () => {
  server = await startHttpServer({
    config: { publicUrl: "https://mainstay.example.org" },
    routes(http) {
      http.get("/api/fail/:what", { access: "public" }, ({ params }) => {
        throw failures[params.what!]!();
      });
      http.post("/api/fail/code/:code", { access: "public" }, ({ params }) => {
        throw new AppError(params.code as ErrorCode, "in these words");
      });
      http.post(
        "/api/echo",
        { access: "public", body: z.object({ name: z.string().max(10) }) },
        ({ body }) => body,
      );
      http.post("/api/any", { access: "public", bodyLimit: 100 }, ({ body }) => ({
        type: typeof body,
      }));
      http.get("/api/nothing", { access: "public" }, () => undefined);
      http.get("/api/signed-in", { access: "session" }, ({ ctx }) => ({ who: ctx.actor.kind }));
      http.get("/api/checks", { access: { resource: "connections", action: "read" } }, () => ({
        ok: true,
      }));
      http.post("/api/checks", { access: { resource: "canaries", action: "write" } }, () => ({
        ok: true,
      }));
      http.get(
        "/api/strict",
        { access: "public", reply: z.object({ name: z.string() }) },
        () => ({ name: "a", password_hash: "secret" }) as { name: string },
      );
      http.get(
        "/api/broken-reply",
        { access: "public", reply: z.object({ n: z.number() }) },
        () => ({}) as { n: number },
      );
      http.get(
        "/api/query",
        { access: "public", query: z.object({ n: z.coerce.number() }) },
        ({ query }) => query,
      );
      http.get("/api/large", { access: "public" }, () => ({ text: "abc".repeat(2000) }));
      http.get("/api/huge", { access: "public" }, async ({ ctx, reply }) => {
        ({ signal: hugeSignal } = ctx);
        return reply.type("application/json").send(JSON.stringify("abc".repeat(10_000_000)));
      });
      http.get("/api/held", { access: "public" }, async ({ ctx }) => {
        ({ signal } = ctx);
        await held.promise;
        return { answered: true };
      });
      http.get("/api/given-up", { access: "public" }, async ({ ctx }) => {
        givenUp = ctx.signal;
        await once(ctx.signal, "abort");
        ctx.signal.throwIfAborted();
      });
      http.get("/api/secret/:token", { access: "public" }, () => ({ ok: true }));
      http.get("/api/log", { access: "public" }, ({ ctx }) => {
        const cookie = "c-secret";
        ctx.log.info(
          {
            password: "p-secret",
            user: { token: "t-secret", deep: { cookie } },
            headers: { "x-session-token": "x-secret", authorization: "a-secret" },
          },
          "logged",
        );
        return { ok: true };
      });
    },
  });
});
afterAll(() => server.stop());

describe("failures", () => {
  test.each(Object.entries(statusOf))(
    "%s is answered with %i and its words",
    async (code, status) => {
      const reply = await server.as().post(`/api/fail/code/${code}`);
      expect(reply.status).toBe(status);
      expect(reply.json).toEqual({ error: "in these words", message: "in these words", code });
    },
  );

  test.each([
    ["notFound", 404, { error: "There is no such check.", code: "notFound" }],
    [
      "invalid",
      400,
      {
        error: "The name is too long.",
        code: "invalid",
        issues: [{ path: "name", message: "too long" }],
      },
    ],
    ["forbidden", 403, { error: "You may not.", code: "forbidden" }],
    ["unauthenticated", 401, { error: "Not logged in", code: "unauthenticated" }],
    ["conflict", 409, { error: "It exists already.", code: "conflict" }],
    [
      "away",
      503,
      {
        error: "The database cannot be reached at the moment. Please try again.",
        code: "unavailable",
      },
    ],
    [
      "shutdown",
      503,
      {
        error: "The database cannot be reached at the moment. Please try again.",
        code: "unavailable",
      },
    ],
    [
      "deadlock",
      503,
      {
        error:
          "Somebody changed the same at this moment, and one had to give way. Nothing was changed: please try again.",
        code: "unavailable",
      },
    ],
    [
      "diskFull",
      503,
      { error: "The database's disk is full. Free some space.", code: "unavailable" },
    ],
    [
      "slowQuery",
      503,
      { error: "The database took too long and was interrupted.", code: "unavailable" },
    ],
  ])("%s", async (what, status, body) => {
    const reply = await server.as().get(`/api/fail/${what}`);
    expect(reply.status).toBe(status);
    expect(reply.json).toEqual({ ...body, message: body.error });
  });

  test.each(["unknown", "missingFile"])(
    "an unknown error (%s) is answered blandly and logged under the request's id",
    async (what) => {
      const id = `test-${what}-1`;
      const reply = await server.as().get(`/api/fail/${what}?q=secret`, { "x-request-id": id });
      expect(reply.status).toBe(500);
      expect(reply.json).toEqual({
        error: `Something went wrong on our side. The log has it under ${id}.`,
        message: `Something went wrong on our side. The log has it under ${id}.`,
        code: "internal",
      });
      const entry = server.logged.find(
        ({ reqId, msg }) => reqId === id && msg === "request failed",
      );
      expect(entry).toMatchObject({
        err: { message: failures[what]!().message },
        url: "/api/fail/:what",
      });
    },
  );

  test("an answer that does not fit its own schema is our fault", async () => {
    expect((await server.as().get("/api/broken-reply")).status).toBe(500);
  });
});

describe("what is sent", () => {
  test.each([
    ["not JSON", '{"name": ', 400, /JSON/],
    ["another shape", '{"name": 1}', 400, /^The body is not as expected: name: /],
    ["a prototype", '{"name": "a", "__proto__": {}}', 400, /not valid JSON/],
    [
      "too large",
      JSON.stringify({ name: "x".repeat(1024 * 1024) }),
      413,
      /larger than this address/,
    ],
    ["deeply nested", `${"[".repeat(200_000)}${"]".repeat(200_000)}`, 400, /not as expected/],
  ])("%s", async (_what, body, status, message) => {
    const reply = await server.as().post("/api/echo", body);
    expect(reply.status).toBe(status);
    expect((reply.json as { error: string }).error).toMatch(message);
  });

  test("a body that announces itself as too large is refused before it is read", async () => {
    const answer = await sendRaw(
      server.port,
      "POST /api/any HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: 999999999\r\nconnection: close\r\n\r\n",
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });

  test("an empty body is none, whatever its type is said to be", async () => {
    const ask = (path: string, type: string) =>
      fetch(server.address + path, { method: "POST", headers: { "content-type": type } });
    const reply = await ask("/api/any", "application/json; charset=utf-8");
    expect([reply.status, await reply.json()]).toEqual([200, { type: "undefined" }]);
    const needed = await ask("/api/echo", "application/json");
    expect(needed.status).toBe(400);
    expect(await needed.json()).toMatchObject({
      error: expect.stringMatching(/^The body is not as expected/) as string,
    });
  });

  test("a body of any other type is text", async () => {
    const reply = await server.as().post("/api/any", "a: 1", { "content-type": "text/yaml" });
    expect(reply.json).toEqual({ type: "string" });
  });

  test("a query that does not fit is named", async () => {
    const reply = await server.as().get("/api/query?n=abc");
    expect(reply.status).toBe(400);
    expect(reply.json).toMatchObject({ code: "invalid", issues: [{ path: "n" }] });
    expect((await server.as().get("/api/query?n=12")).json).toEqual({ n: 12 });
  });

  test.each([
    ["headers without end", `GET / HTTP/1.1\r\nhost: x\r\nx: ${"a".repeat(40_000)}\r\n\r\n`, 431],
    ["no HTTP at all", "\u0016\u0003\u0001 hello\r\n\r\n", 400],
    ["an invented method", "FROBNICATE / HTTP/1.1\r\nhost: x\r\n\r\n", 400],
    [
      "two lengths",
      "POST /api/any HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab",
      400,
    ],
  ])("%s", async (_what, bytes, status) => {
    const answer = await sendRaw(server.port, bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toContain("content-security-policy:");
    expect(JSON.parse(answer.split("\r\n\r\n")[1]!)).toEqual({
      error: expect.any(String),
      message: expect.any(String),
      code: "invalid",
    });
    expect((await server.as().get("/api/_health")).status).toBe(200);
  });

  test("a body that comes too slowly is cut off", async () => {
    const slow = await startHttpServer({
      requestTimeoutMs: 200,
      routes: (http) => http.post("/api/any", { access: "public" }, () => ({ ok: true })),
    });
    try {
      const answer = await sendRaw(
        slow.port,
        "POST /api/any HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nab",
      );
      expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    } finally {
      await slow.stop();
    }
  });
});

describe("every answer", () => {
  test.each([
    ["a good one", "GET", "/api/_health", 200],
    ["a failure of ours", "GET", "/api/fail/unknown", 500],
    ["an unknown call", "GET", "/api/nowhere", 404],
    ["an unknown method", "PROPFIND", "/api/_health", 404],
    ["an address that cannot be decoded", "GET", "/api/fail/%zz", 400],
    ["a page", "GET", "/health", 503],
    ["a parameter without end", "GET", `/api/fail/${"x".repeat(600)}`, 400],
  ])("%s carries the security headers and an id", async (_what, method, path, status) => {
    const reply = await server.as().request(method, path);
    expect(reply.status).toBe(status);
    const csp = reply.headers.get("content-security-policy")!;
    expect(csp).toContain("default-src 'self'");
    expect(csp).toContain("frame-ancestors 'none'");
    expect(csp).not.toContain("unsafe");
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "same-origin",
      "strict-transport-security": "max-age=31536000",
      "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    if (path.startsWith("/api/")) {
      expect(reply.headers.get("cache-control")).toBe("no-store");
      expect(status === 200 || typeof (reply.json as { error: unknown }).error === "string").toBe(
        true,
      );
    }
  });

  test("without TLS in front promises none", async () => {
    const plain = await startHttpServer({});
    try {
      const { headers } = await plain.as().get("/api/_health");
      expect(headers.get("strict-transport-security")).toBeNull();
    } finally {
      await plain.stop();
    }
  });

  test.each([
    ["abcdef-1234.x_y", true],
    ["short", false],
    ["x".repeat(65), false],
    ['evil"}{"injected', false],
  ])("the request id %s is kept: %s", async (id, isKept) => {
    const { headers } = await server.as().get("/api/_health", { "x-request-id": id });
    expect(headers.get("x-request-id") === id).toBe(isKept);
  });

  test("is compressed when that pays and the client can read it", async () => {
    const encodingOf = async (path: string, accepted: string) =>
      (await server.as().get(path, { "accept-encoding": accepted })).headers.get(
        "content-encoding",
      );
    expect(await encodingOf("/api/large", "gzip, br")).toBe("br");
    expect(await encodingOf("/api/large", "gzip")).toBe("gzip");
    expect(await encodingOf("/api/large", "identity")).toBeNull();
    expect(await encodingOf("/api/_health", "gzip, br")).toBeNull();
    const { headers, json } = await server.as().get("/api/large", { "accept-encoding": "br" });
    expect(headers.get("vary")).toContain("accept-encoding");
    expect(json).toEqual({ text: "abc".repeat(2000) });
  });

  test("HEAD has the headers and no body; nothing to say is 204", async () => {
    const head = await server.as().request("HEAD", "/api/_health");
    expect([head.status, head.text]).toEqual([200, ""]);
    const nothing = await server.as().get("/api/nothing");
    expect([nothing.status, nothing.text]).toEqual([204, ""]);
  });

  test("says only what its schema names", async () => {
    expect((await server.as().get("/api/strict")).json).toEqual({ name: "a" });
  });
});

describe("access", () => {
  test.each([
    ["GET", "/api/signed-in", undefined, 401],
    ["GET", "/api/signed-in", "viewer", 200],
    ["GET", "/api/checks", undefined, 401],
    ["GET", "/api/checks", "viewer", 403],
    ["GET", "/api/checks", "admin", 200],
    ["POST", "/api/checks", undefined, 401],
    ["POST", "/api/checks", "viewer", 403],
    ["POST", "/api/checks", "responder", 403],
    ["POST", "/api/checks", "editor", 200],
    ["GET", "/api/nothing", undefined, 204],
  ] as const)("%s %s as %s: %i", async (method, path, role, status) => {
    const reply = await server.as(role).request(method, path);
    expect(reply.status).toBe(status);
    if (status === 401)
      expect(reply.json).toEqual({
        error: "Not logged in",
        message: "Not logged in",
        code: "unauthenticated",
      });
    // Whatever the client would rather have.
    if (status === 403) {
      const csv = await server.as(role).request(method, path, undefined, { accept: "text/csv" });
      expect(csv.headers.get("content-type")).toMatch(/^application\/json/);
      expect(csv.json).toMatchObject({ code: "forbidden", error: csv.json.message });
    }
  });
});

test("health answers while the database is away, readiness does not", async () => {
  expect((await server.as().get("/api/_health")).json).toEqual({ health: "ok" });
  const ready = await server.as().get("/api/_ready");
  expect(ready.status).toBe(503);
  expect(ready.json).toEqual({ ready: false, reason: "the database cannot be reached" });
});

test("the metrics count requests by route, never by address", async () => {
  await server.as().get("/api/secret/abc123");
  const { text: metrics, headers } = await server.as().get("/metrics");
  expect(headers.get("content-type")).toContain("text/plain");
  expect(metrics).toContain('route="/api/secret/:token",status="200"');
  expect(metrics).not.toContain("abc123");
});

test("secrets do not reach the log, whether in fields, in a query or in a path", async () => {
  await server.as().get("/api/log?password=q-secret", { cookie: "session=k-secret" });
  await server.as().get("/api/secret/u-secret");
  const lines = server.logged.map((entry) => JSON.stringify(entry)).join("\n");
  expect(lines).toContain('"msg":"logged"');
  for (const letter of ["p", "t", "c", "x", "a", "q", "k", "u"])
    expect(lines).not.toContain(`${letter}-secret`);
});

test("the signal of a request ends when the client goes away", async () => {
  const going = request(`${server.address}/api/held`);
  going.on("error", () => undefined);
  going.end();
  await vi.waitFor(() => expect(signal).toBeDefined());
  expect(signal!.aborted).toBe(false);
  going.destroy();
  await vi.waitFor(() => expect(signal!.aborted).toBe(true));
});

test("what is given up because its client has gone is no failure of ours", async () => {
  const before = server.logged.length;
  const going = request(`${server.address}/api/given-up`);
  going.on("error", () => undefined);
  going.end();
  await vi.waitFor(() => expect(givenUp).toBeDefined());
  going.destroy();
  await vi.waitFor(() => expect(givenUp!.aborted).toBe(true));
  // The next request comes after whatever the first one left to be done.
  await server.as().get("/api/large");
  expect(server.logged.slice(before).map((entry) => entry.msg)).not.toContain("request failed");
});

test("a client that goes away in the middle of an answer is no failure of ours", async () => {
  const before = server.logged.length;
  await new Promise<void>((resolve, reject) => {
    const going = request(`${server.address}/api/huge`, { headers: { "accept-encoding": "gzip" } });
    going.on("response", (response) => {
      response.once("data", () => response.destroy());
      response.on("error", () => undefined);
      response.on("close", () => resolve());
    });
    going.on("error", reject);
    going.end();
  });
  await vi.waitFor(() => expect(hugeSignal?.aborted).toBe(true));
  // The next request comes after whatever the first one left to be done.
  await server.as().get("/api/large");
  expect(server.logged.slice(before).map((entry) => entry.msg)).not.toContain("request failed");
});
