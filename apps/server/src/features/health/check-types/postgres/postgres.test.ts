import { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { startTlsPostgres } from "@mainstay/testkit";
import {
  areInstalled,
  freePort,
  type Listening,
  listenForPostgres,
  listenTcp,
  makeCertificates,
} from "@mainstay/testkit/servers/index.ts";
import { createConnector } from "#platform/outbound/connector.ts";
import { openTestConnector, tryCheck } from "../testing/try-check.ts";
import { postgres } from "./postgres.ts";

describe("against PostgreSQL", () => {
  const cluster = inject("cluster");
  let relay: Listening;
  const url = (more = "") =>
    `postgres://${cluster.user}:sesame@127.0.0.1:${relay.port}/postgres${more}`;

  beforeAll(async () => {
    relay = await listenForPostgres(cluster);
  });
  afterAll(() => relay.close());

  async function running(marker: string): Promise<number> {
    const client = new pg.Client({ ...cluster, database: "postgres" });
    await client.connect();
    const { rowCount } = await client.query(
      "select 1 from pg_stat_activity where state = 'active' and query like $1 and pid <> pg_backend_pid()",
      [`%${marker}%`],
    );
    await client.end();
    return rowCount ?? 0;
  }

  test("the default query", async () => {
    const outcome = await tryCheck(postgres, { url: url() });
    expect(outcome).toMatchObject({
      pass: true,
      message: expect.stringMatching(/^1 row in/) as string,
      details: { count: 1 },
    });
  });

  test.each<[string, () => object]>([
    [
      "pairs",
      () => ({
        connection:
          `host=127.0.0.1 port=${relay.port} user=${cluster.user} password='it''s' dbname=postgres sslmode=disable`.replace(
            "''",
            "\\'",
          ),
      }),
    ],
    [
      "template",
      () => ({
        url: `postgresql://$(username):$(password)@127.0.0.1:${relay.port}/postgres`,
        username: cluster.user,
        password: { value: "a/b" },
      }),
    ],
    [
      "a socket",
      () => ({
        url: `postgres://${cluster.user}@/postgres?host=${encodeURIComponent(cluster.host)}&port=${cluster.port}`,
      }),
    ],
  ])("addresses: %s", async (_name, spec) => {
    const connector = openTestConnector({ sockets: { allow: [cluster.host], never: [] } });
    const outcome = await tryCheck(postgres, spec() as never, { connector });
    expect(outcome.error).toBeUndefined();
    expect(outcome.pass).toBe(true);
  });

  test("a socket in a directory that no setting names is not opened", async () => {
    const socket = `host=${encodeURIComponent(cluster.host)}&port=${cluster.port}`;
    for (const spec of [
      { url: `postgres://${cluster.user}@/postgres?${socket}` },
      { connection: `host=${cluster.host} port=${cluster.port} user=${cluster.user}` },
    ])
      expect(await tryCheck(postgres, spec)).toMatchObject({
        pass: false,
        error: expect.stringContaining("is not in a directory that this server allows") as string,
      });
  });

  test("rows are wanted, counted and kept", async () => {
    const query = "select n, 'x' || n as name from generate_series(1, 150) n";
    const outcome = await tryCheck(postgres, { url: url(), query, results: 150 });
    expect(outcome).toMatchObject({
      pass: true,
      details: { count: 150, note: "the first 100 rows are kept" },
    });
    expect(outcome.details?.rows).toEqual(expect.arrayContaining([{ n: 1, name: "x1" }]));
    expect(await tryCheck(postgres, { url: url(), query, results: 151 })).toMatchObject({
      pass: false,
      error: "the query returned 150 rows, at least 151 wanted",
    });
    expect(
      await tryCheck(postgres, { url: url(), query: "select 1 where false", results: 1 }),
    ).toMatchObject({ pass: false, error: "the query returned 0 rows, at least 1 wanted" });
  });

  test("an integer of 64 bits is a number, or its digits where no number holds it", async () => {
    const query = "select count(*) as open, 9007199254740993::bigint as id, 1.50 as price";
    expect(await tryCheck(postgres, { url: url(), query })).toMatchObject({
      details: { rows: [{ open: 1, id: "9007199254740993", price: "1.50" }] },
    });
  });

  test("rows without end are not waited for, and the query is stopped", async () => {
    const query = "select generate_series(1, 100000000000) as n /* endless */";
    const outcome = await tryCheck(postgres, { url: url(), query });
    expect(outcome).toMatchObject({
      pass: true,
      message: expect.stringMatching(/^at least 10000 rows/) as string,
    });
    await expect.poll(() => running("endless"), { timeout: 10_000 }).toBe(0);
  });

  test("an abort stops the query on the server", async () => {
    const outcome = await tryCheck(
      postgres,
      { url: url(), query: "select pg_sleep(600) /* abandoned */" },
      { timeoutMs: 400 },
    );
    expect(outcome.pass).toBe(false);
    expect(outcome.error).toMatch(/timed out after 400 ms|the query was stopped after 400 ms/);
    await expect.poll(() => running("abandoned"), { timeout: 10_000 }).toBe(0);
  });

  test("its own timeout", async () => {
    const outcome = await tryCheck(postgres, {
      url: url(),
      query: "select pg_sleep(600)",
      timeout: "300ms",
    });
    expect(outcome.error).toMatch(/after 300 ms/);
  });

  test.each([
    ["select * from no_such_table", /relation "no_such_table" does not exist/],
    ["selec 1", /syntax error/],
  ])("%s", async (query, error) => {
    const outcome = await tryCheck(postgres, { url: url(), query });
    expect(outcome).toMatchObject({ pass: false });
    expect(outcome.error).toMatch(error);
  });

  test("a database that is not there", async () => {
    const outcome = await tryCheck(postgres, { url: url().replace(/postgres$/, "no_such") });
    expect(outcome.error).toMatch(/database "no_such" does not exist/);
    expect(JSON.stringify(outcome)).not.toContain("sesame");
  });

  test("a wrong password, and who is not known", async () => {
    const { user } = cluster.accounts.application;
    const at = (login: string) => `postgres://${login}@127.0.0.1:${relay.port}/postgres`;
    const wrong = await tryCheck(postgres, { url: at(`${user}:sesame`) });
    expect(wrong.error).toContain(`password authentication failed for user "${user}"`);
    const stranger = await tryCheck(postgres, { url: at("stranger:sesame") });
    expect(stranger.error).toContain('role "stranger" does not exist');
    expect(JSON.stringify([wrong, stranger])).not.toContain("sesame");
  });

  test("TLS that the server does not speak", async () => {
    const outcome = await tryCheck(postgres, { url: url("?sslmode=require") });
    expect(outcome).toMatchObject({
      pass: false,
      error: `127.0.0.1:${relay.port} does not speak TLS`,
    });
  });
});

test.skipIf(!areInstalled("openssl"))(
  "over TLS the end of the certificate is told, also where the query fails",
  async () => {
    const certificates = makeCertificates()!;
    const server = await startTlsPostgres(certificates);
    try {
      const expires = {
        at: new Date(new X509Certificate(certificates.cert).validTo),
        what: "certificate",
      };
      const url = `postgres://postgres@localhost:${server.port}/postgres`;
      for (const mode of ["require", "prefer"]) {
        const outcome = await tryCheck(postgres, { url: `${url}?sslmode=${mode}` });
        expect(outcome).toMatchObject({ pass: true, expires });
      }
      const query = "select * from nothing";
      expect(await tryCheck(postgres, { url: `${url}?sslmode=require`, query })).toMatchObject({
        pass: false,
        error: expect.stringContaining("does not exist") as string,
        expires,
      });
      // By the driver, which has thrown the connection away when it tells.
      expect(await tryCheck(postgres, { url: `${url}?sslmode=verify-full` })).toMatchObject({
        pass: false,
        error: `the certificate of localhost:${server.port} comes from an unknown authority`,
        expires,
      });
    } finally {
      await server.stop();
      certificates.remove();
    }
  },
  60_000,
);

test.each<[string, (socket: Socket) => void]>([
  ["answers nothing", () => undefined],
  ["hangs up", (socket) => socket.end()],
  [
    "speaks something else",
    (socket) =>
      socket.write("HTTP/1.1 400 Bad Request\r\n\r\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
  ],
  [
    "sends without end",
    (socket) => {
      const chunk = Buffer.alloc(65_536, 0x4e);
      const more = () => {
        while (!socket.destroyed && socket.write(chunk));
        socket.once("drain", more);
      };
      more();
    },
  ],
])("a server that %s", async (_name, behave) => {
  const server = await listenTcp((socket) => {
    socket.resume();
    behave(socket);
  });
  const outcome = await tryCheck(
    postgres,
    { url: `postgres://u@127.0.0.1:${server.port}/x` },
    { timeoutMs: 700 },
  );
  expect(outcome.pass).toBe(false);
  expect(outcome.error).toBeTruthy();
  await server.close();
});

test.each<[string, (socket: Socket, message: Buffer) => void]>([
  ["hangs up", (socket, message) => socket.once("data", () => socket.end(message))],
  [
    "cuts the connection",
    (socket, message) =>
      socket.once("data", () => socket.write(message, () => socket.resetAndDestroy())),
  ],
  [
    "has not read what it was sent",
    (socket, message) => socket.pause().write(message, () => socket.destroy()),
  ],
])("what a server says before it %s is told", async (_name, behave) => {
  const fields = 'SFATAL\0VFATAL\0C3D000\0Mdatabase "x" does not exist\0\0';
  const message = Buffer.alloc(5 + fields.length);
  message.write(`E....${fields}`);
  message.writeInt32BE(4 + fields.length, 1);
  const server = await listenTcp((socket) => {
    socket.on("error", () => undefined);
    behave(socket, message);
  });
  const { port } = server;
  for (let count = 0; count < 20; count += 1)
    expect(await tryCheck(postgres, { url: `postgres://u@127.0.0.1:${port}/x` })).toMatchObject({
      error: `127.0.0.1:${port}: database "x" does not exist`,
    });
  await server.close();
});

test("nobody there, and nobody allowed there", async () => {
  const port = await freePort();
  const url = `postgres://u:sesame@127.0.0.1:${port}/x`;
  expect(await tryCheck(postgres, { url })).toMatchObject({
    pass: false,
    error: `connection refused by 127.0.0.1:${port}`,
  });
  const connector = createConnector({ deny: ["127.0.0.0/8"] });
  expect(await tryCheck(postgres, { url }, { connector })).toMatchObject({
    error: expect.stringContaining("not allowed") as string,
  });
  expect(postgres.endpoint(postgres.spec.parse({ name: "a", url }))).toBe(`127.0.0.1:${port}/x`);
  expect(await tryCheck(postgres, { url: "mysql://a/b" })).toMatchObject({
    pass: false,
    invalid: true,
  });
});
