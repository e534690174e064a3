// Takes long: every type of scraper, and topologies of what repeats everything, are stored, run and read again.
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scraperJsonSchema, scraperTypes, type ScraperType } from "@mainstay/contract";
import sql from "sql-template-tag";
import { stringify } from "yaml";
import { throwawayFolder } from "@mainstay/testkit/throwaway-folder.ts";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createLog } from "#platform/log.ts";
import { type CommandHost, startCommandHost } from "../cli/testing/start-command-host.ts";
import { makeHome } from "../cli/testing/mainstay.ts";
import { startTestApp, type TestApp } from "../testing/app.ts";
import { plainToken, type Planter, startPlanter } from "../testing/planter.ts";

/**
 * A token of its own in every secret field of every type of scraper, and in the lookups of topologies; then what the
 * server and the command line say is searched for each. Of connections, checks and log backends the same is done beside
 * connections.
 */

type Json = Record<string, unknown>;
let app: TestApp;
let planter: Planter;
let host: CommandHost;
const folder = mkdtempSync(join(throwawayFolder, "planted-"));
const home = makeHome();

beforeAll(async () => {
  // What it repeats comes into the catalog and the topology, and is not refused.
  planter = await startPlanter({ code: 200 });
  const log = createLog("trace", { write: (line) => planter.hear("the log", line) });
  app = await startTestApp({}, { log });
  host = startCommandHost();
});
afterAll(async () => {
  await host.end();
  await app.stop();
  await planter.close();
  home.remove();
});

const url = () => `http://127.0.0.1:${planter.echo.port}`;
const secretOf = (where: string) => ({ value: planter.plant(where) });
const login = (where: string) => ({
  url: url(),
  username: "ann",
  password: secretOf(where),
});
const aws = (where: string) => ({
  endpoint: url(),
  region: "eu-central-1",
  accessKey: secretOf(where),
  secretKey: secretOf(where),
});

const kubeconfigOf = (where: string) => ({
  clusters: [{ name: "a", cluster: { server: url() } }],
  users: [{ name: "a", user: { token: planter.plant(where) } }],
  contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
  "current-context": "a",
});

/** What a type needs besides what its schema requires. */
const needed: Readonly<Record<ScraperType, () => Json>> = {
  file: () => ({ type: "T", id: "$.message", paths: ["/nowhere"] }),
  http: () => ({ url: url(), type: "T", id: "$.message", headers: undefined }),
  sql: () => ({ type: "T", id: "$.a", query: "select 1" }),
  exec: () => ({ type: "T", id: "$.a", script: "env >&2" }),
  kubernetes: () => ({ clusterName: "here" }),
  kubernetesFile: () => ({ selector: { kind: "Pod", name: "a" }, files: [{ path: ["/a"] }] }),
  githubActions: () => ({ url: url(), owner: "shop", repository: "web", workflows: [] }),
  azureDevops: () => ({ url: url(), organization: "shop", projects: ["web"], pipelines: [] }),
  aws: () => ({ endpoint: url(), region: ["eu-central-1"] }),
  azure: () => ({ subscriptionID: "a", organisation: "o", tenantID: "t" }),
  trivy: () => ({ kubernetes: {} }),
  host: () => ({ host: "127.0.0.1" }),
};

/** Scrapers that get as far as an answer, which repeats their secret; these make items of it. */
const making = (): Partial<Record<ScraperType, Json>> => ({
  file: {
    type: "T",
    id: "$.content",
    url: `http://u:${planter.plant("file asks")}@127.0.0.1:${planter.echo.port}/a`,
    paths: [""],
  },
  http: { ...login("http asks"), type: "T", id: "$.message" },
  exec: {
    type: "T",
    id: "$.a",
    script: `printf '{"a":"%s"}' "$SECRET"`,
    env: [{ name: "SECRET", ...secretOf("exec asks") }],
  },
});
const asking = (): Partial<Record<ScraperType, Json>> => ({
  ...making(),
  kubernetes: {
    clusterName: "here",
    kubeconfig: {
      value: stringify(kubeconfigOf("kubernetes asks"), { defaultStringType: "QUOTE_DOUBLE" }),
    },
  },
  kubernetesFile: {
    selector: { kind: "Pod", name: "a" },
    files: [{ path: ["/a"] }],
    kubeconfig: { value: JSON.stringify(kubeconfigOf("kubernetesFile asks")) },
  },
  azure: {
    subscriptionID: "a",
    organisation: "o",
    tenantID: "t",
    clientID: { value: "c" },
    clientSecret: secretOf("azure asks"),
    endpoint: url(),
  },
});

