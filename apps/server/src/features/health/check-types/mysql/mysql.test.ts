import { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  areInstalled,
  freePort,
  listenTcp,
  type MariadbServer,
  makeCertificates,
  startMariadb,
} from "@mainstay/testkit/servers/index.ts";
import { createConnector } from "#platform/outbound/connector.ts";
import { tryCheck } from "../testing/try-check.ts";
import { mysql } from "./mysql.ts";

describe.skipIf(!areInstalled("mariadbd", "mariadb-install-db"))("against MariaDB", () => {
  let server: MariadbServer;
  beforeAll(async () => {
    const started = await startMariadb();
    if (!started) throw new Error("MariaDB did not start");
    server = started;
  }, 120_000);
  afterAll(() => server.stop());
  const url = () => `mysql://shop:shop%20secret@127.0.0.1:${server.port}/shop`;
  const running = async (marker: string) => {
    // Not as one word: the question before this one may still be on the list.
    const wanted = `concat('%${marker.slice(0, 3)}', '${marker.slice(3)}%')`;
    const query = `select id from information_schema.processlist where command = 'Query' and info like ${wanted}`;
    return (await tryCheck(mysql, { url: url(), query })).details?.count;
  };

  test.each<[string, () => object]>([
    ["url", () => ({ url: url() })],
    [
      "the Go form",
      () => ({ connection: `shop:shop secret@tcp(127.0.0.1:${server.port})/shop?tls=false` }),
    ],
    [
      "template",
      () => ({
        url: `mysql://$(username):$(password)@127.0.0.1:${server.port}/shop`,
        username: "shop",
        password: "shop secret",
      }),
    ],
  ])("addresses: %s", async (_name, spec) => {
    expect(await tryCheck(mysql, spec() as never)).toMatchObject({
      pass: true,
      message: expect.stringMatching(/^1 row in/) as string,
    });
  });

  test("rows are wanted, counted and kept", async () => {
    const query = "select seq as n from seq_1_to_150";
    expect(await tryCheck(mysql, { url: url(), query, results: 150 })).toMatchObject({
      pass: true,
      details: { count: 150, note: "the first 100 rows are kept" },
    });
    expect(await tryCheck(mysql, { url: url(), query, results: 151 })).toMatchObject({
      pass: false,
      error: "the query returned 150 rows, at least 151 wanted",
    });
  });

  test("an integer of 64 bits is a number, or its digits where no number holds it", async () => {
    const query =
      "select count(*) as open, 9007199254740993 as id, -3 * 1000000000 as debt, 1.50 as price";
    expect(await tryCheck(mysql, { url: url(), query })).toMatchObject({
      details: { rows: [{ open: 1, id: "9007199254740993", debt: -3e9, price: "1.50" }] },
    });
  });

  test("a statement without rows", async () => {
    expect(
      await tryCheck(mysql, { url: url(), query: "create table if not exists t (a int)" }),
    ).toMatchObject({ pass: true, details: { count: 0 } });
  });

  test("rows without end are not waited for, and the query is stopped", async () => {
    const outcome = await tryCheck(mysql, {
      url: url(),
      query: "select seq /* endless */ from seq_1_to_100000000000",
    });
    expect(outcome).toMatchObject({
      pass: true,
      message: expect.stringMatching(/^at least 10000 rows/) as string,
    });
    await expect.poll(() => running("endless"), { timeout: 25_000 }).toBe(0);
  });

  test("an abort stops the query on the server", async () => {
    const outcome = await tryCheck(
      mysql,
      { url: url(), query: "select sleep(600) /* abandoned */" },
      { timeoutMs: 400 },
    );
    expect(outcome).toMatchObject({ pass: false, error: "timed out after 400 ms" });
    await expect.poll(() => running("abandoned"), { timeout: 25_000 }).toBe(0);
  });

  test.each<[string, (port: number) => object, RegExp]>([
    [
      "a wrong password",
      (port) => ({ url: `mysql://shop:sesame@127.0.0.1:${port}/shop` }),
      /Access denied for user 'shop'/,
    ],
    [
      "no such table",
      () => ({ url: url(), query: "select * from nothing" }),
      /Table 'shop\.nothing' doesn't exist/,
    ],
    [
      "TLS that the server does not speak",
      (port) => ({ url: `mysql://shop:shop%20secret@127.0.0.1:${port}/shop?tls=true` }),
      /does not speak TLS/,
    ],
    [
      "a file of ours",
      (port) => ({
        url: `mysql://shop:shop%20secret@127.0.0.1:${port}/shop`,
        query: "load data local infile '/etc/passwd' into table t",
      }),
      /./,
    ],
  ])("%s", async (_name, spec, error) => {
    const outcome = await tryCheck(mysql, spec(server.port) as never);
    expect(outcome.pass).toBe(false);
    expect(outcome.error).toMatch(error);
    expect(JSON.stringify(outcome)).not.toMatch(/sesame|shop secret/);
  });
});

test.skipIf(!areInstalled("mariadbd", "mariadb-install-db", "openssl"))(
  "over TLS the end of the certificate is told, also where the query fails",
  async () => {
    const certificates = makeCertificates()!;
    const server = (await startMariadb(certificates))!;
    try {
      const expires = {
        at: new Date(new X509Certificate(certificates.cert).validTo),
        what: "certificate",
      };
      const url = `mysql://shop:shop%20secret@127.0.0.1:${server.port}/shop`;
      const secured = `${url}?ssl-mode=REQUIRED`;
      expect(await tryCheck(mysql, { url: secured })).toMatchObject({ pass: true, expires });
      const query = "select * from nothing";
      expect(await tryCheck(mysql, { url: secured, query })).toMatchObject({
        pass: false,
        error: expect.stringContaining("doesn't exist") as string,
        expires,
      });
      // By the driver, which has thrown the connection away when it tells.
      expect(await tryCheck(mysql, { url: `${url}?tls=true` })).toMatchObject({
        pass: false,
        error: `the certificate of 127.0.0.1:${server.port} comes from an unknown authority`,
        expires,
      });
      expect(await tryCheck(mysql, { url })).not.toHaveProperty("expires");
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
])("a server that %s", async (_name, behave) => {
  const server = await listenTcp((socket) => {
    socket.resume();
    behave(socket);
  });
  const outcome = await tryCheck(
    mysql,
    { url: `mysql://u@127.0.0.1:${server.port}/x` },
    { timeoutMs: 500 },
  );
  expect(outcome.pass).toBe(false);
  expect(outcome.error).toBeTruthy();
  await server.close();
});

test("nobody there, and nobody allowed there", async () => {
  const port = await freePort();
  const url = `mysql://u:sesame@127.0.0.1:${port}/x`;
  expect(await tryCheck(mysql, { url })).toMatchObject({
    pass: false,
    error: `connection refused by 127.0.0.1:${port}`,
  });
  const connector = createConnector({ deny: ["127.0.0.0/8"] });
  expect(await tryCheck(mysql, { url }, { connector })).toMatchObject({
    error: expect.stringContaining("not allowed") as string,
  });
  expect(mysql.endpoint(mysql.spec.parse({ name: "a", url }))).toBe(`127.0.0.1:${port}/x`);
});
