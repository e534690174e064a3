import { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import { createServer as createTls } from "node:tls";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import {
  areInstalled,
  freePort,
  type Listening,
  listenTcp,
  makeCertificates,
} from "@mainstay/testkit/servers/index.ts";
import { createConnector } from "#platform/outbound/connector.ts";
import { tryCheck } from "../testing/try-check.ts";
import { findHosts } from "./find-hosts.ts";
import { mongodb } from "./mongodb.ts";
import { readMongodbTarget } from "./target.ts";
import { opMsg, serveMongo, type StandIn } from "./testing/stand-in.ts";

// There is no package of a MongoDB server for this machine: a stand-in at the level of the wire protocol is asked.

const open: Listening[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});
async function serve(standIn: StandIn | ((socket: Socket) => void)): Promise<number> {
  const server = await listenTcp((socket) => {
    if (typeof standIn === "function") standIn(socket.resume());
    else serveMongo(socket, standIn);
  });
  open.push(server);
  return server.port;
}

const user = { name: "monitor", password: "sesame secret" };

describe("passes against a stand-in", () => {
  test.each<[string, StandIn, (port: number) => object]>([
    ["without a login", {}, (port) => ({ url: `mongodb://127.0.0.1:${port}` })],
    [
      "SCRAM-SHA-256",
      { user },
      (port) => ({ url: `mongodb://monitor:sesame%20secret@127.0.0.1:${port}/` }),
    ],
    [
      "SCRAM-SHA-1 where the user has nothing else",
      { user: { ...user, mechanisms: ["SCRAM-SHA-1"] } },
      (port) => ({
        url: `mongodb://127.0.0.1:${port}`,
        username: "monitor",
        password: "sesame secret",
      }),
    ],
    [
      "SCRAM-SHA-1 where the address wants it",
      { user: { ...user, mechanisms: ["SCRAM-SHA-1", "SCRAM-SHA-256"] } },
      (port) => ({
        url: `mongodb://monitor:sesame%20secret@127.0.0.1:${port}/?authMechanism=SCRAM-SHA-1`,
      }),
    ],
    [
      "a user of another database",
      { user: { ...user, source: "shop" } },
      (port) => ({
        connection: `mongodb://$(username):$(password)@127.0.0.1:${port}/shop`,
        username: "monitor",
        password: "sesame secret",
      }),
    ],
    [
      "authSource",
      { user: { ...user, source: "people" } },
      (port) => ({
        url: `mongodb://monitor:sesame%20secret@127.0.0.1:${port}/shop?authSource=people`,
      }),
    ],
    [
      "a name with signs, and a password with other spaces",
      { user: { name: "a,b=c", password: "sesame secret" } },
      (port) => ({
        url: `mongodb://127.0.0.1:${port}`,
        username: "a,b=c",
        password: "sesame\u00A0secret",
      }),
    ],
    [
      "an old server",
      { user, isOld: true },
      (port) => ({ url: `127.0.0.1:${port}`, username: "monitor", password: "sesame secret" }),
    ],
    [
      "a router",
      { hello: () => ({ isWritablePrimary: true, msg: "isdbgrid" }) },
      (port) => ({ url: `mongodb://localhost:${port}` }),
    ],
    [
      "a secondary that is named alone",
      { hello: () => ({ isWritablePrimary: false, secondary: true, setName: "rs0" }) },
      (port) => ({ url: `mongodb://127.0.0.1:${port}/?directConnection=true&replicaSet=rs0` }),
    ],
  ])("%s", async (_name, standIn, spec) => {
    // The name is told in the form of the standard, which writes signs in another way.
    const kept =
      standIn.user?.name === "a,b=c"
        ? { ...standIn, user: { ...standIn.user, name: "a=2Cb=3Dc" } }
        : standIn;
    const commands: string[] = [];
    const port = await serve({ ...kept, commands });
    const outcome = await tryCheck(mongodb, spec(port) as never);
    expect(outcome).toMatchObject({
      pass: true,
      message: expect.stringContaining("answered in") as string,
    });
    expect(commands.at(-1)).toBe("ping");
    expect(commands.includes("saslStart")).toBe(standIn.user !== undefined);
  });

  test("the primary of a set is found, through whoever is named", async () => {
    const commands: string[] = [];
    const primary = await serve({
      user,
      commands,
      hello: () => ({ isWritablePrimary: true, setName: "rs0" }),
    });
    const secondary = await serve({
      user,
      hello: () => ({
        isWritablePrimary: false,
        secondary: true,
        setName: "rs0",
        primary: `127.0.0.1:${primary}`,
      }),
    });
    const gone = await freePort();
    const url = `mongodb://monitor:sesame%20secret@127.0.0.1:${gone},127.0.0.1:${secondary}/?replicaSet=rs0`;
    expect(await tryCheck(mongodb, { url })).toMatchObject({
      pass: true,
      details: { host: `127.0.0.1:${primary}`, set: "rs0" },
    });
    expect(commands.at(-1)).toBe("ping");
  });
});

