import { generateKeyPairSync } from "node:crypto";
import { listenTcp } from "@mainstay/testkit/servers/index.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GoogleStandIn, startGoogle } from "../testing/google-stand-in.ts";
import { tryCheck } from "../testing/try-check.ts";
import { databaseBackup } from "./database-backup.ts";

/** Against a stand-in for Google's token service and its Cloud SQL Admin API. */

const backups: object[] = [];
let google: GoogleStandIn;
beforeAll(async () => {
  google = await startGoogle({ backups });
});
afterAll(() => google.close());

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
const have = (...runs: object[]) => backups.splice(0, backups.length, ...runs);
const spec = (more: object = {}, gcp: object = {}, credentials = google.credentials) => ({
  gcp: {
    project: "shop",
    instance: "orders",
    gcpConnection: { endpoint: google.endpoint, credentials: { value: credentials } },
    ...gcp,
  },
  ...more,
});

describe("what the backups say", () => {
  const good = (hours: number) => ({ id: "1", status: "SUCCESSFUL", endTime: hoursAgo(hours) });
  test.each<[string, object[], object, boolean, RegExp]>([
    ["young enough", [good(30), good(1)], { maxAge: "2h" }, true, /the newest backup is 1h/],
    ["any age", [good(1000)], {}, true, /newest backup is/],
    ["too old", [good(3)], { maxAge: "2h" }, false, /3h\w* old, at most 2h wanted/],
    ["none", [], { maxAge: "2h" }, false, /no backup that has come to an end/],
    ["one that still runs", [{ id: "2", status: "RUNNING" }], {}, false, /no backup/],
    [
      "one that failed",
      [good(3), { id: "3", status: "FAILED", endTime: hoursAgo(1), error: { message: "disk" } }],
      {},
      false,
      /ended as FAILED: disk/,
    ],
    ["garbage", [{ id: 3, endTime: "soon" }, {}], {}, false, /no backup/],
  ])("%s", async (_title, runs, more, pass, said) => {
    have(...runs);
    const outcome = await tryCheck(databaseBackup, spec(more));
    expect(outcome.pass).toBe(pass);
    expect(outcome.error ?? outcome.message).toMatch(said);
  });
});

test("an instance that is not there, throttling, and no credentials", async () => {
  expect((await tryCheck(databaseBackup, spec({}, { instance: "other" }))).error).toContain("404");
  google.failNext(429, { error: { message: "quota" } });
  expect((await tryCheck(databaseBackup, spec())).error).toContain("asks to slow down");
  expect((await tryCheck(databaseBackup, spec({}, {}, ""))).error).toContain("401");
});

test("a key of somebody else's, and one that is none, without a word of them", async () => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const foreign = JSON.stringify({
    ...(JSON.parse(google.credentials) as object),
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
  });
  for (const [credentials, error] of [
    [foreign, /gave no token .*invalid_grant/],
    ["swordfish", /not the JSON of a Google key/],
    ['{"client_email":"a","private_key":"swordfish"}', /private_key .* cannot be read/],
  ] as const) {
    const outcome = await tryCheck(databaseBackup, spec({}, {}, credentials));
    expect(outcome).toMatchObject({ pass: false, error: expect.stringMatching(error) as string });
    expect(JSON.stringify(outcome)).not.toMatch(/swordfish|PRIVATE KEY|ya29/);
  }
});

test("a spec without an instance is refused", () => {
  expect(databaseBackup.spec.safeParse({ gcp: { project: "shop" } }).success).toBe(false);
});

test("a silent service ends with the time", async () => {
  const at = await listenTcp(() => undefined);
  const gcpConnection = { endpoint: `http://127.0.0.1:${at.port}` };
  const outcome = await tryCheck(databaseBackup, spec({}, { gcpConnection }), { timeoutMs: 200 });
  expect(outcome.error).toBe("timed out after 200 ms");
  await at.close();
});
