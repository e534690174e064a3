// Takes long: every type of connection and of check is stored, changed, tried and read again in every way there is.
import { readdirSync, readFileSync } from "node:fs";
import {
  canarySpecJsonSchema,
  connectionTypes,
  jsonSchemaOf,
  logBackendSpecs,
  logBackendTypes,
  mapCanarySecrets,
  secretPlaceholder,
  supportedCheckTypes,
  type ConnectionField,
} from "@mainstay/contract";
import { fieldsOf } from "@mainstay/contract/connections/connection-types.ts";
import sql from "sql-template-tag";
import { stringify } from "yaml";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLog } from "#platform/log.ts";
import { readZip } from "#features/snapshots/testing/read-zip.ts";
import { startTestApp, type TestApp } from "../../testing/app.ts";
import { plainToken, type Planter, startPlanter } from "../../testing/planter.ts";
import { connectionFinder } from "./connection-finder.ts";

/**
 * A token of its own in every secret field of every type of connection and of every type of check; then everything that
 * the server says is searched for each. Which fields are secret is read from the declarations and from the schemas'
 * marks, so that new ones take part by themselves.
 */

let app: TestApp;
let planter: Planter;
let { plant, hear, fill } = {} as Planter;

beforeAll(async () => {
  planter = await startPlanter();
  ({ plant, hear, fill } = planter);
  const log = createLog("trace", { write: (line) => hear("the log", line) });
  app = await startTestApp({ role: "api" }, { log });
});
afterAll(async () => {
  await app.stop();
  await planter.close();
});

type Json = Record<string, unknown>;

function connectionOf(type: string): Json {
  const row: Json & { properties: Record<string, string> } = {
    type,
    name: `of-${type.replaceAll("_", "-")}`,
    properties: {},
  };
  const put = ({ key, secret, default: preset, input }: ConnectionField) => {
    const text = secret
      ? plant(`${type} ${key}`)
      : key === "url"
        ? `http://ann:${plant(`${type} url`)}@127.0.0.1:${planter.echo.port}/?token=${plant(`${type} query`)}`
        : (preset ?? (input === "number" ? "443" : "plain"));
    if (key === "insecure_tls") row[key] = false;
    else if (key.startsWith("properties.")) row.properties[key.slice(11)] = text;
    else row[key] = text;
  };
  for (const field of fieldsOf(type)) put(field);
  // What no declaration names is told by its name.
  row.properties.some_api_token = plant(`${type} some_api_token`);
  const compose = connectionTypes.find((one) => one.type === type)?.composeUrl;
  // Written out, as another console might.
  if (compose) row.url = compose(row).replaceAll("$(password)", String(row.password));
  return row;
}

/** What the schema cannot say of these types: addresses of their own form, and what excludes each other. */
const needed: Readonly<Record<string, Json>> = {
  tcp: { endpoint: "127.0.0.1:1" },
  dns: { query: "localhost" },
  icmp: { endpoint: "127.0.0.1" },
  exec: { script: "exit 1" },
  heartbeat: { every: "1h" },
};

/** One check with all of its secrets, or with as many as may stand together. */
async function storeCheck(type: string): Promise<{ id: string } | undefined> {
  const lists = canarySpecJsonSchema().properties as Record<string, Json>;
  const items = (lists[type]?.items ?? {}) as Json;
  const check = { ...(fill(items, type) as Json), ...needed[type], name: `of-${type}` } as Json;
  // What the document is refused for is taken away, until it is accepted.
  for (let tries = 0; tries < 30; tries += 1) {
    const reply = await app.admin.post(
      "/api/db/canaries",
      { name: `of-${type.toLowerCase()}`, spec: { schedule: "@never", [type]: [check] } },
      { prefer: "return=representation" },
    );
    hear(`storing ${type}`, reply.text);
    if (reply.status === 201) {
      await storeText("canaries.flanksource.com/v1", "Canary", reply.json[0].name, {
        schedule: "@never",
        [type]: [check],
      });
      return reply.json[0];
    }
    const [issue] = reply.json.issues ?? [];
    const path = String(issue?.path ?? "")
      .split(".")
      .slice(3);
    const [field = ""] = path;
    if (!Object.hasOwn(check, field)) break;
    delete check[field];
  }
  // It takes more than its schema says: then what would be stored of it.
  const masked = mapCanarySecrets({ [type]: [check] }, () => secretPlaceholder);
  hear(`storing ${type}`, JSON.stringify(masked));
  return undefined;
}

