import { afterAll, beforeAll, expect, test } from "vitest";
import { type AwsServer, refuse, serveAws } from "#platform/outbound/aws/testing/aws-server.ts";
import { scrapeWith } from "../testing/scrape.ts";

/** A bucket, in the answers of the protocol; the stand-in verifies who asks. */

const objects: Record<string, string> = {
  "conf/a.json": '{"a":1}',
  "conf/deep/b.yaml": "b: 2\n",
  "conf/deep/": "",
  "conf/notes.txt": "no",
  "conf.json": "{}",
};
const key = { accessKey: "AKIDREADER", secretKey: "sesame-secret" };
let server: AwsServer;
beforeAll(async () => {
  server = await serveAws({
    keys: [key],
    answer({ path = "", parameters }) {
      const [, name] = /^GET \/things\/(.*)$/.exec(path) ?? [];
      if (name === undefined) return refuse("NoSuchBucket", "no", 404);
      if (name !== "") return objects[decodeURIComponent(name)] ?? refuse("NoSuchKey", "no", 404);
      const start = typeof parameters.prefix === "string" ? parameters.prefix : "";
      const found = Object.keys(objects)
        .toSorted()
        .filter((one) => one.startsWith(start));
      return `<ListBucketResult><IsTruncated>false</IsTruncated>${found
        .map(
          (one) =>
            `<Contents><Key>${one}</Key><LastModified>2026-06-15T12:00:00.000Z</LastModified><Size>${objects[one]!.length}</Size></Contents>`,
        )
        .join("")}</ListBucketResult>`;
    },
  });
});
afterAll(() => server.close());

const scrape = (spec: object) =>
  scrapeWith("file", {
    accessKey: { value: key.accessKey },
    secretKey: { value: key.secretKey },
    endpoint: server.url,
    ...spec,
  });

test("the objects below a name are files, and so is the one that has it", async () => {
  const told = await scrape({ url: "s3://things/conf?region=eu-central-1" });
  expect([told.failures, told.notices]).toEqual([[], []]);
  expect(told.contents.map(({ source, content, format }) => [source, content, format])).toEqual([
    ["a.json", '{"a":1}', "json"],
    ["deep/b.yaml", "b: 2\n", "yaml"],
  ]);
  expect(server.asked.every(({ region }) => region === "eu-central-1")).toBe(true);
  const one = await scrape({ url: `s3::${server.url}/things/conf/a.json`, endpoint: undefined });
  expect(one.contents.map(({ source, content }) => [source, content])).toEqual([
    ["a.json", '{"a":1}'],
  ]);
  const some = await scrape({ url: "s3://things/", paths: ["**.txt"], ignore: ["conf/deep/**"] });
  expect(some.contents.map(({ source }) => source)).toEqual(["conf/notes.txt"]);
});

test("what refuses says so, without what it was asked with", async () => {
  const asked = scrape({ url: "s3://things/conf", secretKey: { value: "another-secret" } });
  await expect(asked).rejects.toThrow(/SignatureDoesNotMatch/);
  await expect(asked).rejects.not.toThrow(/another-secret/);
  await expect(scrape({ url: "s3://others/conf" })).rejects.toThrow(/there is no bucket "others"/);
});
