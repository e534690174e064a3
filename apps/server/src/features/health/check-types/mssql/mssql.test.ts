import { X509Certificate } from "node:crypto";
import type { AddressInfo, Socket } from "node:net";
import { createServer } from "node:tls";
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
import { mssql } from "./mssql.ts";
import { serveTds, type TdsServer } from "#platform/outbound/sql/testing/tds-server.ts";

// There is no package of SQL Server for this machine: a stand-in at the level of TDS is asked.

const open: Listening[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});
async function serve(standIn: TdsServer | ((socket: Socket) => void)): Promise<number> {
  const server = await listenTcp((socket) => {
    if (typeof standIn === "function") standIn(socket.resume());
    else serveTds(socket, standIn);
  });
  open.push(server);
  return server.port;
}

const login = { user: "monitor", password: "sesame secret", databases: ["shop"] };
const urlOf = (port: number, more = "") =>
  `sqlserver://monitor:sesame%20secret@127.0.0.1:${port}?database=shop${more}`;
function* numbered(count: number): Generator<[number, string | null]> {
  for (let n = 1; n <= count; n += 1) yield [n, n === 2 ? null : `name ${n}`];
}
const table = (count: number) => ({
  columns: [
    { name: "id", type: "int" },
    { name: "name", type: "nvarchar" },
  ] as const,
  rows: numbered(count),
});

describe("against a stand-in", () => {
  test.each<[string, (port: number) => object]>([
    ["url", (port) => ({ url: urlOf(port) })],
    [
      "template",
      (port) => ({
        url: `sqlserver://$(username):$(password)@127.0.0.1:${port}?database=shop`,
        username: "monitor",
        password: "sesame secret",
      }),
    ],
    [
      "pairs",
      (port) => ({
        connection: `server=127.0.0.1,${port};user id=monitor;password='sesame secret';database=shop`,
      }),
    ],
    [
      "pairs with placeholders",
      (port) => ({
        url: `server=tcp:127.0.0.1;port=${port};User Id=$(username);Pwd=$(password);Initial Catalog=shop`,
        username: "monitor",
        password: { value: "sesame secret" },
      }),
    ],
  ])("SELECT 1, addressed by %s", async (_name, spec) => {
    const heard: string[] = [];
    const port = await serve({ login, heard });
    expect(await tryCheck(mssql, spec(port) as never)).toMatchObject({
      pass: true,
      message: expect.stringMatching(/^1 row in/) as string,
      details: { count: 1, rows: [{ "": 1 }] },
    });
    expect(heard).toContain("login monitor@shop");
    expect(heard.at(-1)).toBe("SELECT 1");
  });

  test("rows are wanted, counted and kept", async () => {
    const port = await serve({ batch: () => table(150) });
    const spec = { url: urlOf(port), query: "select id, name from people" };
    expect(await tryCheck(mssql, { ...spec, results: 150 })).toMatchObject({
      pass: true,
      details: { count: 150, note: "the first 100 rows are kept" },
    });
    const outcome = await tryCheck(mssql, { ...spec, results: 151 });
    expect(outcome).toMatchObject({
      pass: false,
      error: "the query returned 150 rows, at least 151 wanted",
    });
    expect((outcome.details as { rows: object[] }).rows.slice(0, 3)).toEqual([
      { id: 1, name: "name 1" },
      { id: 2, name: null },
      { id: 3, name: "name 3" },
    ]);
  });

  test("an integer of 64 bits is a number, or its digits where no number holds it", async () => {
    const columns = ["open", "id"].map((name) => ({ name, type: "bigint" as const }));
    const port = await serve({ batch: () => ({ columns, rows: [[7, "9007199254740993"]] }) });
    expect(await tryCheck(mssql, { url: urlOf(port), query: "select open, id" })).toMatchObject({
      details: { rows: [{ open: 7, id: "9007199254740993" }] },
    });
  });

  test("rows without end are not waited for", async () => {
    const port = await serve({ batch: () => table(Number.POSITIVE_INFINITY) });
    expect(await tryCheck(mssql, { url: urlOf(port) })).toMatchObject({
      pass: true,
      message: expect.stringMatching(/^at least 10000 rows/) as string,
    });
  });

  test("a statement without rows", async () => {
    const port = await serve({ batch: () => ({}) });
    expect(await tryCheck(mssql, { url: urlOf(port), query: "delete from t" })).toMatchObject({
      pass: true,
      details: { count: 0 },
    });
  });

  test.each<[string, TdsServer, (port: number) => object, RegExp]>([
    [
      "a wrong password",
      { login: { ...login, password: "another" } },
      (port) => ({ url: urlOf(port) }),
      /^127\.0\.0\.1:\d+: Login failed for user 'monitor'\.$/,
    ],
    [
      "no such database",
      { login: { ...login, databases: ["else"] } },
      (port) => ({ url: urlOf(port) }),
      /Cannot open database "shop"/,
    ],
    [
      "an error of the query",
      { batch: () => ({ error: { number: 208, message: "Invalid object name 'nothing'." } }) },
      (port) => ({ url: urlOf(port), query: "select * from nothing" }),
      /: Invalid object name 'nothing'\.$/,
    ],
    [
      "an error behind rows",
      { batch: () => ({ ...table(3), error: { number: 8134, message: "Divide by zero." } }) },
      (port) => ({ url: urlOf(port) }),
      /: Divide by zero\.$/,
    ],
    [
      "what repeats the password",
      { batch: () => ({ error: { number: 1, message: "sesame secret" } }) },
      (port) => ({ url: urlOf(port) }),
      /: \[hidden\]$/,
    ],
    [
      "TLS that the server does not speak",
      { login },
      (port) => ({ url: urlOf(port, "&encrypt=true") }),
      /does not speak TLS$/,
    ],
    [
      "a query that takes too long",
      { login, isStuck: true },
      (port) => ({ url: urlOf(port) }),
      /timed out after 1500 ms/,
    ],
  ])("fails: %s", async (_name, standIn, spec, error) => {
    const outcome = await tryCheck(mssql, spec(await serve(standIn)) as never, { timeoutMs: 1500 });
    expect(outcome.pass).toBe(false);
    expect(outcome.error).toMatch(error);
    expect(JSON.stringify(outcome)).not.toMatch(/sesame/);
  });

  test.skipIf(!areInstalled("openssl"))("TLS", async () => {
    const certificates = makeCertificates()!;
    const heard: string[] = [];
    const port = await serve({ login, tls: certificates, heard });
    const url = (more: string) => urlOf(port, more).replace("127.0.0.1", "localhost");
    const expires = {
      at: new Date(new X509Certificate(certificates.cert).validTo),
      what: "certificate",
    };
    for (const spec of [
      // As drivers do where nothing is said: encrypted, whoever it is.
      { url: url("") },
      { url: url("&encrypt=true&TrustServerCertificate=true") },
      { url: url("&encrypt=true"), tlsConfig: { ca: certificates.ca } },
    ])
      expect(await tryCheck(mssql, spec)).toMatchObject({
        pass: true,
        details: { count: 1 },
        expires,
      });
    expect(new Set(heard.filter((line) => line.startsWith("prelogin")))).toEqual(
      new Set(["prelogin 1"]),
    );
    // By the driver, which has thrown the connection away when it tells.
    const refused = {
      pass: false,
      error: expect.stringContaining("unknown authority") as string,
      expires,
    };
    expect(await tryCheck(mssql, { url: url("&encrypt=true") })).toMatchObject(refused);
    const strict = createServer({ ...certificates, ALPNProtocols: ["tds/8.0"] });
    strict.on("tlsClientError", () => undefined);
    await new Promise<void>((fulfil) => strict.listen(0, "127.0.0.1", fulfil));
    const address = urlOf((strict.address() as AddressInfo).port, "&encrypt=strict");
    expect(await tryCheck(mssql, { url: address })).toMatchObject(refused);
    strict.close();
    certificates.remove();
  });
});

