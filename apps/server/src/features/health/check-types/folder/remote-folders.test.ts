import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  areInstalled,
  listenHttp,
  listenTcp,
  startSshd,
  type SshServer,
} from "@mainstay/testkit/servers/index.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStore } from "#platform/outbound/files/open-store.ts";
import { s3Client } from "#platform/outbound/s3/s3-client.ts";
import { type GoogleStandIn, startGoogle } from "../testing/google-stand-in.ts";
import { startS3, type S3Server } from "../testing/start-s3.ts";
import { openTestConnector, tryCheck } from "../testing/try-check.ts";
import { folder } from "./folder.ts";

/** Against OpenSSH; against s3rver behind a judge of signatures; against a stand-in for Cloud Storage. */

/** Reads a file of the folder that a spec names. */
async function readFile(
  spec: Parameters<typeof openStore>[0],
  name: string,
  most: number,
): Promise<string | undefined> {
  const signal = AbortSignal.timeout(10_000);
  const { store } = await openStore(spec, { signal, connector: openTestConnector() });
  try {
    return (await store.read(name, { most, signal }))?.toString();
  } finally {
    store.close?.();
  }
}

const matching = (error: RegExp): string => expect.stringMatching(error) as string;

describe("S3", () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await startS3(["backups"]);
    const client = await s3Client(
      { ...server, bucket: "backups", region: "eu-central-1" },
      { signal: AbortSignal.timeout(10_000), connector: openTestConnector() },
    );
    for (const key of ["db/mysql/1.zip", "db/pg/2.zip", "db-old/3.zip", "db/empty/"])
      await client.put(key, key.endsWith("/") ? "" : "x".repeat(30));
  });
  afterAll(() => server.stop());
  const spec = (path: string, more: object = {}, connection: object = {}) => ({
    path,
    awsConnection: {
      endpoint: server.endpoint,
      region: "eu-central-1",
      accessKey: { value: server.accessKey },
      secretKey: { value: server.secretKey },
      usePathStyle: true,
      ...connection,
    },
    ...more,
  });

  test.each<[string, object, number]>([
    ["s3://backups", {}, 3],
    ["s3://backups/db", {}, 2],
    ["s3://backups/db/**/*.zip", {}, 2],
    ["s3://backups/*/*.zip", {}, 1],
    ["s3://backups/db*/**", {}, 3],
    ["s3://backups", { filter: { regex: "mysql\\/(.*)zip$" } }, 1],
    ["s3://backups", { filter: { regex: "^1\\." } }, 1],
    ["s3://backups", { filter: { maxAge: "1h", minSize: "30b", maxSize: "30b" } }, 3],
    ["s3://backups", { filter: { minAge: "1h" } }, 0],
    ["s3://backups/nothing", {}, 0],
  ])("%s %j", async (path, more, count) => {
    const { pass, details } = await tryCheck(folder, spec(path, more));
    expect({ pass, count: details?.count }).toEqual({ pass: true, count });
  });

  test("objects are read whole or not at all, and none of another bucket", async () => {
    const at = spec("s3://backups/db");
    expect(await readFile(at, "pg/2.zip", 30)).toBe("x".repeat(30));
    expect(await readFile(at, "pg/2.zip", 29)).toBeUndefined();
    await expect(readFile(at, "gone", 30)).rejects.toThrow(/is not there/);
    await expect(readFile(at, "../../other/1", 30)).rejects.toThrow(/no name of a file/);
  });

  test.each<[string, object, object, RegExp, string]>([
    ["s3://backups", { minCount: 4 }, {}, /3 files found, at least 4 wanted/, "min_count"],
    ["s3://backups", { availableSize: "1b" }, {}, /has no free space/, "available_size"],
    ["s3://other", {}, {}, /there is no bucket "other"/, "listing_error"],
    ["s3://backups", {}, { secretKey: { value: "swordfish" } }, /SignatureDoes/, "listing_error"],
    ["s3://backups", {}, { endpoint: "http://127.0.0.1:1" }, /refused/, "connection_error"],
    ["s3://", {}, {}, /does not say which bucket/, "configuration_error"],
    ["ftp://backups", {}, {}, /ftp:\/\/ folders are not known/, "configuration_error"],
  ])("%s %j %j", async (path, more, connection, error, errorType) => {
    const outcome = await tryCheck(folder, spec(path, more, connection));
    expect(outcome).toMatchObject({ pass: false, error: matching(error), details: { errorType } });
    expect(outcome.data?.()).toMatchObject({ errorType });
    expect(JSON.stringify(outcome)).not.toContain("swordfish");
  });
});

test.each<[string, object]>([
  ["s3://backups", { awsConnection: { region: "eu-central-1", accessKey: "a", secretKey: "b" } }],
  ["gcs://dumps", { gcpConnection: {} }],
])("%s of a service that is silent ends with the time", async (path, connection) => {
  const silent = await listenTcp((socket) => void socket.resume());
  const endpoint = `http://127.0.0.1:${silent.port}`;
  const spec = Object.fromEntries(
    Object.entries(connection).map(([key, one]) => [key, { ...(one as object), endpoint }]),
  );
  expect(await tryCheck(folder, { path, ...spec }, { timeoutMs: 300 })).toMatchObject({
    pass: false,
    error: "timed out after 300 ms",
  });
  await silent.close();
});

