import { type Listening, listenHttp, listenTcp } from "@mainstay/testkit/servers/index.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTestConnector, tryCheck } from "../testing/try-check.ts";
import { startS3, type S3Server } from "../testing/start-s3.ts";
import { s3Client } from "#platform/outbound/s3/s3-client.ts";
import { readObjects } from "#platform/outbound/s3/read-objects.ts";
import { s3 } from "./s3.ts";

/** Against s3rver behind a judge of signatures, and stand-ins that answer as the public API describes where it cannot. */

let server: S3Server;
beforeAll(async () => {
  server = await startS3(["backups"]);
});
afterAll(() => server.stop());

const spec = (more: object = {}) => ({
  bucket: "backups",
  endpoint: server.endpoint,
  region: "eu-central-1",
  accessKey: server.accessKey,
  secretKey: server.secretKey,
  ...more,
});
const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
};
const client = () =>
  s3Client(
    { ...spec(), accessKey: server.accessKey, secretKey: server.secretKey },
    { signal: AbortSignal.timeout(10_000), connector: openTestConnector() },
  );

test("lists, writes, reads back and leaves nothing behind", async () => {
  const outcome = await tryCheck(s3, spec({ objectPath: "probe", usePathStyle: true }));
  expect(outcome).toMatchObject({ pass: true, details: { listed: 0, isComplete: true } });
  const left = await all((await client()).list(""));
  expect(left).toEqual([]);
});

test("bucketName is the bucket as well", async () => {
  const { bucket: bucketName, ...rest } = spec();
  expect((await tryCheck(s3, { ...rest, bucketName })).pass).toBe(true);
});

test("keys of any kind come back as they are, over several pages", async () => {
  const keys = ["a b+c", "ä/ö&<>.txt", "it's(1)!*", "q?x=1#y"];
  for (const key of keys) await (await client()).put(key, "x");
  const found = await all((await client()).list(""));
  expect(found.map(({ key }) => key).toSorted()).toEqual(keys.toSorted());
  expect((await (await client()).get("q?x=1#y")).toString()).toBe("x");
  for (const key of keys) await (await client()).remove(key);
});

describe("what is refused", () => {
  test.each<[string, object, RegExp]>([
    [
      "another key",
      { accessKey: "nobody" },
      /did not let the credentials list .*InvalidAccessKeyId/,
    ],
    ["a wrong secret", { secretKey: "swordfish" }, /SignatureDoesNotMatch/],
    ["a bucket that is not there", { bucket: "other" }, /there is no bucket "other"/],
  ])("%s", async (_title, more, error) => {
    const outcome = await tryCheck(s3, spec(more));
    expect(outcome).toMatchObject({ pass: false, error: expect.stringMatching(error) as string });
    expect(JSON.stringify(outcome)).not.toContain("swordfish");
  });

  test("a check that names no bucket", async () => {
    expect(await tryCheck(s3, { region: "eu" })).toMatchObject({ pass: false, invalid: true });
  });

  test("an endpoint that is no address", async () => {
    expect((await tryCheck(s3, spec({ endpoint: "http://[" }))).error).toContain("no address");
  });
});