describe("fails against a stand-in", () => {
  const login = (port: number, more = "") => ({
    url: `mongodb://monitor:sesame%20secret@127.0.0.1:${port}/${more}`,
  });
  test.each<[string, StandIn, (port: number) => object, RegExp]>([
    [
      "a wrong password",
      { user: { ...user, password: "another" } },
      login,
      /refused the login of monitor: Authentication failed\.$/,
    ],
    [
      "nobody of that name",
      { user: { ...user, name: "somebody" } },
      login,
      /refused the login of monitor/,
    ],
    [
      "no login where one is needed",
      { user },
      (port) => ({ url: `mongodb://127.0.0.1:${port}` }),
      /refused: not authorized/,
    ],
    [
      "a server that does not know the password",
      { user, isImpostor: true },
      login,
      /does not prove that it knows the password/,
    ],
    [
      "too few rounds",
      { user, rounds: 10 },
      login,
      /breaks the rules of the login: it asks for 10 rounds/,
    ],
    [
      "another set",
      { hello: () => ({ isWritablePrimary: true, setName: "rs1" }) },
      (port) => ({ url: `mongodb://127.0.0.1:${port}/?replicaSet=rs0` }),
      /belongs to the replica set rs1, rs0 is wanted/,
    ],
    [
      "no primary",
      { hello: () => ({ isWritablePrimary: false, setName: "rs0" }) },
      (port) => ({ url: `mongodb://127.0.0.1:${port}` }),
      /^no primary was found: 127\.0\.0\.1:\d+ is not the primary$/,
    ],
    [
      "two that each take the other for the primary",
      { hello: () => ({ isWritablePrimary: false, primary: "127.0.0.1:1" }) },
      (port) => ({ url: `mongodb://127.0.0.1:${port}` }),
      /is not the primary; connection refused by 127\.0\.0\.1:1$/,
    ],
  ])("%s", async (_name, standIn, spec, error) => {
    const outcome = await tryCheck(mongodb, spec(await serve(standIn)) as never);
    expect(outcome.pass).toBe(false);
    expect(outcome.error).toMatch(error);
    expect(JSON.stringify(outcome)).not.toMatch(/sesame/);
  });

  test("a primary that may not be reached from here", async () => {
    const port = await serve({
      hello: () => ({ isWritablePrimary: false, primary: "169.254.169.254:80" }),
    });
    expect(await tryCheck(mongodb, { url: `mongodb://127.0.0.1:${port}` })).toMatchObject({
      pass: false,
      error: expect.stringContaining("169.254.169.254 is not allowed") as string,
    });
  });
});

test.each<[string, object, RegExp]>([
  ["another address", { url: "http://a" }, /not a MongoDB address/],
  ["no host", { url: "mongodb://" }, /not a MongoDB address/],
  ["a socket of the machine", { url: "mongodb://%2Ftmp%2Fmongodb.sock" }, /not a MongoDB address/],
  ["no password", { url: "mongodb://monitor@a" }, /a password for monitor is missing/],
  ["another login", { url: "mongodb://u:p@a/?authMechanism=GSSAPI" }, /wants a login by GSSAPI/],
  ["files", { url: "mongodb://a/?tlsCAFile=/etc/x" }, /put them into tlsConfig/],
  ["srv with a port", { url: "mongodb+srv://a.example.org:1/" }, /one host without a port/],
])("%s is a wrong document", async (_name, spec, error) => {
  const outcome = await tryCheck(mongodb, spec);
  expect(outcome).toMatchObject({ pass: false, invalid: true });
  expect(outcome.error).toMatch(error);
});