test("S3 that is asked too often says so", async () => {
  const busy = await listenHttp((_request, response) =>
    response.writeHead(503).end("<Error><Code>SlowDown</Code></Error>"),
  );
  const endpoint = `http://127.0.0.1:${busy.port}`;
  const awsConnection = { endpoint, region: "a", accessKey: "b", secretKey: "swordfish" };
  const outcome = await tryCheck(folder, { path: "s3://backups", awsConnection });
  expect(outcome.error).toMatch(/asks to slow down \(SlowDown\)/);
  expect(JSON.stringify(outcome)).not.toContain("swordfish");
  await busy.close();
});

test("a role is taken on before S3 is listed, and a refusal of it is one of the listing", async () => {
  const role = {
    arn: "arn:aws:iam::1:role/audit",
    keys: { accessKey: "ASIALENT", secretKey: "sesame/lent", sessionToken: "sesame/t" },
  };
  const server = await startS3(["backups"], { role });
  const { endpoint, accessKey, secretKey } = server;
  const spec = (assumeRole: string) => ({
    path: "s3://backups",
    awsConnection: { endpoint, accessKey, secretKey, region: "eu-central-1", assumeRole },
  });
  expect(await tryCheck(folder, spec(role.arn))).toMatchObject({
    pass: true,
    details: { count: 0 },
  });
  const outcome = await tryCheck(folder, spec("arn:aws:iam::1:role/other"));
  expect(outcome).toMatchObject({
    pass: false,
    error: matching(/not allowed: AccessDenied/),
    details: { errorType: "listing_error" },
  });
  expect(JSON.stringify(outcome)).not.toContain("sesame");
  await server.stop();
});

describe("Cloud Storage", () => {
  let google: GoogleStandIn;
  beforeAll(async () => {
    const updated = new Date(Date.now() - 7_200_000).toISOString();
    const names = ["daily/1", "daily/2", "daily/sub/3", "daily/4", "other/5"];
    const objects = names.map((name) => ({
      name,
      size: "100",
      updated,
      content: `what ${name} holds`,
    }));
    google = await startGoogle({ buckets: { dumps: objects } });
  });
  afterAll(() => google.close());
  const spec = (path: string, more: object = {}, credentials = google.credentials) => ({
    path,
    gcpConnection: { endpoint: google.endpoint, credentials: { value: credentials } },
    ...more,
  });

  test("counts over pages, with one token", async () => {
    const outcome = await tryCheck(folder, spec("gcs://dumps/daily", { maxAge: "3h" }));
    expect(outcome).toMatchObject({ pass: true, details: { count: 4, size: 400 } });
    expect(google.asked).toHaveLength(2);
    expect((await tryCheck(folder, spec("gs://dumps/*/5"))).details?.count).toBe(1);
  });

  test("objects are read whole or not at all", async () => {
    const at = spec("gcs://dumps/daily");
    expect(await readFile(at, "1", 20)).toBe("what daily/1 holds");
    expect(await readFile(at, "1", 5)).toBeUndefined();
    await expect(readFile(at, "gone", 20)).rejects.toThrow(/knows nothing to read .*404/);
  });

  test("ages are exact", async () => {
    const outcome = await tryCheck(folder, spec("gcs://dumps", { maxAge: "119m" }));
    expect(outcome).toMatchObject({ pass: false, details: { errorType: "max_age" } });
  });

  test("a key of somebody else's, none, and one that is none", async () => {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const foreign = JSON.stringify({
      ...(JSON.parse(google.credentials) as object),
      private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
    });
    for (const [credentials, error] of [
      [foreign, /gave no token .*invalid_grant/],
      ["", /did not let the credentials list .*401/],
      ["swordfish", /not the JSON of a Google key/],
      ["{}", /no client_email/],
      ['{"client_email":"a","private_key":"swordfish"}', /private_key .* cannot be read/],
    ] as const) {
      const outcome = await tryCheck(folder, spec("gcs://dumps", {}, credentials));
      expect(outcome).toMatchObject({ pass: false, error: matching(error) });
      expect(JSON.stringify(outcome)).not.toMatch(/swordfish|PRIVATE KEY|ya29/);
    }
  });

  test.each<[number, object, RegExp]>([
    [403, { error: { message: "no storage.objects.list access" } }, /no storage.objects.list/],
    [429, { error: { message: "rateLimitExceeded" } }, /asks to slow down/],
    [500, {}, /answered 500/],
  ])("an answer %i", async (code, body, error) => {
    google.failNext(code, body);
    const outcome = await tryCheck(folder, spec("gcs://dumps"));
    expect(outcome).toMatchObject({ pass: false, error: matching(error) });
  });

  test("a bucket that is not there", async () => {
    expect((await tryCheck(folder, spec("gcs://none"))).error).toMatch(/404.*does not exist/);
  });
});

