import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { startHttpServer, type TestHttpServer } from "#platform/http/testing/http-server.ts";
import { amount } from "@mainstay/testkit/sample.ts";

/** Clients that take their time, so that nobody else has any. The limit is a minute; here it is short. */

const LIMIT_MS = 600;
let server: TestHttpServer;
beforeAll(async () => {
  server = await startHttpServer({
    requestTimeoutMs: LIMIT_MS,
    routes: (http) => {
      http.post("/api/write", { access: "public", body: z.unknown() }, () => ({ done: true }));
      http.get("/api/much", { access: "public" }, () => ({ much: "x".repeat(8_000_000) }));
    },
  });
});
afterAll(() => server.stop());

interface Slow {
  socket: Socket;
  /** What the server said until it hung up, and how long that took. */
  ended: Promise<{ said: string; afterMs: number }>;
}

/** Opens a connection and does something with it; a server that waits for ever fails the test by its own timeout. */
function begin(behave: (socket: Socket) => void): Slow {
  const started = performance.now();
  const socket = connect(server.port, "127.0.0.1").setNoDelay(true);
  let said = "";
  socket.on("error", () => undefined);
  socket.on("data", (data) => (said += data.toString()));
  const ended = new Promise<{ said: string; afterMs: number }>((resolve) =>
    socket.once("close", () => resolve({ said, afterMs: performance.now() - started })),
  );
  behave(socket);
  return { socket, ended };
}

/** Sends a text for as long as anybody listens, piece by piece. */
function drip(socket: Socket, piece: string): void {
  const timer = setInterval(() => socket.write(piece), 20);
  socket.once("close", () => clearInterval(timer));
}

const post = "POST /api/write HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n";
const slow: [what: string, behave: (socket: Socket) => void][] = [
  ["a connection on which nothing comes", () => undefined],
  ["half a line", (socket) => void socket.write("GET /api/_hea")],
  ["headers that never end", (socket) => void socket.write("GET / HTTP/1.1\r\nHost: x\r\n")],
  [
    "headers that come one by one",
    (socket) => {
      socket.write("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n");
      drip(socket, "X-A: b\r\n");
    },
  ],
  [
    "a header that comes letter by letter",
    (socket) => {
      socket.write("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ");
      drip(socket, "a");
    },
  ],
  ["a body that was announced", (socket) => void socket.write(`${post}Content-Length: 10\r\n\r\n`)],
  [
    "a body that comes letter by letter",
    (socket) => {
      socket.write(`${post}Content-Length: 1000000\r\n\r\n`);
      drip(socket, " ");
    },
  ],
  [
    "chunks of one letter",
    (socket) => {
      socket.write(`${post}Transfer-Encoding: chunked\r\n\r\n`);
      drip(socket, "1\r\n \r\n");
    },
  ],
  [
    "an extension of a chunk that never ends",
    (socket) => {
      socket.write(`${post}Transfer-Encoding: chunked\r\n\r\n1;`);
      drip(socket, "a");
    },
  ],
  [
    "a second request that never ends",
    (socket) => {
      socket.write(
        "GET /api/_health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET /api/_health HTTP/1.1\r\n",
      );
      drip(socket, "X-A: b\r\n");
    },
  ],
];

describe("is cut off when its time is up", () => {
  test.concurrent.each(slow)("%s", async (_what, behave) => {
    const { said, afterMs } = await begin(behave).ended;
    expect(said).not.toMatch(/done/);
    // The limit, and the time between two looks at it; a busy machine may be late.
    expect(afterMs).toBeLessThan(LIMIT_MS * 10);
  });
});

test("many who are slow keep nobody else waiting", async () => {
  const many = Array.from({ length: amount(500, 150) }, (_, index) =>
    begin(slow[index % slow.length]![1]),
  );
  await Promise.all(many.map(({ socket }) => once(socket, "connect")));
  for (let asked = 0; asked < 5; asked += 1)
    expect((await server.as().post("/api/write", {})).json).toEqual({ done: true });
  const answers = await Promise.all(many.map(({ ended }) => ended));
  expect(answers.filter(({ said }) => said.includes("done"))).toEqual([]);
});

test("who does not read what they asked for keeps nobody else waiting", async () => {
  const deaf = Array.from({ length: amount(50, 15) }, () => {
    const socket = connect(server.port, "127.0.0.1").pause();
    socket.on("error", () => undefined);
    socket.write("GET /api/much HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    return socket;
  });
  await Promise.all(deaf.map((socket) => once(socket, "connect")));
  for (let asked = 0; asked < 5; asked += 1)
    expect((await server.as().post("/api/write", {})).json).toEqual({ done: true });
  for (const socket of deaf) socket.destroy();
});