test.each<[string, (socket: Socket) => void, RegExp]>([
  ["answers nothing", () => undefined, /timed out after 500 ms/],
  ["hangs up", (socket) => socket.end(), /closed the connection without an answer/],
  [
    "speaks something else",
    (socket) => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"),
    /does not answer as a MongoDB server/,
  ],
  [
    "answers without end",
    (socket) => socket.write(Buffer.from([0xff, 0xff, 0xff, 0x7f])),
    /does not answer as a MongoDB server/,
  ],
  [
    "answers somebody else",
    (socket) => socket.write(opMsg({ ok: 1 }, 99)),
    /does not answer as a MongoDB server/,
  ],
  [
    "answers garbage",
    (socket) => {
      const message = opMsg({ ok: 1, a: { b: "cccccccccccccccccccc" } }, 1);
      message.fill(0xff, 25, message.length - 1);
      socket.write(message);
    },
    /does not answer as a MongoDB server/,
  ],
  [
    "nests without end",
    (socket) => {
      // A document of nothing but beginnings.
      const message = opMsg({ ok: 1, a: Buffer.alloc(900_000) }, 1);
      for (let at = 25; at + 7 < message.length; at += 7) {
        message.writeUInt8(3, at);
        message.write("a\0", at + 1);
        message.writeInt32LE(message.length - at - 3, at + 3);
      }
      socket.write(message);
    },
    /does not answer as a MongoDB server/,
  ],
  [
    "repeats the password",
    (socket) => socket.write(opMsg({ ok: 0, errmsg: "sesame secret is wrong", code: 1 }, 1)),
    /\[hidden\] is wrong/,
  ],
])("a server that %s", async (_name, behave, error) => {
  const port = await serve(behave);
  const outcome = await tryCheck(
    mongodb,
    { url: `mongodb://monitor:sesame%20secret@127.0.0.1:${port}` },
    { timeoutMs: 500 },
  );
  expect(outcome.pass).toBe(false);
  expect(outcome.error).toMatch(error);
  expect(JSON.stringify(outcome)).not.toContain("sesame");
});

test.skipIf(!areInstalled("openssl"))("TLS", async () => {
  const certificates = makeCertificates()!;
  const server = createTls({ cert: certificates.cert, key: certificates.key }, (socket) =>
    serveMongo(socket, { user }),
  );
  server.on("tlsClientError", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `mongodb://monitor:sesame%20secret@localhost:${port}/?tls=true`;
  const expires = {
    at: new Date(new X509Certificate(certificates.cert).validTo),
    what: "certificate",
  };
  expect(await tryCheck(mongodb, { url })).toMatchObject({
    pass: false,
    error: expect.stringContaining("unknown authority") as string,
    expires,
  });
  expect(
    await tryCheck(mongodb, {
      url: url.replace("sesame%20secret", "wrong"),
      tlsConfig: { ca: certificates.ca },
    }),
  ).toMatchObject({ pass: false, expires });
  for (const spec of [
    { url, tlsConfig: { ca: certificates.ca } },
    { url: `${url}&tlsInsecure=true` },
    { url: url.replace("tls", "ssl"), tlsConfig: { insecureSkipVerify: true } },
  ])
    expect(await tryCheck(mongodb, spec)).toMatchObject({ pass: true, expires });
  server.close();
  certificates.remove();
});

test("nobody there, and nobody allowed there", async () => {
  const port = await freePort();
  const url = `mongodb://monitor:sesame@127.0.0.1:${port}/x`;
  expect(await tryCheck(mongodb, { url })).toMatchObject({
    pass: false,
    error: `connection refused by 127.0.0.1:${port}`,
  });
  const connector = createConnector({ deny: ["127.0.0.0/8"] });
  expect(await tryCheck(mongodb, { url }, { connector })).toMatchObject({
    error: expect.stringContaining("not allowed") as string,
  });
  expect(mongodb.endpoint(mongodb.spec.parse({ name: "a", url }))).toBe(`127.0.0.1:${port}`);
});

test.each([
  [
    "mongodb://u:p%40@a:1,[::1]:2,c/db?replicaSet=rs&tls=true&tlsInsecure=true",
    {
      hosts: [
        { host: "a", port: 1 },
        { host: "::1", port: 2 },
        { host: "c", port: 27_017 },
      ],
      isSrv: false,
      login: { username: "u", password: "p@", source: "db" },
      replicaSet: "rs",
      isDirect: false,
      tls: true,
      insecureSkipVerify: true,
    },
  ],
  [
    "mongodb+srv://u:p@cluster.example.org/?authSource=x",
    {
      hosts: [{ host: "cluster.example.org", port: 27_017 }],
      isSrv: true,
      login: { username: "u", password: "p", source: "x" },
      isDirect: false,
      tls: true,
      insecureSkipVerify: false,
    },
  ],
])("reads %s", (url, target) => {
  expect(readMongodbTarget(mongodb.spec.parse({ name: "a", url }))).toEqual(target);
});

test("an address that names its hosts needs no name service", async () => {
  const target = readMongodbTarget(mongodb.spec.parse({ name: "a", url: "mongodb://a" }));
  const { signal } = new AbortController();
  expect(await findHosts({ signal, connector: createConnector() }, target)).toBe(target);
});
