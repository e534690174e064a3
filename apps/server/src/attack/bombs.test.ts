import { createServer } from "node:http";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import type { DryRunReply } from "@mainstay/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eachLimited } from "#platform/each-limited.ts";
import { sendRaw } from "#platform/http/testing/http-server.ts";
import { startTestApp, type TestApp } from "../testing/app.ts";
import { createPerson, type TestPerson } from "../testing/people.ts";
import { ask } from "./testing/ask.ts";
import { alarm } from "./testing/calm.ts";
import { type Asked, endpointsOf } from "./testing/endpoints.ts";
import { amount, sample } from "@mainstay/testkit/sample.ts";

/** What is small to send and large to hold, or never ends. */

const MiB = 1024 * 1024;
let app: TestApp;
let admin: TestPerson;
let port: number;
let endpoints: Asked[];
let writing: Asked[];
/** The same, with one table for all: they are one route, and here it is the route that matters. */
let routes: Asked[];
beforeAll(async () => {
  app = await startTestApp({ role: "api", logLevel: "fatal" });
  admin = await createPerson(app, "admin");
  port = Number(new URL(app.address).port);
  endpoints = endpointsOf(app);
  writing = endpoints.filter(({ isReading }) => !isReading);
  routes = writing.filter(({ route }) => !/^\/api\/db\/(?!teams$)/.test(route));
});
afterAll(() => app.stop());

const session = () => ({ "x-session-token": admin.token });
/** Sixteen files of sixteen MiB in a row are one file of 256 MiB. */
const packed = (): Buffer => {
  const part = gzipSync(Buffer.alloc(16 * MiB));
  return Buffer.concat(Array.from({ length: 16 }, () => part));
};
const unpacked = amount(256, 32) * MiB;
const bombs: [coding: string, bytes: () => Buffer][] = [
  ["gzip", packed],
  ["deflate", () => deflateSync(Buffer.alloc(unpacked))],
  [
    "br",
    () =>
      brotliCompressSync(Buffer.alloc(unpacked), {
        params: { [constants.BROTLI_PARAM_QUALITY]: 1 },
      }),
  ],
  ["gzip", () => gzipSync(packed())],
];
/** What was held at the end beyond what was held at the start; what is let go at once is not counted. */
async function growth(work: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage();
  await work();
  const after = process.memoryUsage();
  return after.arrayBuffers + after.external - before.arrayBuffers - before.external;
}

