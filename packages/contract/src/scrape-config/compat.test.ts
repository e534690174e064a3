import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseScrapeConfigs } from "./parse-scrape-config.ts";
import { scraperKeys, unsupportedScraperTypes } from "./scraper-types.ts";
import { scrapersOf } from "./scrapers-of.ts";

/** Documents as people have them, with every type and the fields of its published description (`compat/`). */

const folder = new URL("./compat/", import.meta.url);
const files = readdirSync(folder).toSorted();
const read = (file: string) => parseScrapeConfigs(readFileSync(new URL(file, folder), "utf8"));
const scrapersIn = (file: string) =>
  read(file).documents.flatMap(({ source }) => scrapersOf(source));

test.each(files)("%s loads, and nothing in it goes unread", (file) => {
  const { documents, problems } = read(file);
  expect(documents).toHaveLength(1);
  const told = problems.filter(({ isSkipped }) => !isSkipped);
  if (file !== "kept.yaml") return expect(told).toEqual([]);
  expect(told.map(({ severity, message }) => [severity, /type (\w+)/.exec(message)?.[1]])).toEqual(
    unsupportedScraperTypes.map((type) => ["warning", type]),
  );
});

const examples = new URL("../../../../examples/", import.meta.url);
const ours = readdirSync(examples).filter((file) => file.endsWith("-catalog.yaml"));

test.each(ours)("our own %s loads, and nothing in it goes unread", (file) => {
  const { documents, problems } = parseScrapeConfigs(readFileSync(new URL(file, examples), "utf8"));
  expect(documents.length).toBeGreaterThan(0);
  expect(problems).toEqual([]);
});

test("every type of the family is there", () => {
  const found = new Set(files.flatMap(scrapersIn).map(({ type }) => type));
  expect(scraperKeys.filter((type) => !found.has(type))).toEqual([]);
});

test("scrapers stand in the order of their document, told apart by type and place", () => {
  const listed = scrapersIn("clusters.yaml").map(({ name, path, held }) => [name, path, held]);
  expect(listed).toEqual([
    ["kubernetes-0", ["kubernetes", 0], undefined],
    ["kubernetesFile-0", ["kubernetesFile", 0], undefined],
    ["trivy-0", ["trivy", 0], undefined],
    ["host-0", ["host", 0], undefined],
    ["host-1", ["host", 1], undefined],
  ]);
  expect(scrapersIn("files.yaml").find(({ type }) => type === "http")?.path).toEqual(["http"]);
});

test("what is spelt in two ways is read as one", () => {
  const { spec } = read("forms.yaml").documents[0]!;
  expect(spec.retention?.types).toEqual([{ name: "Server", deletedAge: "7d" }]);
  expect(spec.http?.[0]).toMatchObject({
    headers: [
      { name: "X-Tenant", value: "shop" },
      { name: "Accept", value: "application/json" },
    ],
    expectedStatus: [404],
    tags: [
      { name: "stage", value: "production" },
      { name: "shard", value: "3" },
    ],
  });
  expect(spec.kubernetes?.[0]).toMatchObject({
    maxInflight: 32,
    exclusions: {
      kind: ["Secret", "leases.coordination.k8s.io", "*-test"],
      name: ["leases.coordination.k8s.io", "*-test"],
    },
    event: { exclusions: { reason: ["Pulled", "Created"] } },
    relationships: [{ kind: { expr: "has(spec.claimRef) ? spec.claimRef.kind : ''" } }],
  });
  expect(spec.kubernetesFile?.[0]?.files).toEqual([{ path: ["/etc/hosts"] }]);
  expect(spec.aws?.[0]).toMatchObject({
    accessKey: { value: "id" },
    region: ["eu-central-1"],
    skipTLSVerify: true,
    cloudtrail: { maxAge: "2d" },
    costReporting: { s3BucketPath: "s3://costs" },
  });
  expect(spec.file?.[0]).toMatchObject({
    paths: ["*.json"],
    createFields: ["$.made"],
    transform: { exclude: [{ types: ["App"] }], relationship: [{ name: { value: "other" } }] },
  });
});

test("one scraper where a list could stand is a list of it, and words are written in one case", () => {
  const files = read("files.yaml").documents[0]!.spec;
  expect(files.http?.map(({ method }) => method)).toEqual(["POST"]);
  const { spec } = read("clusters.yaml").documents[0]!;
  expect(spec.kubernetes?.[0]?.scope).toBe("namespaced");
  expect(spec.host?.[1]?.include).toEqual(["system", "packages", "certificates"]);
});
