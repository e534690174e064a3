import { describe, expect, test } from "vitest";
import { parseScrapeConfigs } from "./parse-scrape-config.ts";
import { scrapeConfigJsonSchema } from "./json-schema.ts";

const head =
  "apiVersion: configs.flanksource.com/v1\nkind: ScrapeConfig\nmetadata:\n  name: a\nspec:\n";
const file = (more: string) =>
  `${head}  file:\n    - { url: s3://a, id: $.id, type: A, ${more} }\n`;
const problemsOf = (text: string) =>
  parseScrapeConfigs(text).problems.map(
    ({ severity, line, column, path, message }) =>
      `${severity} ${line}:${column} ${path}: ${message}`,
  );

describe("what is wrong, and where", () => {
  test.each<[string, string, string]>([
    [
      "nothing to scrape",
      `${head}  schedule: "@daily"\n`,
      "warning 6:3 spec: There are no scrapers, so nothing is scraped.",
    ],
    [
      "a scrape too often",
      `${head}  schedule: "@every 10s"\n  host: [{}]\n`,
      "error 6:13 spec.schedule: This is too often: scrape every 29s at most.",
    ],
    [
      "no address",
      `${head}  http: [{ id: a, type: b }]\n`,
      "error 6:10 spec.http.0: An http scraper needs a url.",
    ],
    [
      "no address, without a list",
      `${head}  http: { id: a, type: b }\n`,
      "error 6:9 spec.http: An http scraper needs a url.",
    ],
    [
      "another scheme",
      `${head}  http: [{ url: "ftp://a", id: a, type: b }]\n`,
      "error 6:17 spec.http.0.url: The address must begin with http:// or https:// and name a host.",
    ],
    [
      "no query",
      `${head}  sql: [{ connection: connection://db, id: a, type: b }]\n`,
      'error 6:9 spec.sql.0.query: "query" is missing: expected a text.',
    ],
    [
      "no name of the cluster",
      `${head}  kubernetes: [{ namespace: shop }]\n`,
      'error 6:16 spec.kubernetes.0.clusterName: "clusterName" is missing: expected a text.',
    ],
    [
      "no organization",
      `${head}  azureDevops: [{ projects: [a] }]\n`,
      "error 6:17 spec.azureDevops.0: An azureDevops scraper needs an organization or a connection.",
    ],
    [
      "a place that is none",
      `${head}  host: [{ certificatePaths: ["/srv", "-delete"] }]\n`,
      'warning 6:39 spec.host.0.certificatePaths.1: "-delete" does not begin with a slash: it is no path of a machine, and not looked into.',
    ],
    [
      "a rate that is none",
      `${head}  azureDevops: [{ organization: a, permissions: { rateLimit: often } }]\n`,
      'warning 6:62 spec.azureDevops.0.permissions.rateLimit: "often" is no duration; they are read every 24h.',
    ],
    [
      "what has no effect yet",
      `${head}  crdSync: true\n  host: [{}]\n`,
      "warning 6:12 spec.crdSync: This is kept and not applied by this version.",
    ],
    [
      "files of a script",
      `${head}  exec: [{ script: "true", id: a, type: b, artifacts: [{ path: a.json }] }]\n`,
      "warning 6:55 spec.exec.0.artifacts: This is kept and not applied by this version.",
    ],
    [
      "where items are",
      `${head}  host: [{ transform: { locations: [{ type: A, values: [b] }] } }]\n`,
      "warning 6:36 spec.host.0.transform.locations: This is kept and not applied by this version.",
    ],
    [
      "items for a script",
      `${head}  exec: [{ script: "true", id: a, type: b, setup: { bun: {} } }]\n`,
      'warning 6:10 spec.exec.0: "setup" is not supported yet, so it is not run.',
    ],
    [
      "a retention that says nothing",
      `${head}  host: [{}]\n  retention:\n    changes:\n      - { name: diff }\n`,
      'error 9:9 spec.retention.changes.0: Nothing says which changes of type "diff" are kept: an age or a count.',
    ],
    [
      "a retention of types that says nothing",
      `${head}  host: [{}]\n  retention:\n    type: [{ name: A }]\n`,
      'warning 8:12 spec.retention.type.0: Nothing says how long items of type "A" are kept, so they all are.',
    ],
    [
      "a retention without a name",
      `${head}  host: [{}]\n  retention: { changes: [{ age: 1d }] }\n`,
      'error 7:26 spec.retention.changes.0.name: "name" is missing: expected a text.',
    ],
    [
      "an age that is none",
      `${head}  host: [{}]\n  retention: { staleItemAge: never }\n`,
      "error 7:30 spec.retention.staleItemAge: Expected a duration such as 24h, or keep.",
    ],
    [
      "an unknown action",
      file("transform: { changes: { mapping: [{ action: remove }] } }"),
      'error 7:85 spec.file.0.transform.changes.mapping.0.action: "remove" is no action. Known are delete, ignore, move-up, copy-up, move, copy.',
    ],
    [
      "an unknown severity",
      file("transform: { changes: { mapping: [{ severity: urgent }] } }"),
      'error 7:87 spec.file.0.transform.changes.mapping.0.severity: "urgent" is no severity. Known are critical, high, medium, low, info.',
    ],
    [
      "a mask of nothing",
      file("transform: { mask: [{ value: x }] }"),
      'error 7:61 spec.file.0.transform.mask.0.jsonpath: "jsonpath" is missing: expected a text.',
    ],
    [
      "a relationship with nothing",
      file("transform: { relationship: [{ parent: true }] }"),
      "warning 7:69 spec.file.0.transform.relationship.0: Nothing says what is related: id, external_id, name, namespace, type, agent, scope, labels, expr.",
    ],
    [
      "too many tags",
      file("tags: { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 }"),
      "error 7:47 spec.file.0.tags: There are too many tags, at most 5 of different names fit.",
    ],
    [
      "items that nothing tells apart",
      `${head}  exec: [{ script: x }]\n`,
      "warning 6:10 spec.exec.0: Nothing says the id and the type of the items, and without them they cannot be stored.",
    ],
    [
      "a type that is not run",
      `${head}  gcp: [{ project: a }]\n`,
      "warning 6:9 spec.gcp.0: Scrapers of type gcp are not supported by this version, so it is not run.",
    ],
    [
      "a cluster that is reached in a way of another",
      `${head}  kubernetes: [{ clusterName: a, eks: { cluster: b } }]\n`,
      'warning 6:16 spec.kubernetes.0: "eks" is not supported yet, so it is not run.',
    ],
    [
      "credentials for this machine",
      `${head}  host: [{ username: root }]\n`,
      'error 6:22 spec.host.0.username: "username" is of no use without a host: nobody signs in at this machine.',
    ],
    [
      "an unknown part of a machine",
      `${head}  host: [{ include: [disks] }]\n`,
      'error 6:22 spec.host.0.include.0: "disks" is no part of a machine. Known are system, packages, services, ports, certificates, containers, users, filesystems, networks.',
    ],
    [
      "a secret that is nowhere",
      `${head}  slack: []\n  aws: [{ secretKey: { valueFrom: { secretKeyRef: { name: a, key: "" } } } }]\n`,
      "error 7:67 spec.aws.0.secretKey.valueFrom.secretKeyRef.key: This is empty.",
    ],
    ["a slip of the pen", file("tranform: {}"), "warning 7:41 spec.file.0.tranform: "],
  ])("%s", (_what, text, wanted) => {
    const problems = problemsOf(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.slice(0, wanted.endsWith(": ") ? wanted.length : undefined)).toBe(wanted);
  });

  test.each([
    ["a full scrape", `${head}  full: true\n  exec: [{ script: x }]\n`],
    ["a script", `${head}  exec: [{ script: x, transform: { expr: config } }]\n`],
  ])("%s says itself what its items are", (_what, text) => {
    expect(problemsOf(text)).toEqual([]);
  });
});

