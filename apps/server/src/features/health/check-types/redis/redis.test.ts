import type { Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  areInstalled,
  type Certificates,
  freePort,
  listenTcp,
  makeCertificates,
  type RedisServer,
  startRedis,
} from "@mainstay/testkit/servers/index.ts";
import { createConnector } from "#platform/outbound/connector.ts";
import { tryCheck } from "../testing/try-check.ts";
import { redis } from "./redis.ts";

describe.skipIf(!areInstalled("redis-server", "openssl"))("against redis-server", () => {
  let server: RedisServer | undefined;
  let certificates: Certificates | undefined;
  beforeAll(async () => {
    certificates = makeCertificates();
    server = await startRedis({ password: "sesame secret", certificates });
  });
  afterAll(async () => {
    await server?.stop();
    certificates?.remove();
  });

  test.each<[string, (port: number) => object]>([
    ["url", (port) => ({ url: `redis://:sesame%20secret@127.0.0.1:${port}/3` })],
    ["url with a user", (port) => ({ url: `redis://default:sesame%20secret@localhost:${port}` })],
    ["addr", (port) => ({ addr: `127.0.0.1:${port}`, password: "sesame secret", db: 2 })],
    [
      "template",
      (port) => ({
        url: `redis://$(username):$(password)@127.0.0.1:${port}`,
        username: "default",
        password: { value: "sesame secret" },
      }),
    ],
  ])("PONG: %s", async (_name, spec) => {
    if (!server) throw new Error("redis-server did not start");
    const outcome = await tryCheck(redis, spec(server.port) as never);
    expect(outcome).toMatchObject({
      pass: true,
      message: expect.stringMatching(/^PONG in/) as string,
    });
    const endpoint = redis.endpoint(redis.spec.parse({ name: "a", ...spec(server.port) }));
    expect(endpoint).toMatch(/^(127\.0\.0\.1|localhost):\d+$/);
  });

  test.each<[string, object, RegExp]>([
    ["a wrong password", { password: "wrong password" }, /refused AUTH: WRONGPASS/],
    ["no password", {}, /refused PING: NOAUTH/],
    ["no such database", { password: "sesame secret", db: 99 }, /refused SELECT: ERR DB index/],
  ])("%s", async (_name, spec, error) => {
    if (!server) throw new Error("redis-server did not start");
    const outcome = await tryCheck(redis, { addr: `127.0.0.1:${server.port}`, ...spec });
    expect(outcome.pass).toBe(false);
    expect(outcome.error).toMatch(error);
    expect(JSON.stringify(outcome)).not.toMatch(/wrong password|sesame/);
  });

  test("TLS", async () => {
    if (!server?.tlsPort || !certificates) throw new Error("redis-server did not start with TLS");
    const url = `rediss://:sesame%20secret@localhost:${server.tlsPort}`;
    expect(await tryCheck(redis, { url, tlsConfig: { ca: certificates.ca } })).toMatchObject({
      pass: true,
    });
    expect(await tryCheck(redis, { url })).toMatchObject({
      pass: false,
      error: expect.stringContaining("unknown authority") as string,
    });
    expect(
      await tryCheck(redis, {
        addr: `localhost:${server.tlsPort}`,
        password: "sesame secret",
        tlsConfig: { enable: true, insecureSkipVerify: true },
      }),
    ).toMatchObject({ pass: true });
  });
});

test.each<[string, (socket: Socket) => void, RegExp]>([
  [
    "speaks something else",
    (socket) => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"),
    /does not speak the Redis protocol/,
  ],
  ["hangs up", (socket) => socket.end(), /closed the connection without an answer/],
  ["answers nothing", () => undefined, /timed out after 500 ms/],
  ["answers something else", (socket) => socket.write("+NOPE\r\n"), /answered "NOPE" to PING/],
  [
    "never ends",
    (socket) => socket.write(`+${"x".repeat(100_000)}`),
    /answers more than a Redis server would/,
  ],
])("a server that %s", async (_name, behave, error) => {
  const server = await listenTcp((socket) => {
    socket.resume();
    behave(socket);
  });
  const outcome = await tryCheck(redis, { addr: `127.0.0.1:${server.port}` }, { timeoutMs: 500 });
  expect(outcome.pass).toBe(false);
  expect(outcome.error).toMatch(error);
  await server.close();
});

test("nobody there, and nobody allowed there", async () => {
  const port = await freePort();
  expect(await tryCheck(redis, { addr: `127.0.0.1:${port}` })).toMatchObject({
    pass: false,
    error: `connection refused by 127.0.0.1:${port}`,
  });
  const connector = createConnector({ deny: ["127.0.0.0/8"] });
  expect(await tryCheck(redis, { addr: `127.0.0.1:${port}` }, { connector })).toMatchObject({
    error: expect.stringContaining("not allowed") as string,
  });
  expect(await tryCheck(redis, { url: "http://a" })).toMatchObject({ pass: false, invalid: true });
});
