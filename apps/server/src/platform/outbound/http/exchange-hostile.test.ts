import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { freePort, listenTcp } from "@mainstay/testkit/servers/index.ts";
import { createConnector } from "../connector.ts";
import { ownDatabase } from "../own-database.ts";
import { closeAll, echo, open, serve } from "../testing/serve.ts";
import { tryExchange } from "../testing/try-exchange.ts";

afterEach(closeAll);

describe("hostile targets", () => {
  test("a gigabyte is read to the limit, and the rest let go", async () => {
    const chunk = Buffer.alloc(1_048_576, "x");
    let sent = 0;
    const { url } = await serve((_request, response) => {
      const more = () => {
        while (sent < 1024 && !response.destroyed) {
          sent += 1;
          if (!response.write(chunk)) return response.once("drain", more);
        }
        return response.end();
      };
      more();
    });
    const answer = await tryExchange(url);
    expect(answer).toMatchObject({ code: 200, isCut: true });
    expect(answer.body).toHaveLength(10_485_760);
    expect(sent).toBeLessThan(200);
    sent = 0;
    expect((await tryExchange(url, { mostBody: 10 })).body.toString()).toBe("x".repeat(10));
  });

  test("a gigabyte that comes as a megabyte", async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1_048_576));
    const { url } = await serve((_request, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(bomb),
    );
    const before = process.memoryUsage().arrayBuffers;
    const { body, isCut } = await tryExchange(url);
    expect([body.length, isCut]).toEqual([10_485_760, true]);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100 * 1_048_576);
  });

  test("damaged compression", async () => {
    const { url } = await serve((_request, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end("not gzip at all"),
    );
    await expect(tryExchange(url)).rejects.toThrow(/^the compressed body that .* sent is damaged$/);
  });

  test.each<[string, (socket: Socket) => void]>([
    ["accepts and never answers", () => undefined],
    [
      "sends a byte now and then",
      (socket) => {
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n");
        const drip = setInterval(() => socket.write("."), 50);
        socket.once("close", () => clearInterval(drip));
      },
    ],
    [
      "sends headers without end, slowly",
      (socket) => {
        socket.write("HTTP/1.1 200 OK\r\n");
        const drip = setInterval(() => socket.write("a: b\r\n"), 50);
        socket.once("close", () => clearInterval(drip));
      },
    ],
  ])("%s: the timeout ends it and frees the socket", async (_name, behave) => {
    let isClosed = false;
    const server = await listenTcp((socket) => {
      socket.once("close", () => (isClosed = true));
      socket.resume();
      behave(socket);
    });
    open.push(server);
    await expect(
      tryExchange(`http://127.0.0.1:${server.port}`, { timeoutMs: 300 }),
    ).rejects.toMatchObject({ name: "TimeoutError" });
    await expect.poll(() => isClosed).toBe(true);
  });

  test.each<[string, string, RegExp]>([
    ["garbage", "\u0000\u0001garbage\r\n\r\n", /does not answer in HTTP/],
    ["closes at once", "", /closed|reset/],
    [
      "a flood of headers",
      `HTTP/1.1 200 OK\r\n${"x-flood: yes, more and more\r\n".repeat(10_000)}\r\n`,
      /sent too many headers/,
    ],
    ["half an answer", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf", /closed/],
  ])("%s", async (_name, text, error) => {
    const server = await listenTcp((socket) => {
      socket.once("data", () => socket.end(text));
    });
    open.push(server);
    await expect(tryExchange(`http://127.0.0.1:${server.port}`)).rejects.toThrow(error);
  });

  test("TLS garbage, and TLS that never answers", async () => {
    const server = await listenTcp((socket) =>
      socket.once("data", () => socket.write(Buffer.from("160301ffff00deadbeef", "hex"))),
    );
    open.push(server);
    await expect(
      tryExchange(`https://127.0.0.1:${server.port}`, { timeoutMs: 1000 }),
    ).rejects.toThrow();
    const silent = await listenTcp((socket) => socket.resume());
    open.push(silent);
    await expect(
      tryExchange(`https://127.0.0.1:${silent.port}`, { timeoutMs: 300 }),
    ).rejects.toMatchObject({ name: "TimeoutError" });
  });

  test("nobody there", async () => {
    const port = await freePort();
    await expect(tryExchange(`http://127.0.0.1:${port}`)).rejects.toThrow(
      `connection refused by 127.0.0.1:${port}`,
    );
  });

  test("a name that leads where it must not", async () => {
    const { url, server } = await serve(echo);
    const connector = createConnector({ deny: ["127.0.0.0/8", "::1/128"] });
    await expect(tryExchange(url.replace("127.0.0.1", "localhost"), { connector })).rejects.toThrow(
      "not allowed",
    );
    expect(server.accepted()).toBe(0);
  });

  test("a redirect and a proxy do not lead to the server's own database", async () => {
    const { url: target, server } = await serve(echo);
    const { port } = server;
    const connector = createConnector({
      databases: [ownDatabase(`postgres://u@localhost:${port}/n`)],
    });
    const { url } = await serve((_request, response) => {
      response.writeHead(302, { location: `http://127.0.0.2:${port}/` }).end();
    });
    const proxy = await freePort();
    for (const [address, more] of [
      [target, {}],
      [`http://[::ffff:127.0.0.1]:${port}/`, {}],
      [url, {}],
      [target, { proxy: `http://127.0.0.1:${proxy}` }],
      ["http://shop.example/", { proxy: target }],
    ] as const) {
      await expect(tryExchange(address, { connector, ...more }), address).rejects.toThrow(
        "is this server's own database",
      );
    }
    expect(server.accepted()).toBe(0);
  });
});