const scrape = (type: ScraperType, entry: Json, name: string) => ({
  apiVersion: "configs.flanksource.com/v1",
  kind: "ScrapeConfig",
  metadata: { name },
  spec: { schedule: "@every 24h", [type]: [entry] },
});
const apply = (document: object) =>
  app.admin.post("/api/documents", stringify(document), { "content-type": "application/yaml" });

/** Secrets of documents that were accepted. */
let kept = 0;

/** A scraper with all of its secrets, or with as many as may stand together. */
async function storeScraper(type: ScraperType): Promise<object> {
  const entry: Json = {
    ...(planter.fill(scraperJsonSchema(type), type) as Json),
    ...needed[type](),
  };
  for (;;) {
    const document = scrape(type, entry, `of-${type.toLowerCase()}`);
    const reply = await apply(document);
    planter.hear(`storing ${type}`, reply.text);
    if (reply.status === 200) {
      kept += JSON.stringify(document).match(plainToken)?.length ?? 0;
      return document;
    }
    // What the document is refused for is taken away, until it is accepted.
    const [issue] = (reply.json.issues ?? []) as { path?: string }[];
    const field = /\[\d+\]\.(\w+)|\.\d+\.(\w+)/.exec(issue?.path ?? "");
    const key = field?.[1] ?? field?.[2] ?? "";
    expect([type, reply.text, Object.hasOwn(entry, key)]).toEqual([type, reply.text, true]);
    delete entry[key];
  }
}

/** Lookups whose checks ask what repeats everything. */
const lookups = (): Json => ({
  http: [{ name: "all", ...login("topology http"), display: { expr: "content" } }],
  prometheus: [{ name: "all", ...login("topology prometheus"), query: "up" }],
  elasticsearch: [{ name: "all", ...login("topology elasticsearch") }],
  exec: [
    {
      name: "all",
      script: `printf '[{"name":"%s"}]' "$SECRET"`,
      env: [{ name: "SECRET", ...secretOf("topology exec") }],
      display: { expr: "results.stdout" },
    },
  ],
  cloudwatch: [{ name: "all", ...aws("topology cloudwatch") }],
});

const topology = (name: string) => ({
  apiVersion: "canaries.flanksource.com/v1",
  kind: "Topology",
  metadata: { name },
  spec: {
    schedule: "@every 24h",
    components: [
      ...Object.entries(lookups()).map(([type, checks]) => ({
        name: `of-${type}`,
        lookup: { [type]: checks },
      })),
      {
        name: "with properties",
        properties: Object.entries(lookups()).map(([type, checks]) => ({
          name: type,
          lookup: { [type]: checks },
        })),
        checks: [{ inline: { schedule: "@every 24h", ...lookups() } }],
      },
    ],
  },
});

