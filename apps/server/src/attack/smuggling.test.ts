import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sendRaw } from "#platform/http/testing/http-server.ts";
import { startTestApp, type TestApp } from "../testing/app.ts";
import { sample } from "@mainstay/testkit/sample.ts";

/**
 * Requests in whose end a proxy in front and this server could disagree, so that the rest of one becomes somebody
 * else's. Each ends with another request in disguise: two answers would mean that it was believed.
 */

let app: TestApp;
let port: number;
beforeAll(async () => {
  app = await startTestApp({ role: "api", logLevel: "fatal" });
  port = Number(new URL(app.address).port);
});
afterAll(() => app.stop());

const crlf = "\r\n";
const host = "Host: 127.0.0.1";
const path = "/api/.ory/self-service/login";
/** What must never be answered: an address of its own, so that its answer is known. */
const hidden = `GET /api/canary/health HTTP/1.1${crlf}${host}${crlf}Connection: close${crlf}${crlf}`;
const statusesOf = (text: string) =>
  [...text.matchAll(/HTTP\/1\.[01] (\d{3}) /g)].map(([, status]) => Number(status));
/** What the disguised request would be answered with. */
const wasAnswered = (text: string) => text.includes(`${end}OK`);

const post = (...headers: string[]) => [`POST ${path} HTTP/1.1`, host, ...headers].join(crlf);
const get = (...headers: string[]) => [`GET /api/_health HTTP/1.1`, host, ...headers].join(crlf);
const end = crlf + crlf;
const chunked = "Transfer-Encoding: chunked";
const noChunks = `0${end}`;

/** Every way to write `Transfer-Encoding` that one reader knows and another does not. */
const codings = [
  "Transfer-Encoding: xchunked",
  "Transfer-Encoding: chunked, identity",
  "Transfer-Encoding: identity, chunked, identity",
  "Transfer-Encoding: chunked\u000b",
  "Transfer-Encoding : chunked",
  " Transfer-Encoding: chunked",
  "Transfer-Encoding\t: chunked",
  "Transfer-Encoding:\r\n chunked",
  "X: y\nTransfer-Encoding: chunked",
  "X: y\rTransfer-Encoding: chunked",
  "Transfer-Encoding: \u0000chunked",
  "Transfer_Encoding\u0000: chunked",
  'Transfer-Encoding: "chunked"',
  "Transfer-Encoding: chunked;q=1",
  "Transfer-Encoding: chun\tked",
];
const lengths = [
  ["+6"],
  ["-1"],
  ["0x6"],
  ["6, 6"],
  ["6 6"],
  ["6", "5"],
  ["5", "6"],
  ["6", "6"],
  ["٦"],
  [""],
  ["1e1"],
  ["6\u0000"],
  ["18446744073709551622"],
];

const refused: [what: string, bytes: string][] = [
  ...codings.flatMap((coding): [string, string][] => [
    [`${JSON.stringify(coding)} alone`, `${post(coding)}${end}${noChunks}${hidden}`],
    [
      `${JSON.stringify(coding)} after a length`,
      `${post("Content-Length: 5", coding)}${end}${noChunks}${hidden}`,
    ],
    [
      `${JSON.stringify(coding)} beside a good one`,
      `${post(chunked, coding)}${end}${noChunks}${hidden}`,
    ],
  ]),
  ...lengths.map(([...values]): [string, string] => [
    `the lengths ${JSON.stringify(values)}`,
    `${post(...values.map((value) => `Content-Length: ${value}`))}${end}abcdef${hidden}`,
  ]),
  ["a length and chunks", `${post("Content-Length: 6", chunked)}${end}${noChunks}${hidden}`],
  ["chunks and a length", `${post(chunked, "Content-Length: 4")}${end}${noChunks}${hidden}`],
  [
    "chunks of HTTP/1.0 and a length",
    `POST ${path} HTTP/1.0${crlf}${host}${crlf}Content-Length: 4${crlf}${chunked}${end}${noChunks}${hidden}`,
  ],
  ["lines that end with a line feed", `${get().replaceAll(crlf, "\n")}\n\n${hidden}`],
  ["lines that end with a carriage return", `${get().replaceAll(crlf, "\r")}\r\r${hidden}`],
  ["a header over two lines", `${get("X-A: a", " b")}${end}${hidden}`],
  ["a header without a colon", `${get("X-A")}${end}${hidden}`],
  ["a header without a name", `${get(": x")}${end}${hidden}`],
  ["two hosts", `${get("Host: evil.example")}${end}${hidden}`],
  ["no host", `GET /api/_health HTTP/1.1${end}${hidden}`],
  ["a size of a chunk that is none", `${post(chunked)}${end}zz${crlf}ab${end}${noChunks}${hidden}`],
  ["a size below zero", `${post(chunked)}${end}-1${crlf}ab${end}${noChunks}${hidden}`],
  [
    "a size beyond all numbers",
    `${post(chunked)}${end}FFFFFFFFFFFFFFFFF0${crlf}ab${end}${noChunks}${hidden}`,
  ],
  ["a size with a sign", `${post(chunked)}${end}+2${crlf}ab${end}${noChunks}${hidden}`],
  ["a size in another notation", `${post(chunked)}${end}0x2${crlf}ab${end}${noChunks}${hidden}`],
  ["a chunk longer than it says", `${post(chunked)}${end}2${crlf}abcdef${end}${noChunks}${hidden}`],
  ["a chunk that ends with a line feed", `${post(chunked)}${end}2${crlf}ab\n0${end}${hidden}`],
  [
    "an extension with a line feed in it",
    `${post(chunked)}${end}2;a=\n${crlf}ab${crlf}${noChunks}${hidden}`,
  ],
  ["a header with a zero byte", `${get("X-A: a\u0000b")}${end}${hidden}`],
  ["a zero byte in the address", `GET /api/\u0000 HTTP/1.1${crlf}${host}${end}${hidden}`],
  ["a version that is none", `GET /api/_health HTTP/9.9${crlf}${host}${end}${hidden}`],
  ["a version without a number", `GET /api/_health HTTP/1.x${crlf}${host}${end}${hidden}`],
  ["a method that is none", `G\u0000T /api/_health HTTP/1.1${crlf}${host}${end}${hidden}`],
  ["HTTP/0.9", `GET /api/_health${crlf}${hidden}`],
  ["the greeting of HTTP/2", `PRI * HTTP/2.0${end}SM${end}${hidden}`],
  ["a tunnel", `CONNECT 127.0.0.1:22 HTTP/1.1${crlf}${host}${end}${hidden}`],
];

