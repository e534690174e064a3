import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { freePort, listenTcp } from "@mainstay/testkit/servers/index.ts";
import { createConnector } from "#platform/outbound/connector.ts";
import { ownDatabase } from "#platform/outbound/own-database.ts";
import { tryCheck } from "../testing/try-check.ts";
import { http } from "./http.ts";
import { closeAll, echo, open, serve } from "../testing/serve.ts";

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
    const outcome = await tryCheck(http, { url, responseContent: "y" });
    expect(outcome).toMatchObject({
      pass: false,
      error: 'the first 10485760 bytes of the body do not contain "y"',
    });
    expect(sent).toBeLessThan(200);
    const passing = await tryCheck(http, { url, responseContent: "x" });
    expect(passing.message).toContain("only the first 10485760 bytes were read");
    expect(JSON.stringify(passing.details).length).toBeLessThan(131_072);
  });

  test("a gigabyte that comes as a megabyte", async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1_048_576));
    const { url } = await serve((_request, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(bomb),
    );
    const before = process.memoryUsage().arrayBuffers;
    const outcome = await tryCheck(http, { url });
    expect(outcome.message).toContain("only the first 10485760 bytes");
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100 * 1_048_576);
  });

  test("damaged compression", async () => {
    const { url } = await serve((_request, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end("not gzip at all"),
    );
    expect(await tryCheck(http, { url })).toMatchObject({
      pass: false,
      error: expect.stringMatching(/^the compressed body that .* sent is damaged$/) as string,
    });
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
    const outcome = await tryCheck(
      http,
      { url: `http://127.0.0.1:${server.port}` },
      { timeoutMs: 300 },
    );
    expect(outcome).toMatchObject({ pass: false, error: "timed out after 300 ms" });
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
    const outcome = await tryCheck(http, { url: `http://127.0.0.1:${server.port}` });
    expect(outcome.pass).toBe(false);
    expect(outcome.error).toMatch(error);
  });

  test("TLS garbage, and TLS that never answers", async () => {
    const server = await listenTcp((socket) =>
      socket.once("data", () => socket.write(Buffer.from("160301ffff00deadbeef", "hex"))),
    );
    open.push(server);
    expect(
      (await tryCheck(http, { url: `https://127.0.0.1:${server.port}` }, { timeoutMs: 1000 })).pass,
    ).toBe(false);
    const silent = await listenTcp((socket) => socket.resume());
    open.push(silent);
    expect(
      await tryCheck(http, { url: `https://127.0.0.1:${silent.port}` }, { timeoutMs: 300 }),
    ).toMatchObject({ pass: false, error: "timed out after 300 ms" });
  });

  test("nobody there", async () => {
    const port = await freePort();
    expect(await tryCheck(http, { url: `http://127.0.0.1:${port}` })).toMatchObject({
      pass: false,
      error: `connection refused by 127.0.0.1:${port}`,
    });
  });

  test("a name that leads where it must not", async () => {
    const { url, server } = await serve(echo);
    const connector = createConnector({ deny: ["127.0.0.0/8", "::1/128"] });
    const outcome = await tryCheck(
      http,
      { url: url.replace("127.0.0.1", "localhost") },
      { connector },
    );
    expect(outcome.error).toContain("not allowed");
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
    for (const spec of [
      { url: target },
      { url: `http://[::ffff:127.0.0.1]:${port}/` },
      { url },
      { url: target, proxy: `http://127.0.0.1:${proxy}` },
      { url: "http://shop.example/", proxy: target },
    ]) {
      const outcome = await tryCheck(http, spec, { connector });
      expect(outcome.error, spec.url).toContain("is this server's own database");
    }
    expect(server.accepted()).toBe(0);
  });
});