test("what scrapers, topologies and the command line say holds no secret", async () => {
  const documents: object[] = [];
  for (const type of scraperTypes) documents.push(await storeScraper(type));
  for (const [type, entry] of Object.entries(asking()) as [ScraperType, Json][]) {
    const document = scrape(type, entry, `asking-${type.toLowerCase()}`);
    const { status, text } = await apply(document);
    planter.hear(`storing ${type}`, text);
    expect([type, status, text]).toEqual([type, 200, text]);
    documents.push(document);
  }
  const described = topology("of-all");
  const stored = await apply(described);
  planter.hear("storing a topology", stored.text);
  expect(stored.status, stored.text).toBe(200);
  documents.push(described);

  // Each runs when it is stored.
  const names = documents.length;
  await vi.waitFor(
    async () => {
      const { n } = (await app.db.first<{ n: number }>(sql`
        select count(distinct resource_id)::int4 as n from job_history
         where resource_type in ('config_scraper', 'topology') and status <> 'RUNNING'`))!;
      expect(n).toBe(names);
    },
    { timeout: 100_000, interval: 100 },
  );

  // As texts whose remarks repeat the secrets, tried once, and by the command line.
  const session = (await app.app.createLocalSession()).token;
  const env = { ...home.env, MAINSTAY_SERVER: app.address, MAINSTAY_TOKEN: session };
  const texts: string[] = [];
  for (const document of documents) {
    const { kind, metadata } = document as { kind: string; metadata: { name: string } };
    const tokens = JSON.stringify(document).match(plainToken) ?? [];
    const text = `# remark ${tokens.join(" ")}\n${stringify(document)}`;
    const where = `${kind} ${metadata.name}`;
    const path = kind === "Topology" ? "topology" : "catalog/scrapers";
    const tried = await app.admin.post(`/api/${path}/run/document`, { document: text });
    planter.hear(`trying ${where}`, tried.text);
    const named = text.replace(`name: ${metadata.name}\n`, `name: text-${metadata.name}\n`);
    const stored = await app.admin.post("/api/documents?source=texts", named, {
      "content-type": "application/yaml",
    });
    expect([where, stored.status, stored.text]).toEqual([where, 200, stored.text]);
    planter.hear(`the text of ${where}`, stored.text);
    texts.push(text);
  }
  const file = join(folder, "all.yaml");
  writeFileSync(file, texts.join("---\n"));
  for (const words of [
    ["run", file, "-o", "json"],
    ["run", file],
    ["diff", "-f", file],
    ["apply", "-f", file, "--dry-run"],
  ]) {
    const { stdout, stderr } = await host.run(words, env);
    expect(stdout).toContain("asking-http");
    planter.hear(`mainstay ${words[0]}`, stdout + stderr);
  }
  for (const words of [
    ["get", "scrapers", "-o", "yaml"],
    ["get", "topologies", "-o", "yaml"],
    ["get", "scrapers"],
  ]) {
    const { stdout, stderr } = await host.run(words, env);
    expect(stdout).toContain("of-");
    planter.hear(`mainstay ${words.join(" ")}`, stdout + stderr);
  }

  const { json } = await app.admin.get("/api/db/");
  const tables = Object.keys(json.paths as object).filter((path) => /^\/\w+$/.test(path));
  const pages = [
    ...tables.map((path) => `/api/db${path}?limit=1000`),
    ...["scrapers", "topologies"].flatMap((kind) => [
      `/api/documents/${kind}`,
      `/api/documents/${kind}?output=yaml`,
      `/api/documents/${kind}?text=true`,
    ]),
    "/api/topology?depth=10",
    "/metrics",
  ];
  let answered = 0;
  for (const page of pages) {
    const reply = await app.admin.get(page);
    if (reply.status === 200) answered += 1;
    planter.hear(page, reply.text);
  }
  expect(answered).toBeGreaterThan(30);
  for (const table of ["config_scrapers", "config_items", "config_changes", "topologies"])
    planter.hear("the database", JSON.stringify((await app.db.raw(`select * from ${table}`)).rows));
  for (const table of ["components", "checks", "check_statuses", "job_history", "document_texts"])
    planter.hear("the database", JSON.stringify((await app.db.raw(`select * from ${table}`)).rows));

  // What was asked did answer, and what it repeated is kept: nothing was looked for in vain.
  const items = await app.db.rows<{ config: unknown }>(
    sql`select config from config_items where type = 'T'`,
  );
  expect(items.length).toBeGreaterThanOrEqual(Object.keys(making()).length);
  for (const { config } of items) expect(JSON.stringify(config)).toContain("[hidden]");
  const components = await app.db.rows<{ text: string }>(
    sql`select components::text as text from components`,
  );
  expect(components.filter(({ text }) => text.includes("[hidden]")).length).toBeGreaterThan(1);
  expect(planter.said.filter(({ where }) => where === "the log").length).toBeGreaterThan(100);
  expect(kept).toBeGreaterThan(40);
  expect([...new Set(planter.leaks())]).toEqual([]);
}, 300_000);