test("a target that unpacks to more than a check reads is read to the limit", async () => {
  let sent: [coding: string, bytes: Buffer] = ["identity", Buffer.alloc(0)];
  const target = createServer((_request, response) =>
    response.writeHead(200, { "content-encoding": sent[0] }).end(sent[1]),
  );
  target.listen(0, "127.0.0.1");
  await once(target, "listening");
  const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/`;
  const document = JSON.stringify({
    apiVersion: "canaries.flanksource.com/v1",
    kind: "Canary",
    metadata: { name: "bomb" },
    spec: { schedule: "@every 1h", http: [{ name: "bomb", url }] },
  });
  try {
    for (const [coding, bytes] of bombs) {
      sent = [coding, bytes()];
      const held = await growth(async () => {
        const reply = await admin.post("/api/canary/run/document", { document });
        expect(reply.status).toBe(200);
        expect(reply.text.length).toBeLessThan(MiB);
        const [result] = (reply.json as DryRunReply).results;
        // Unpacked once, the last is a small file that passes as it is.
        expect(result!.message).toMatch(/only the first 10485760 bytes|^200 in [\d.]+ m?s$/);
      });
      expect(held).toBeLessThan(128 * MiB);
    }
  } finally {
    target.closeAllConnections();
    target.close();
  }
});

test("what a route is sent packed is unpacked no further than it takes", async () => {
  const ready = bombs.map(([coding, bytes]) => [coding, bytes()] as const);
  const wrong: string[] = [];
  const statuses: number[] = [];
  await eachLimited(sample(routes, 6), 2, async ({ method, route, path }) => {
    for (const [coding, bytes] of sample(ready, 1)) {
      const reply = await fetch(app.address + path, {
        method,
        headers: { ...session(), "content-type": "application/json", "content-encoding": coding },
        body: new Uint8Array(bytes),
      });
      const text = await reply.text();
      statuses.push(reply.status);
      wrong.push(
        ...alarm({ status: reply.status, text }).map((what) => `${method} ${route}: ${what}`),
      );
    }
  });
  expect(wrong).toEqual([]);
  expect(statuses).toContain(413);
});

/** Sends chunks until the server has had enough; how many bytes that were, and what it said. */
function sendWithoutEnd(head: string, chunk: Buffer): Promise<{ sent: number; said: string }> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let sent = 0;
    let said = "";
    socket.on("error", () => undefined);
    socket.on("data", (data) => (said += data.toString()));
    socket.on("close", () => resolve({ sent, said }));
    // Whoever is answered, and the connection ended, may stop.
    socket.on("end", () => socket.destroy());
    socket.write(head);
    const more = () => {
      while (!socket.destroyed && sent < 256 * MiB) {
        sent += chunk.length;
        if (!socket.write(chunk)) return void socket.once("drain", more);
      }
      return void socket.end();
    };
    socket.once("connect", more);
  });
}

test("a body without end is cut off at what the route takes", async () => {
  const data = Buffer.alloc(64 * 1024, 0x20);
  const chunk = Buffer.concat([Buffer.from("10000\r\n"), data, Buffer.from("\r\n")]);
  const wrong: string[] = [];
  const chosen = [
    // Rows have the largest limit there is.
    ...writing.filter(({ route }) => route === "/api/db/teams"),
    ...sample(
      writing.filter(({ route }) => !route.startsWith("/api/db/")),
      8,
    ),
  ];
  await eachLimited(chosen, 2, async ({ method, route, path }) => {
    const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Session-Token: ${admin.token}\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const { sent, said } = await sendWithoutEnd(head, chunk);
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(said)?.[1] ?? 0);
    // A hang-up before the answer could be read is one, too.
    if (![0, 400, 401, 403, 404, 405, 413, 415, 501].includes(status) || sent > 64 * MiB)
      wrong.push(`${method} ${route}: ${status} after ${sent} bytes`);
  });
  expect(wrong).toEqual([]);
  expect((await app.nobody.get("/api/_health")).status).toBe(200);
});

test("a body that comes byte by byte is read as one that comes at once", async () => {
  const wrong: string[] = [];
  await eachLimited(sample(routes, 12), 4, async ({ method, route, path }) => {
    const body = '{"name": 5, "text": 5, "document": 5}';
    const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nX-Session-Token: ${admin.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const atOnce = await sendRaw(port, head + body);
    const slowly = await new Promise<string>((resolve) => {
      const socket = connect(port, "127.0.0.1").setNoDelay(true);
      let said = "";
      socket.on("error", () => undefined);
      socket.on("data", (data) => (said += data.toString()));
      socket.on("close", () => resolve(said));
      const bytes = (head + body).split("");
      const next = () => {
        const byte = bytes.shift();
        if (byte !== undefined && !socket.destroyed) socket.write(byte, () => setImmediate(next));
      };
      socket.once("connect", next);
    });
    const [quick, slow] = [atOnce, slowly].map((text) => text.slice(0, 12));
    if (quick !== slow || !/^HTTP\/1\.1 [2-5]/.test(slow!))
      wrong.push(`${method} ${route}: ${quick} at once, ${slow} byte by byte`);
  });
  expect(wrong).toEqual([]);
});

describe("24,000 levels of JSON", () => {
  const depth = 24_000;
  const deep: [what: string, text: string][] = [
    ["lists", "[".repeat(depth) + "]".repeat(depth)],
    ["objects", `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`],
    ["both, in a row", `[{"name":${'[{"a":'.repeat(depth / 2)}1${"}]".repeat(depth / 2)}}]`],
    ["as the value of what is expected", `{"text":${"[".repeat(depth)}${"]".repeat(depth)}}`],
    ["without an end", "[".repeat(depth)],
  ];
  test.each(sample(deep, 3))("%s, to every writing route", async (_what, body) => {
    const wrong: string[] = [];
    await eachLimited(sample(writing, 30), 4, async ({ method, route, path }) => {
      const reply = await ask(app, { method, path, body, headers: session() });
      wrong.push(...alarm(reply, body).map((what) => `${method} ${route}: ${what}`));
    });
    expect(wrong).toEqual([]);
  });

  test("in a document, as JSON and as YAML", async () => {
    for (const inside of [deep[0]![1], "\n  - ".repeat(4_000), "&a [*a]", "&a [&b [&c [*a]]]"]) {
      const document = `apiVersion: canaries.flanksource.com/v1\nkind: Canary\nmetadata: {name: deep}\nspec: {schedule: "@every 1h", http: ${inside}}`;
      for (const [path, body] of [
        ["/api/canary/run/document", { document }],
        ["/api/canary/documents", { text: document }],
      ] as const) {
        const reply = await admin.post(path, body);
        expect([reply.status, alarm(reply, inside)]).toEqual([400, []]);
      }
    }
  });

  test("an alias of an alias of an alias is not unfolded", async () => {
    const lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x,x]"];
    for (let at = 1; at < 12; at += 1)
      lines.push(`a${at}: &a${at} [${Array.from({ length: 10 }, () => `*a${at - 1}`).join(",")}]`);
    const reply = await admin.post("/api/canary/run/document", { document: lines.join("\n") });
    expect([reply.status, alarm(reply)]).toEqual([400, []]);
  });
});

describe("too much around a request", () => {
  const lines = (count: number, line: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => `${line(index)}\r\n`).join("");
  const heads: [what: string, headers: string][] = [
    ["one long header", `X-A: ${"a".repeat(100_000)}\r\n`],
    ["a header with a long name", `X-${"a".repeat(100_000)}: 1\r\n`],
    ["thousands of headers", lines(5_000, (index) => `x${index}: 1`)],
    ["thousands of the same header", lines(5_000, () => "x: 1")],
    ["thousands of cookies", `Cookie: ${"c=1; ".repeat(20_000)}\r\n`],
    ["a long token", `Authorization: Bearer ${"a".repeat(100_000)}\r\n`],
    ["a long kind of content", `Content-Type: ${"a/".repeat(50_000)}\r\n`],
    ["many languages", `Accept-Language: ${"en,".repeat(30_000)}\r\n`],
  ];
  test.each(heads)("%s", async (_what, headers) => {
    const text = await sendRaw(
      port,
      `GET /api/_health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${headers}\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 431 /);
  });

  test("thousands of parameters in every query", async () => {
    const many = Array.from({ length: 1_500 }, (_, index) => `a${index}=1`).join("&");
    const same = Array.from({ length: 1_500 }, () => "id=1").join("&");
    const nested = `${"a[b]".repeat(500)}=1&${"or=(".repeat(300)}`;
    const wrong: string[] = [];
    const reading = sample(
      endpoints.filter(({ isReading }) => isReading),
      25,
    );
    await eachLimited(reading, 6, async ({ method, path, route, isOpen }) => {
      for (const query of [many, same, nested, `select=${"id,".repeat(3_000)}id`]) {
        const address = `${path.split("?", 1)[0]}?${query}`;
        const headers = isOpen ? undefined : session();
        const reply = await ask(app, { method, path: address, headers });
        wrong.push(...alarm(reply).map((what) => `${method} ${route}: ${what}`));
      }
    });
    expect(wrong).toEqual([]);
  });

  test("an address of a hundred thousand characters", async () => {
    const text = await sendRaw(
      port,
      `GET /api/db/${"a".repeat(100_000)} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 (414|431) /);
  });
});