test("the kind as it was called before is refused with its name of now", () => {
  expect(problemsOf(`${head.replace("ScrapeConfig", "Config")}  host: [{}]\n`)).toEqual([
    "error 2:7 kind: Config is called ScrapeConfig now: write kind: ScrapeConfig.",
  ]);
});

test("more scrapers than fit are refused", () => {
  const many = `${head}  host: [${Array.from({ length: 201 }, () => "{}").join(", ")}]\n`;
  expect(problemsOf(many)).toEqual([
    "error 6:3 spec: There are 201 scrapers, at most 200 fit in one document.",
  ]);
});

test("the JSON Schema describes every field, for completion and hover", () => {
  const bare: string[] = [];
  let fields = 0;
  const visit = (schema: Record<string, unknown>, path: string) => {
    const properties = (schema.properties ?? {}) as Record<string, Record<string, unknown>>;
    for (const [name, field] of Object.entries(properties)) {
      fields += 1;
      if (typeof field.description !== "string") bare.push(`${path}.${name}`);
      visit(field, `${path}.${name}`);
    }
    if (schema.items) visit(schema.items as Record<string, unknown>, `${path}[]`);
    for (const option of (schema.anyOf ?? []) as Record<string, unknown>[]) visit(option, path);
  };
  visit(scrapeConfigJsonSchema(), "");
  expect(fields).toBeGreaterThan(500);
  expect(bare).toEqual([]);
});