test.each<[string, (socket: Socket) => void, RegExp]>([
  ["answers nothing", () => undefined, /timed out after 700 ms/],
  ["hangs up", (socket) => socket.end(), /./],
  [
    "speaks something else",
    (socket) => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"),
    /does not answer as an SQL Server/,
  ],
  [
    "sends packets of nothing",
    (socket) => socket.write(Buffer.alloc(64)),
    /does not answer as an SQL Server/,
  ],
  [
    "sends without end",
    (socket) => {
      // One message of which no packet is the last.
      const packet = Buffer.alloc(32_000);
      packet.set([4, 0, 0x7d, 0x00]);
      const more = () => {
        while (!socket.destroyed && socket.write(packet));
        socket.once("drain", more);
      };
      more();
    },
    /timed out|sent more than/,
  ],
])("a server that %s", async (_name, behave, error) => {
  const port = await serve(behave);
  const outcome = await tryCheck(mssql, { url: urlOf(port) }, { timeoutMs: 700 });
  expect(outcome.pass).toBe(false);
  expect(outcome.error).toMatch(error);
  expect(JSON.stringify(outcome)).not.toContain("sesame");
});

test("nobody there, and nobody allowed there", async () => {
  const port = await freePort();
  expect(await tryCheck(mssql, { url: urlOf(port) })).toMatchObject({
    pass: false,
    error: `connection refused by 127.0.0.1:${port}`,
  });
  const connector = createConnector({ deny: ["127.0.0.0/8"] });
  expect(await tryCheck(mssql, { url: urlOf(port) }, { connector })).toMatchObject({
    error: expect.stringContaining("not allowed") as string,
  });
  expect(mssql.endpoint(mssql.spec.parse({ name: "a", url: urlOf(port) }))).toBe(
    `127.0.0.1:${port}/shop`,
  );
});

test.each<[object, RegExp]>([
  [{ url: "mysql://a/b" }, /not an SQL Server address/],
  [{ url: "nonsense" }, /not an SQL Server address/],
  [{ url: "user id=a" }, /not an SQL Server address/],
  [{ url: "sqlserver://u:p@host/SQLEXPRESS" }, /names an instance/],
  [{ url: "server=host\\SQLEXPRESS;user id=a" }, /names an instance/],
])("%j is a wrong document", async (spec, error) => {
  const outcome = await tryCheck(mssql, spec as never);
  expect(outcome).toMatchObject({ pass: false, invalid: true });
  expect(outcome.error).toMatch(error);
});
