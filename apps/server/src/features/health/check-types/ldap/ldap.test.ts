import type { Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  areInstalled,
  type Certificates,
  freePort,
  type LdapServer,
  listenTcp,
  makeCertificates,
  startSlapd,
} from "@mainstay/testkit/servers/index.ts";
import { createConnector } from "#platform/outbound/connector.ts";
import { integer, octets, tagged } from "#platform/outbound/ldap/ber.ts";
import { tryCheck } from "../testing/try-check.ts";
import { ldap } from "./ldap.ts";

const people = Array.from({ length: 30 }, (_, index) => `user${index}`);

describe.skipIf(!areInstalled("slapd", "slapadd", "openssl"))("against OpenLDAP", () => {
  let server: LdapServer;
  let certificates: Certificates;
  beforeAll(async () => {
    certificates = makeCertificates()!;
    server = (await startSlapd({ people: ["anna", ...people], certificates }))!;
  });
  afterAll(async () => {
    await server.stop();
    certificates.remove();
  });
  const spec = () => ({
    url: `ldap://127.0.0.1:${server.port}`,
    username: server.bindName,
    password: server.password,
    bindDN: "dc=example,dc=org",
  });

  test.each<[string, () => object, object]>([
    ["any entry", () => ({}), { count: 20 }],
    [
      "a filter",
      () => ({ userSearch: "(&(objectClass=inetOrgPerson)(uid=anna))" }),
      { count: 1, entries: ["uid=anna,ou=people,dc=example,dc=org"] },
    ],
    ["a filter without parentheses", () => ({ userSearch: "uid=user1*" }), { count: 11 }],
    ["escapes", () => ({ userSearch: "(cn=anna \\28who\\29)" }), { count: 1 }],
    [
      "below",
      () => ({ bindDN: "ou=people,dc=example,dc=org", userSearch: "uid=user7" }),
      { count: 1 },
    ],
    ["host and port", () => ({ url: `127.0.0.1:${server.port}` }), {}],
    [
      "credentials in the address",
      () => ({
        url: `ldap://${encodeURIComponent(server.bindName)}:sesame%20secret@127.0.0.1:${server.port}`,
        username: undefined,
        password: undefined,
      }),
      {},
    ],
    [
      "as the form groups them",
      () => ({
        username: undefined,
        password: undefined,
        basic: true,
        authentication: { username: { value: server.bindName }, password: "sesame secret" },
      }),
      {},
    ],
    [
      "an address as connection",
      () => ({ url: undefined, connection: `ldap://localhost:${server.port}` }),
      {},
    ],
  ])("finds: %s", async (_name, more, details) => {
    expect(await tryCheck(ldap, { ...spec(), ...more() })).toMatchObject({
      pass: true,
      message: expect.stringMatching(/^(at least 20|\d+) entr(y|ies) in/) as string,
      details,
    });
  });

  test.each<[string, () => object, RegExp]>([
    [
      "a wrong password",
      () => ({ password: "sesame street" }),
      /refused cn=reader,dc=example,dc=org: wrong name or password/,
    ],
    [
      "a name that is not there",
      () => ({ username: "cn=nobody,dc=example,dc=org" }),
      /wrong name or password/,
    ],
    ["a name that is none", () => ({ username: "nobody" }), /the name is not a DN: invalid DN/],
    [
      "nobody in particular, who may see nothing",
      () => ({ username: undefined, password: undefined }),
      /could not search below dc=example,dc=org: there is no such entry/,
    ],
    ["nothing found", () => ({ userSearch: "(uid=zoe)" }), /has no entry below dc=example,dc=org/],
    ["a base that is not there", () => ({ bindDN: "dc=com" }), /could not search below dc=com/],
    ["a base that is none", () => ({ bindDN: "what" }), /could not search below what/],
  ])("%s", async (_name, more, error) => {
    const outcome = await tryCheck(ldap, { ...spec(), ...more() });
    expect(outcome).toMatchObject({ pass: false });
    expect(outcome.error).toMatch(error);
    expect(JSON.stringify(outcome)).not.toMatch(/sesame/);
  });

  test("TLS", async () => {
    const secured = { ...spec(), url: `ldaps://localhost:${server.tlsPort}` };
    expect(await tryCheck(ldap, secured)).toMatchObject({
      pass: false,
      error: expect.stringContaining("unknown authority") as string,
    });
    expect(await tryCheck(ldap, { ...secured, skipTLSVerify: true })).toMatchObject({ pass: true });
    expect(await tryCheck(ldap, { ...secured, tlsConfig: { ca: certificates.ca } })).toMatchObject({
      pass: true,
    });
    expect(
      await tryCheck(
        ldap,
        { ...spec(), url: `ldaps://localhost:${server.port}` },
        { timeoutMs: 2000 },
      ),
    ).toMatchObject({ pass: false });
  });
});

