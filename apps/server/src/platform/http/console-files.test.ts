import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sendRaw, startHttpServer, type TestHttpServer } from "./testing/http-server.ts";

const script = `console.log(${JSON.stringify("x".repeat(4000))});`;
const page = "<!doctype html><title>Mainstay</title>";
let server: TestHttpServer;

beforeAll(async () => {
  server = await startHttpServer({
    console: {
      "index.html": page,
      "favicon.svg": "<svg/>",
      "assets/app-abc123.js": script,
      "assets/app-abc123.js.br": brotliCompressSync(script),
      "assets/app-abc123.js.gz": gzipSync(script),
      "routes.json": JSON.stringify([
        { path: "/login", files: ["assets/a.js"] },
        { path: "/settings/teams/$teamId", files: ["assets/a.js", "assets/team.js"] },
        { path: "$", files: ["assets/shell.js"] },
      ]),
      "../outside.txt": "outside",
    },
  });
});
afterAll(() => server.stop());

describe("built files", () => {
  test.each([
    ["br, gzip", "br"],
    ["gzip", "gzip"],
    ["identity", null],
  ])("for a client that accepts %s come as %s, kept for ever", async (accepted, encoding) => {
    const reply = await server.as().get("/assets/app-abc123.js", { "accept-encoding": accepted });
    expect(reply.status).toBe(200);
    expect(reply.headers.get("content-encoding")).toBe(encoding);
    expect(reply.headers.get("content-type")).toMatch(/javascript/);
    expect(reply.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(reply.headers.get("vary")).toMatch(/accept-encoding/i);
    expect(reply.headers.get("content-security-policy")).toContain("default-src 'self'");
    expect(reply.text).toBe(script);
  });

  test("HEAD says the same and sends nothing", async () => {
    const reply = await server.as().request("HEAD", "/assets/app-abc123.js", undefined, {
      "accept-encoding": "br",
    });
    expect([reply.status, reply.text]).toEqual([200, ""]);
    expect(reply.headers.get("content-encoding")).toBe("br");
  });

  test("others are asked about every time", async () => {
    const reply = await server.as().get("/favicon.svg");
    expect(reply.headers.get("cache-control")).toBe("no-cache");
    const again = await server.as().get("/favicon.svg", {
      "if-none-match": reply.headers.get("etag")!,
      "cache-control": "max-age=0",
    });
    expect([again.status, again.text]).toEqual([304, ""]);
  });

  test("take no route each: thousands of them took 40 MB", () => {
    const routes = server.server.app.printRoutes({ commonPrefix: false });
    expect(routes).toContain("*");
    expect(routes).not.toContain("app-abc123");
  });
});

describe("pages", () => {
  test.each(["/", "/health", "/health?timeRange=1h", "/catalog/some/deep/page", "/login"])(
    "%s is the console's page, never kept",
    async (path) => {
      const reply = await server.as().get(path);
      expect([reply.status, reply.text]).toEqual([200, page]);
      expect(reply.headers.get("content-type")).toMatch(/text\/html/);
      expect(reply.headers.get("cache-control")).toBe("no-cache");
    },
  );

  test.each([
    ["/login", "</assets/a.js>; rel=modulepreload"],
    ["/login/?flow=x", "</assets/a.js>; rel=modulepreload"],
    [
      "/settings/teams/7",
      "</assets/a.js>; rel=modulepreload, </assets/team.js>; rel=modulepreload",
    ],
    ["/settings/teams", "</assets/shell.js>; rel=modulepreload"],
    ["/$", "</assets/shell.js>; rel=modulepreload"],
    ["/", "</assets/shell.js>; rel=modulepreload"],
  ])("%s names the scripts that its first visit needs", async (path, link) => {
    const reply = await server.as().get(path);
    expect(reply.headers.get("link")).toBe(link);
  });

  test.each([
    ["GET", "/api/unknown"],
    ["GET", "/api"],
    ["GET", "/assets/gone-123.js"],
    ["GET", "/gone.png"],
    ["POST", "/health"],
  ])("%s %s is not a page", async (method, path) => {
    const reply = await server.as().request(method, path);
    expect(reply.status).toBe(404);
    expect(reply.json).toEqual({
      error: `There is nothing at ${method} ${path}.`,
      message: `There is nothing at ${method} ${path}.`,
      code: "notFound",
    });
  });

  test.each([
    "/../outside.txt",
    "/assets/../../outside.txt",
    "/%2e%2e/outside.txt",
    "/..%2foutside.txt",
    "/assets/%2e%2e%2f%2e%2e%2foutside.txt",
    "/assets/..%5c..%5coutside.txt",
    "/%00/etc/passwd.txt",
  ])("%s does not lead out", async (path) => {
    const answer = await sendRaw(
      server.port,
      `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 (400|403|404) /);
    expect(answer).not.toContain("\r\n\r\noutside");
  });
});

test("a console that has not been built says so", async () => {
  const bare = await startHttpServer({});
  try {
    const reply = await bare.as().get("/health");
    expect(reply.status).toBe(503);
    expect(reply.text).toContain("npm run build");
  } finally {
    await bare.stop();
  }
});