describe("a role", () => {
  const arn = "arn:aws:iam::1:role/audit";
  const keys = { accessKey: "ASIALENT", secretKey: "sesame/lent", sessionToken: "sesame/t" };
  const start = (throttled: number) => startS3(["backups"], { role: { arn, keys, throttled } });
  const taking = (at: S3Server, more: object = {}) => ({
    ...spec({ endpoint: at.endpoint, assumeRole: arn }),
    ...more,
  });

  test("is taken on first, and asked for again when it was asked for too often", async () => {
    const at = await start(2);
    expect(await tryCheck(s3, taking(at))).toMatchObject({ pass: true });
    expect(at.askedRoles).toMatchObject([
      { who: server.accessKey, region: "eu-central-1", parameters: { RoleArn: arn } },
    ]);
    const outcome = await tryCheck(s3, taking(at, { assumeRole: undefined }));
    expect(outcome.error).toContain("AccessDenied");
    await at.stop();
  });

  test.each<[string, object, RegExp]>([
    ["another one", { assumeRole: `${arn}or` }, /refused: not allowed: AccessDenied: User is not/],
    ["with a wrong secret", { secretKey: "swordfish" }, /does not fit the access key: Signature/],
    ["with no keys", { accessKey: undefined }, /accessKey and secretKey, and they are missing/],
  ])("%s", async (_title, more, error) => {
    const at = await start(0);
    const outcome = await tryCheck(s3, taking(at, more));
    expect(outcome).toMatchObject({ pass: false, error: expect.stringMatching(error) as string });
    expect(JSON.stringify(outcome)).not.toMatch(/swordfish|sesame/);
    await at.stop();
  });

  test("that is asked for too often to the end", async () => {
    const at = await start(100);
    expect((await tryCheck(s3, taking(at))).error).toMatch(/refused: asked too often: Throttling/);
    await at.stop();
  });
});

describe("answers as the API describes them", () => {
  const answering = async (
    code: number,
    body: string,
    headers: Record<string, string> = {},
  ): Promise<{ at: Listening; asked: string[] }> => {
    const asked: string[] = [];
    const at = await listenHttp((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.writeHead(code, headers).end(body);
    });
    return { at, asked };
  };
  const listing = (more = "") => `<ListBucketResult>${more}</ListBucketResult>`;

  test.each<[string, number, string, RegExp]>([
    ["throttling", 503, "<Error><Code>SlowDown</Code></Error>", /asks to slow down \(SlowDown\)/],
    ["an error of the service", 500, "<Error><Code>InternalError</Code></Error>", /answered 500/],
    ["nobody without credentials", 403, "", /would|did not let/],
    ["something else", 200, "<html>hello</html>", /does not answer like object storage/],
    [
      "a listing without end",
      200,
      listing("<IsTruncated>true</IsTruncated><NextContinuationToken>a</NextContinuationToken>"),
      /same page of its listing again/,
    ],
    ["a listing that is too large", 200, listing(" ".repeat(9_000_000)), /too large/],
  ])("%s", async (_title, code, body, error) => {
    const { at } = await answering(code, body);
    const outcome = await tryCheck(s3, spec({ endpoint: `http://127.0.0.1:${at.port}` }));
    expect(outcome).toMatchObject({ pass: false, error: expect.stringMatching(error) as string });
    await at.close();
  });

  test("something else than what was written is a failure, and is deleted all the same", async () => {
    const { at, asked } = await answering(200, listing());
    const outcome = await tryCheck(s3, spec({ endpoint: `http://127.0.0.1:${at.port}` }));
    expect(outcome.error).toContain("gave back something else");
    expect(asked.at(-1)).toMatch(/^DELETE \/backups\/mainstay-check-/);
    await at.close();
  });

  test("a silent service ends with the time", async () => {
    const at = await listenTcp(() => undefined);
    const outcome = await tryCheck(s3, spec({ endpoint: `http://127.0.0.1:${at.port}` }), {
      timeoutMs: 200,
    });
    expect(outcome.error).toBe("timed out after 200 ms");
    await at.close();
  });
});

test("a listing's entities are read, and pieces of it that are broken are left out", () => {
  const page = readObjects(
    `<ListBucketResult><Contents><Key>a&amp;&#65;&#x42;&nope;</Key><LastModified>2026-01-01T00:00:00Z</LastModified><Size>3</Size></Contents>` +
      `<Contents><Key>b</Key><LastModified>never</LastModified><Size>3</Size></Contents><Contents><Key>c`,
  );
  expect(page?.objects).toEqual([
    { key: "a&AB&nope;", size: 3, modified: new Date("2026-01-01T00:00:00Z") },
  ]);
});