test.each<[string, object, RegExp]>([
  ["an address of something else", { url: "http://a" }, /not the address of a directory/],
  ["a socket of the machine", { url: "ldapi:///run/slapd" }, /not the address of a directory/],
  ["no password", { url: "ldap://a", username: "cn=a" }, /a password for cn=a is missing/],
  [
    "no filter",
    { url: "ldap://a", userSearch: "(uid=a" },
    /userSearch is not a filter: a \) is missing/,
  ],
])("%s is a wrong document", async (_name, more, error) => {
  const outcome = await tryCheck(ldap, { bindDN: "dc=x", ...more });
  expect(outcome).toMatchObject({ pass: false, invalid: true });
  expect(outcome.error).toMatch(error);
});

const result = (id: number, tag: number, code: number, text = "") =>
  tagged(0x30, integer(id), tagged(tag, integer(code, 0x0a), octets(""), octets(text)));
const entry = (id: number, name: string) =>
  tagged(0x30, integer(id), tagged(0x64, octets(name), tagged(0x30)));

describe("a server that", () => {
  test.each<[string, (socket: Socket) => void, RegExp]>([
    ["answers nothing", () => undefined, /timed out after 500 ms/],
    ["hangs up", (socket) => socket.end(), /closed the connection without an answer/],
    [
      "speaks something else",
      (socket) => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"),
      /does not speak LDAP/,
    ],
    [
      "has no end of a length",
      (socket) => socket.write(Buffer.from([0x30, 0x80, 0, 0])),
      /does not speak LDAP/,
    ],
    [
      "announces gigabytes",
      (socket) => socket.write(Buffer.from([0x30, 0x84, 0x7f, 0xff, 0xff, 0xff])),
      /does not speak LDAP/,
    ],
    [
      "answers with elements that are cut",
      (socket) => socket.write(tagged(0x30, integer(1), Buffer.from([0x61, 0x05, 0x0a]))),
      /does not answer as an LDAP server/,
    ],
    [
      "answers others alone",
      (socket) => endless(socket, result(7, 0x61, 0)),
      /sent more than|timed out/,
    ],
    [
      "ends the session",
      (socket) => socket.write(result(0, 0x78, 52, "going down")),
      /ended the session: going down/,
    ],
    [
      "finds without end",
      (socket) => {
        socket.write(result(1, 0x61, 0));
        endless(socket, entry(2, "uid=x"));
      },
      /sends more entries than were asked for/,
    ],
    [
      "refers elsewhere",
      (socket) => {
        socket.write(result(1, 0x61, 0));
        socket.write(tagged(0x30, integer(2), tagged(0x73, octets("ldap://127.0.0.1:1/"))));
        socket.write(result(2, 0x65, 10));
      },
      /it refers to another server/,
    ],
    [
      "repeats the password",
      (socket) => socket.write(result(1, 0x61, 49, "no sesame here")),
      /\[hidden\]/,
    ],
  ])("%s", async (_name, behave, error) => {
    const server = await listenTcp((socket) => {
      socket.resume();
      behave(socket);
    });
    const outcome = await tryCheck(
      ldap,
      {
        url: `ldap://127.0.0.1:${server.port}`,
        username: "cn=a",
        password: "sesame",
        bindDN: "dc=x",
      },
      { timeoutMs: 500 },
    );
    expect(outcome.pass).toBe(false);
    expect(outcome.error).toMatch(error);
    expect(JSON.stringify(outcome)).not.toContain("sesame");
    await server.close();
  });

  test("sends its answer byte by byte is understood", async () => {
    const server = await listenTcp((socket) => {
      socket.setNoDelay(true);
      socket.resume();
      const bytes = [...result(1, 0x61, 0), ...entry(2, "uid=x"), ...result(2, 0x65, 0)];
      const next = () => {
        const byte = bytes.shift();
        if (byte !== undefined) socket.write(Buffer.from([byte]), next);
      };
      next();
    });
    const url = `ldap://127.0.0.1:${server.port}`;
    expect(await tryCheck(ldap, { url, bindDN: "" })).toMatchObject({
      pass: true,
      details: { count: 1, entries: ["uid=x"] },
    });
    await server.close();
  });
});

/** Writes the same again and again, as fast as it is read. */
function endless(socket: Socket, message: Buffer): void {
  const many = Buffer.concat(Array.from({ length: 1000 }, () => message));
  const more = () => {
    while (!socket.destroyed && socket.write(many));
    socket.once("drain", more);
  };
  more();
}

test("nobody there, and nobody allowed there", async () => {
  const port = await freePort();
  const spec = { url: `ldap://127.0.0.1:${port}`, bindDN: "dc=x" };
  expect(await tryCheck(ldap, spec)).toMatchObject({
    pass: false,
    error: `connection refused by 127.0.0.1:${port}`,
  });
  const connector = createConnector({ deny: ["127.0.0.0/8"] });
  expect(await tryCheck(ldap, spec, { connector })).toMatchObject({
    error: expect.stringContaining("not allowed") as string,
  });
  expect(ldap.endpoint(ldap.spec.parse({ name: "a", ...spec }))).toBe(`127.0.0.1:${port}`);
});
