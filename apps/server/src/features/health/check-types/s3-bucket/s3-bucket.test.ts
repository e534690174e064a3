import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { type Listening, listenTcp } from "@mainstay/testkit/servers/index.ts";
import { s3Client } from "#platform/outbound/s3/s3-client.ts";
import { type S3Server, startS3 } from "../testing/start-s3.ts";
import { openTestConnector, tryCheck } from "../testing/try-check.ts";
import { s3Bucket } from "./s3-bucket.ts";

/** Against s3rver behind a judge of signatures. */

let server: S3Server;
beforeAll(async () => {
  server = await startS3(["backups", "empty"]);
  const client = await s3Client(
    { ...server, bucket: "backups", region: "eu-central-1" },
    { signal: AbortSignal.timeout(10_000), connector: openTestConnector() },
  );
  await client.put("mysql/backups/mon/mysql.zip", "x".repeat(80));
  await client.put("pg/backups/mon/backup.zip", "x".repeat(30));
  await client.put("readme.txt", "x");
});
afterAll(() => server.stop());
afterEach(() => vi.useRealTimers());

const ask = (more: object, options: Parameters<typeof tryCheck>[2] = {}) =>
  tryCheck(
    s3Bucket,
    {
      bucket: "backups",
      endpoint: server.endpoint,
      region: "eu-central-1",
      accessKey: server.accessKey,
      secretKey: server.secretKey,
      usePathStyle: true,
      readWrite: true,
      skipTLSVerify: true,
      ...more,
    },
    options,
  );
/** The clock alone goes on, for the server of the tests as well. */
const inDays = (days: number) => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(Date.now() + days * 86_400_000);
};
const week = 604_800;

test.each<[string, object, number]>([
  [
    "any depth, and a part of the name",
    { objectPath: "(.*)backup.zip$", maxAge: week, minSize: 25 },
    1,
  ],
  [
    "the whole way",
    { objectPath: "^mysql\\/backups\\/(.*)\\/mysql.zip$", maxAge: week, minSize: 80 },
    1,
  ],
  ["all objects", { maxAge: week }, 3],
  [
    "what texts say is about every object",
    { filter: { regex: ".*.zip" }, minSize: "30b", maxAge: "10d" },
    2,
  ],
])("passes: %s", async (_name, more, count) => {
  expect(await ask(more)).toMatchObject({ pass: true, details: { count } });
});

test.each<[string, object, RegExp]>([
  [
    "nothing matches",
    { objectPath: "^backup.zip$" },
    /^no object of the bucket "backups" matches \^backup\.zip\$$/,
  ],
  ["nothing is there", { bucket: "empty", maxAge: week }, /^no object of the bucket "empty"$/],
  [
    "the newest is too small",
    { objectPath: "pg", minSize: 31 },
    /^pg\/backups\/mon\/backup\.zip, the newest, has 30b, at least 31b wanted$/,
  ],
  ["the smallest is too small", { minSize: "30b" }, /^readme\.txt has 1b, at least 30b wanted$/],
  ["another key", { accessKey: "nobody" }, /InvalidAccessKeyId/],
  ["no such bucket", { bucket: "other", maxAge: week }, /there is no bucket "other"/],
])("fails: %s", async (_name, more, error) => {
  const outcome = await ask(more);
  expect(outcome.pass).toBe(false);
  expect(outcome.error).toMatch(error);
});

test("seconds are about the newest object, a text about the oldest", async () => {
  inDays(8);
  expect((await ask({ objectPath: "pg", maxAge: week })).error).toMatch(
    /^pg\/backups\/mon\/backup\.zip, the newest, is 8d.* old, at most 1w|7d wanted$/,
  );
  expect(await ask({ objectPath: "pg", maxAge: 9 * 86_400 })).toMatchObject({ pass: true });
  expect((await ask({ maxAge: "7d" })).error).toMatch(/ is 8d.* old, at most 7d wanted$/);
});

test("a server that is silent ends with the time of the check", async () => {
  const silent: Listening = await listenTcp(() => undefined);
  try {
    const outcome = await ask({ endpoint: `http://127.0.0.1:${silent.port}` }, { timeoutMs: 300 });
    expect(outcome).toMatchObject({ pass: false, error: "timed out after 300 ms" });
  } finally {
    await silent.close();
  }
});

test("a name that is no pattern, and two of them, cannot be meant", () => {
  const judge = (more: object) => s3Bucket.spec.safeParse({ name: "a", bucket: "b", ...more });
  expect(judge({ objectPath: "(" }).success).toBe(false);
  expect(judge({ objectPath: "a", filter: { regex: "b" } }).success).toBe(false);
  expect(judge({ bucket: undefined }).success).toBe(false);
  expect(judge({ objectPath: "a", maxAge: 1, minSize: "1kb" }).success).toBe(true);
});