describe.skipIf(!areInstalled("sshd", "ssh-keygen"))("SFTP", () => {
  let server: SshServer;
  let root = "";
  beforeAll(async () => {
    server = (await startSshd())!;
    root = mkdtempSync(join(tmpdir(), "mainstay-sftp-"));
    mkdirSync(join(root, "deep"));
    for (const [name, ageSeconds] of [
      ["a.bak", 3600],
      ["b.bak", 60],
      ["deep/c.bak", 60],
    ] as const) {
      writeFileSync(join(root, name), "x".repeat(10));
      const time = Date.now() / 1000 - ageSeconds;
      utimesSync(join(root, name), time, time);
    }
  });
  afterAll(async () => {
    rmSync(root, { recursive: true, force: true });
    await server.stop();
  });
  const spec = (path: string, more: object = {}, connection: object = {}) => ({
    path: path.replace("ROOT", root),
    sftpConnection: {
      host: "127.0.0.1",
      port: server.port,
      username: { value: server.username },
      privateKey: { value: server.key },
      ...connection,
    },
    ...more,
  });

  test.each<[string, object, number]>([
    ["ROOT", {}, 2],
    ["ROOT", { recursive: true }, 3],
    ["ROOT/**/*.bak", {}, 3],
    ["ROOT", { filter: { minAge: "30m" } }, 1],
    ["ROOT/gone", {}, 0],
    ["ROOT", { availableSize: "1b", totalSize: "1b" }, 2],
  ])("%s %j", async (path, more, count) => {
    const { pass, error, details } = await tryCheck(folder, spec(path, more));
    expect({ pass, error, count: details?.count }).toEqual({ pass: true, error: undefined, count });
  });

  test("files are read whole or not at all, and links are not followed", async () => {
    const large = "0123456789".repeat(10_000);
    writeFileSync(join(root, "deep/large"), large);
    symlinkSync(join(root, "a.bak"), join(root, "deep/link"));
    const at = spec("ROOT/deep");
    expect(await readFile(at, "large", 100_000)).toBe(large);
    expect(await readFile(at, "large", 99_999)).toBeUndefined();
    await expect(readFile(at, "link", 100)).rejects.toThrow(/not a plain file/);
    await expect(readFile(at, "gone", 100)).rejects.toThrow(/is not there/);
    await expect(readFile(at, "../a.bak", 100)).rejects.toThrow(/no name of a file/);
    for (const name of ["large", "link"]) rmSync(join(root, "deep", name));
  });

  test("what is not met is named as everywhere", async () => {
    const outcome = await tryCheck(folder, spec("ROOT", { maxAge: "59m" }));
    expect(outcome).toMatchObject({ pass: false, details: { errorType: "max_age" } });
    expect(outcome.error).toMatch(/a.bak is 1h\w* old, at most 59m wanted/);
    expect((await tryCheck(folder, spec("ROOT", { availableSize: "8000tb" }))).error).toMatch(
      /are free, at least 8000tb wanted/,
    );
  });

  test("the host's key is judged where one is named", async () => {
    for (const hostKey of [server.hostKey, server.fingerprint])
      expect((await tryCheck(folder, spec("ROOT", {}, { hostKey }))).pass).toBe(true);
    const outcome = await tryCheck(folder, spec("ROOT", {}, { hostKey: "SHA256:other" }));
    expect(outcome.error).toContain("shows another host key");
  });

  test.each<[object, RegExp]>([
    [{ privateKey: undefined, password: { value: "swordfish" } }, /did not let \S+ sign in/],
    [{ privateKey: { value: "swordfish" } }, /private key cannot be read/],
    [{ username: undefined }, /does not say who signs in/],
    [{ host: undefined }, /does not say which host to ask/],
    [{ port: 1 }, /refused/],
  ])("%j", async (connection, error) => {
    const outcome = await tryCheck(folder, spec("ROOT", {}, connection));
    expect(outcome).toMatchObject({ pass: false, error: matching(error) });
    expect(JSON.stringify(outcome)).not.toContain("swordfish");
  });

  test.each<[string, (socket: { write(text: string): unknown; end(): unknown }) => void, RegExp]>([
    ["is silent", () => undefined, /timed out after 300 ms/],
    [
      "speaks something else",
      (socket) => socket.write("HTTP/1.1 400 no\r\n".repeat(2000)),
      /does not speak SSH|closed|failed/,
    ],
    ["hangs up", (socket) => socket.end(), /closed|does not speak SSH|failed/],
  ])("a server that %s", async (_title, handler, error) => {
    const at = await listenTcp(handler);
    const outcome = await tryCheck(folder, spec("ROOT", {}, { port: at.port }), {
      timeoutMs: 300,
    });
    expect(outcome).toMatchObject({ pass: false, error: matching(error) });
    await at.close();
  });
});