/** A log backend with all of its secrets. */
async function storeLogBackend(type: (typeof logBackendTypes)[number]): Promise<void> {
  const backend: Json = {
    ...(fill(jsonSchemaOf(logBackendSpecs[type]), type) as Json),
    ...neededOfBackends[type],
  };
  if (Object.hasOwn(backend, "headers"))
    backend.headers = [{ name: "X-Key", value: plant(`${type}.headers`) }];
  const spec = { backends: [{ [type]: backend }] };
  const name = `of-${type.toLowerCase()}`;
  const reply = await app.admin.post("/api/db/logging_backends", { name, spec }, represented);
  expect([type, reply.status, reply.text]).toEqual([type, 201, expect.any(String)]);
  hear(`storing ${type}`, reply.text);
  const changed = { ...reply.json[0], labels: { a: "b" } } as Json;
  const path = `/api/db/logging_backends?id=eq.${reply.json[0].id}`;
  hear(`changing ${type}`, (await app.admin.patch(path, changed, represented)).text);
  hear(
    `refusing ${type}`,
    (await app.admin.patch(path, { spec: { backends: [{ [type]: backend }, {}] } })).text,
  );
  await storeText("apm-hub.flanksource.com/v1", "LoggingBackend", name, spec);
}

const represented = { prefer: "return=representation" };

/** What excludes each other, and what must be of a form of its own. */
const neededOfBackends: Readonly<Record<string, Json>> = {
  file: { path: "/var/log/syslog", host: "127.0.0.1" },
  journald: { host: "127.0.0.1" },
  cloudwatch: { log_group: "shop" },
  postgres: { table: "lines" },
};

/** The same as a text whose comments repeat its secrets, as they are and encoded. */
async function storeText(apiVersion: string, kind: string, name: unknown, spec: Json) {
  const tokens = JSON.stringify(spec).match(plainToken) ?? [];
  const encoded = tokens.map((token) => Buffer.from(token).toString("base64"));
  const document = { apiVersion, kind, metadata: { name: `text-${String(name)}` }, spec };
  const text = `# remark ${tokens.join(" ")} ${encoded.join()}\n${stringify(document)}# end: ${tokens.join()}\n`;
  const reply = await app.admin.post("/api/documents?source=texts", text, {
    "content-type": "application/yaml",
  });
  expect([name, reply.status, reply.text]).toEqual([name, 200, expect.any(String)]);
  hear(`the text of ${String(name)}`, reply.text);
}

/** Checks that ask what repeats everything, with a secret each. */
function checksThatAsk(): Record<string, Json> {
  const url = `http://127.0.0.1:${planter.echo.port}`;
  const secretOf = (type: string) => ({ value: plant(`asking ${type}`) });
  const login = (type: string) => ({ url, username: "ann", password: secretOf(type) });
  const aws = (type: string) => ({
    endpoint: url,
    region: "eu-central-1",
    accessKey: secretOf(type),
    secretKey: secretOf(type),
  });
  const pipeline = { url, organization: "shop", project: "web", pipeline: "build" };
  const commits = { url, query: "select * from commits('shop/web')" };
  return {
    http: login("http"),
    prometheus: { ...login("prometheus"), query: "up" },
    alertmanager: login("alertmanager"),
    elasticsearch: login("elasticsearch"),
    opensearch: login("opensearch"),
    github: { ...commits, githubToken: secretOf("github") },
    azureDevops: { ...pipeline, personalAccessToken: secretOf("azureDevops") },
    s3: { bucket: "backups", ...aws("s3") },
    folder: { path: "s3://backups", awsConnection: aws("folder") },
    awsConfig: { query: "SELECT resourceId", ...aws("awsConfig") },
    cloudwatch: aws("cloudwatch"),
  };
}