describe("is refused, and the connection ends before what follows", () => {
  test.each(sample(refused, 40))("%s", async (_what, bytes) => {
    const text = await sendRaw(port, bytes);
    const statuses = statusesOf(text);
    expect(wasAnswered(text)).toBe(false);
    // A tunnel is not even talked about.
    expect(statuses.every((status) => status === 400)).toBe(true);
    expect(statuses.length).toBeLessThanOrEqual(1);
  });
});

/** What may be answered, as one request with nothing in it that is another; what follows the last may be called out. */
const answered: [what: string, bytes: string, statuses: number[]][] = [
  [
    "a body that looks like a request",
    `${post(`Content-Length: ${hidden.length}`, "Content-Type: text/plain", "Connection: close")}${end}${hidden}`,
    [400, 404],
  ],
  [
    "a body of nothing that was not asked for",
    `${get("Content-Length: 0", "Connection: close")}${end}${hidden}`,
    [200, 400],
  ],
  [
    "an extension of a chunk, and a header after the last",
    `${post(chunked, "Content-Type: text/plain", "Connection: close")}${end}2;x=y${crlf}ab${crlf}0${crlf}X-Evil: 1${end}${hidden}`,
    [400, 404],
  ],
  [
    "the whole address of another server",
    `GET http://evil.example/api/_health HTTP/1.1${crlf}${host}${crlf}Connection: close${end}${hidden}`,
    [404, 400],
  ],
  [
    "an upgrade to HTTP/2 without TLS",
    `${get("Connection: close, Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA")}${end}${hidden}`,
    [200, 400],
  ],
  [
    "an upgrade to a socket",
    `${get("Connection: close, Upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: x", "Sec-WebSocket-Version: 13")}${end}${hidden}`,
    [200, 400],
  ],
  [
    "a method that nobody knows what to do with",
    `TRACE /api/_health HTTP/1.1${crlf}${host}${crlf}Connection: close${end}${hidden}`,
    [404, 400],
  ],
];

describe("is one request, and what follows it none", () => {
  test.each(answered)("%s", async (_what, bytes, statuses) => {
    const text = await sendRaw(port, bytes);
    expect(statuses.map((status) => [status])).toContainEqual(statusesOf(text));
    expect(wasAnswered(text)).toBe(false);
    expect(text).not.toMatch(/x-evil|evil\.example|101 Switching/i);
  });
});

test("requests one after the other in one go are answered in their order, each as its own", async () => {
  const asked = Array.from({ length: 20 }, (_, index) =>
    index % 2 === 0
      ? `GET /api/_health HTTP/1.1${crlf}${host}${end}`
      : `GET /api/db/people HTTP/1.1${crlf}${host}${end}`,
  ).join("");
  const text = await sendRaw(port, asked + hidden);
  expect(statusesOf(text)).toEqual([
    ...Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 200 : 401)),
    200,
  ]);
});

test("who asks one after the other on one connection is who they say each time", async () => {
  const [{ token }] = [await app.app.createLocalSession()];
  const ask = (more: string) => `GET /api/auth/whoami HTTP/1.1${crlf}${host}${more}${crlf}${crlf}`;
  const text = await sendRaw(
    port,
    ask(`${crlf}X-Session-Token: ${token}`) +
      ask("") +
      ask(`${crlf}X-Session-Token: ${token}`) +
      hidden,
  );
  expect(statusesOf(text)).toEqual([200, 401, 200, 200]);
});