/** A file of the kernel; empty when what it tells of has ended. */
function readKernel(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Programs that this one has started, and theirs. */
const startedBy = (pid: number | string): string[] =>
  readdirSync(`/proc/${pid}/task`)
    .flatMap((task) => readKernel(`/proc/${pid}/task/${task}/children`).split(" ").filter(Boolean))
    .flatMap((child) => {
      try {
        return [child, ...startedBy(child)];
      } catch {
        return [child];
      }
    });

/** Words of every program that runs meanwhile. */
function watchArguments(): () => void {
  const timer = setInterval(() => {
    for (const pid of startedBy(process.pid))
      hear("arguments of a program", readKernel(`/proc/${pid}/cmdline`));
  }, 20);
  return () => clearInterval(timer);
}

test("everything that is said holds none of them", { timeout: 120_000 }, async () => {
  const stopWatching = watchArguments();
  const live = new AbortController();
  const session = (await app.app.createLocalSession()).token;
  const events = await fetch(`${app.address}/api/events`, {
    headers: { "x-session-token": session },
    signal: live.signal,
  });
  const listening = (async () => {
    for await (const part of events.body!) hear("the live stream", Buffer.from(part).toString());
  })().catch(() => undefined);

  const ids: Record<string, string> = {};
  for (const { type } of connectionTypes) {
    const row = connectionOf(type);
    const reply = await app.admin.post("/api/db/connections", row, {
      prefer: "return=representation",
    });
    expect([type, reply.status, reply.text]).toEqual([type, 201, expect.any(String)]);
    hear(`storing ${type}`, reply.text);
    ids[type] = reply.json[0].id;
    const { name, ...spec } = row;
    await storeText("mission-control.flanksource.com/v1", "Connection", name, spec);
    // A change, and one that is refused.
    const path = `/api/db/connections?id=eq.${ids[type]}`;
    const change = await app.admin.patch(
      path,
      { labels: { a: "b" } },
      { prefer: "return=representation" },
    );
    hear(`changing ${type}`, change.text);
    hear(`refusing ${type}`, (await app.admin.patch(path, { ...row, type: "nonsense" })).text);
  }
  const checks: string[] = [];
  for (const type of supportedCheckTypes) {
    const stored = await storeCheck(type);
    if (stored) checks.push(type);
  }
  expect(checks.length).toBeGreaterThan(15);

  for (const type of logBackendTypes) await storeLogBackend(type);

  // Its variable is a token; the files that it leaves repeat it, as it is, encoded, and among other bytes.
  const leaving = {
    name: "leaves files",
    script: "env > env.txt; env | base64 -w0 > base64.txt; { printf '\\0'; env; } > bytes",
    env: [{ name: "A", value: plant("exec leaves files") }],
    artifacts: [{ path: "*" }],
  };
  const spec = { schedule: "@never", exec: [leaving] };
  await app.admin.post("/api/db/canaries", { name: "leaving", spec });

  // What every type answers when it is tried where everything is repeated; fixed hosts are others' machines.
  const elsewhere = new Set(
    connectionTypes.filter((one) => one.composeUrl).map(({ type }) => type),
  );
  for (const type of [
    "kubernetes",
    "folder",
    "s3",
    "aws",
    "smb",
    "sftp",
    "slackwebhook",
    "azure_devops",
    "github",
    "gcs",
    "google_cloud",
    "azure",
    "dynatrace",
  ])
    elsewhere.add(type);
  let tried = 0;
  for (const [type, id] of Object.entries(ids)) {
    if (elsewhere.has(type)) continue;
    const reply = await app.admin.post(`/api/connection/test/${id}`);
    if (reply.status === 400) tried += 1;
    hear(`testing ${type}`, reply.text);
    expect([type, [400, 501].includes(reply.status)]).toEqual([type, true]);
  }
  expect(tried).toBeGreaterThan(8);

  // What a schema requires is seldom enough to get as far as an answer: these do, and it repeats what they sent.
  const asking = checksThatAsk();
  for (const [type, check] of Object.entries(asking)) {
    const [name, entry] = [`asking-${type.toLowerCase()}`, { name: "asks", ...check }];
    const document = { name, spec: { schedule: "@never", [type]: [entry] } };
    const { status, text } = await app.admin.post("/api/db/canaries", document);
    expect([type, status, text]).toEqual([type, 201, expect.any(String)]);
  }
  // Checks that lead here; fixed hosts are others' machines.
  const leading = await app.db.rows<{ id: string; type: string }>(sql`
    select k.id, k.type from checks k join canaries c on c.id = k.canary_id
     where c.name not like 'text-%' and (k.type = 'exec' or k.spec::text like '%127.0.0.1%')`);
  const refusing: string[] = [];
  for (const { id, type } of leading) {
    const { text } = await app.admin.post(`/api/canary/run/check/${id}`);
    hear(`running ${type}`, text);
    // As the answers are: of a check that got as far as one.
    if (/\b403\b/.test(text)) refusing.push(type);
  }
  expect(refusing).toEqual(expect.arrayContaining(Object.keys(asking)));
  expect(new Set(leading.map(({ type }) => type)).size).toBeGreaterThan(20);
  const { json: files } = await app.admin.get("/api/db/artifacts?select=id,path&order=path");
  expect(files).toMatchObject([{ path: "base64.txt" }, { path: "env.txt" }]);
  for (const { id, path } of files as { id: string; path: string }[]) {
    const { text } = await app.admin.get(`/api/artifacts/download/${id}`);
    if (path === "env.txt") expect(text).toContain("A=[hidden]");
    hear(`the file ${path}`, text);
  }

  const { json: described } = await app.admin.get("/api/db/");
  const tables = Object.keys(described.paths as object).filter((path) => /^\/\w+$/.test(path));
  expect(tables).toContain("/connection_details");
  const pages = [
    ...tables.map((path) => `/api/db${path}?limit=1000`),
    "/api/db/connections?select=url,password,username,certificate,properties",
    "/api/db/connections?select=properties->>some_api_token",
    "/api/documents/connections?output=yaml",
    "/api/documents/connections?output=json",
    "/api/documents/connections",
    "/api/documents/canaries?output=yaml",
    "/api/documents/canaries?text=true",
    "/api/documents/connections?text=true",
    "/api/documents/logging-backends?output=yaml",
    "/api/documents/logging-backends?text=true",
    ...Object.values(ids).map((id) => `/api/connection/${id}/uses`),
    "/api/security",
    "/metrics",
    "/api/canary/api/summary",
  ];
  let answered = 0;
  for (const page of pages)
    for (const accept of ["application/json", "text/csv"]) {
      const reply = await app.admin.get(page, { accept });
      if (reply.status === 200) answered += 1;
      hear(page, reply.text);
    }
  expect(answered).toBeGreaterThan(40);
  const yaml = await app.admin.get("/api/documents/connections?output=yaml");
  const diff = await app.admin.post(
    "/api/documents?dryRun=true",
    yaml.text.replaceAll("plain", "other"),
    { "content-type": "application/yaml" },
  );
  hear("a difference", diff.text);
  hear(
    "the search",
    (
      await app.admin.post("/api/resources/search", {
        limit: 100,
        connections: [{ search: "of-" }],
        canaries: [{ search: "of-" }],
      })
    ).text,
  );
  // Of what has all of the checks, and of an item that has them, too.
  const component = await app.db.first<{ id: string }>(sql`
    with made as (insert into components (external_id, name, status) values ('all', 'all', 'healthy') returning id)
    , tied as (insert into check_component_relationships (component_id, check_id, canary_id, selector_id)
               select made.id, k.id, k.canary_id, 'test' from made, checks k)
    select id from made`);
  const item = await app.db.first<{ id: string }>(sql`
    with made as (insert into config_items (name, type, config_class) values ('all', 'T', 'T') returning id)
    , tied as (insert into check_config_relationships (config_id, check_id, canary_id, selector_id)
               select made.id, k.id, k.canary_id, 'test' from made, checks k)
    select id from made`);
  for (const path of [`topology/${component!.id}`, `config/${item!.id}`]) {
    const reply = await fetch(`${app.address}/api/snapshot/${path}?start=1d&related=true`, {
      headers: { "x-session-token": session },
    });
    const parts = await readZip(new Uint8Array(await reply.arrayBuffer()));
    expect(JSON.parse(parts["checks.json"]!).length).toBeGreaterThan(15);
    for (const [name, text] of Object.entries(parts)) hear(`the snapshot's ${name}`, text);
  }
  hear("the database", JSON.stringify((await app.db.raw("select * from connections")).rows));
  hear("the database", JSON.stringify((await app.db.raw("select * from canaries")).rows));
  hear("the database", JSON.stringify((await app.db.raw("select * from logging_backends")).rows));
  hear("the database", JSON.stringify((await app.db.raw("select * from checks")).rows));
  hear("the database", JSON.stringify((await app.db.raw("select * from audit_log")).rows));
  const texts = await app.db.rows<{ text: string }>(sql`select text from document_texts`);
  // In the words of who wrote them, not anew.
  expect(texts.flatMap(({ text }) => (text.includes("# remark") ? [] : [text]))).toEqual([]);
  expect(texts.length).toBeGreaterThan(30);
  hear("the texts", texts.map(({ text }) => text).join("\n"));
  live.abort();
  await listening;
  stopWatching();

  const heard = (where: string) => planter.said.filter((one) => one.where === where).length;
  expect(heard("the log")).toBeGreaterThan(100);
  expect(heard("the live stream")).toBeGreaterThan(0);
  expect(planter.leaks()).toEqual([]);
});

test("each of them is there for who runs something with it, or nothing was looked for", async () => {
  const finder = app.app.ctx.service(connectionFinder);
  for (const { type } of connectionTypes) {
    const reference = `connection://of-${type.replaceAll("_", "-")}`;
    const text = JSON.stringify(await finder.findFresh(reference, { namespace: "default" }));
    const own = [...planter.planted].filter(([, where]) => where.startsWith(`${type} `));
    expect([
      type,
      own.filter(([token]) => !text.includes(token)).map(([, where]) => where),
    ]).toEqual([type, []]);
    expect(own.length).toBeGreaterThan(0);
  }
  // Of checks, that many places were found by the marks.
  for (const type of ["http", "postgres", "redis", "mysql", "elasticsearch", "loki", "cloudwatch"])
    expect(
      [...planter.planted.values()].filter((where) => where.startsWith(type)).length,
    ).toBeGreaterThan(2);
});
