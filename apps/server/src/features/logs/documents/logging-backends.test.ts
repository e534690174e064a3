import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listenHttp } from "@mainstay/testkit/servers/index.ts";
import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { serveAws } from "#platform/outbound/aws/testing/aws-server.ts";
import { startTestApp, type TestApp } from "../../../testing/app.ts";
import { createPerson, type TestPerson } from "../../../testing/people.ts";
import { listBackends } from "./list-backends.ts";
import { loggingBackendSealer } from "./logging-backend-kind.ts";

let app: TestApp;
let editor: TestPerson;
let viewer: TestPerson;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  editor = await createPerson(app, "editor");
  viewer = await createPerson(app, "viewer");
});
afterAll(() => app.stop());

const represented = { prefer: "return=representation" };
const yaml = { "content-type": "application/yaml" };
const document = (
  name: string,
  password: string,
  index = "shop",
) => `apiVersion: apm-hub.flanksource.com/v1
kind: LoggingBackend
metadata: { name: ${name} }
spec:
  backends:
    - elasticsearch:
        address: https://logs.example.org
        username: reader
        password: { value: ${password} }
        index: ${index}
`;

test("documents are applied, shown without their secrets, compared, exported and deleted", async () => {
  const applied = await editor.post(
    "/api/documents?source=ci",
    document("es", "first-secret"),
    yaml,
  );
  expect([applied.status, applied.text]).toEqual([200, expect.stringContaining('"es"')]);
  const row = await app.db.first<{ id: string; spec: never; sealed: never; created_by: string }>(
    sql`select id, spec, sealed, created_by from logging_backends where name = 'es'`,
  );
  expect(JSON.stringify(row)).not.toContain("first-secret");
  const opened = loggingBackendSealer(app.app.ctx.config).open(row!.spec, row!.sealed);
  expect([opened.failures, JSON.stringify(opened.document)]).toEqual([
    [],
    expect.stringContaining("first-secret"),
  ]);

  const shown = await viewer.get("/api/documents/logging-backends/default/es?output=yaml");
  expect(shown.text).toContain("LoggingBackend");
  expect(shown.text).not.toContain("first-secret");
  const changed = await editor.post(
    "/api/documents?source=ci&dryRun=true",
    shown.text.replace("index: shop", "index: other"),
    yaml,
  );
  expect(changed.text).toContain("spec.backends.0.elasticsearch.index");
  expect(changed.text).not.toContain("elasticsearch.password");

  // Its password goes nowhere else.
  const moved = shown.text.replace("logs.example.org", "evil.example.org");
  const refused = await editor.post("/api/documents?source=ci", moved, yaml);
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("password")]);

  const gone = await editor.delete("/api/documents/logging-backends/default/es?source=ci");
  expect(gone.status).toBe(200);
  expect((await viewer.get("/api/db/logging_backends?name=eq.es&deleted_at=is.null")).json).toEqual(
    [],
  );
});

test("one that is kept elsewhere and was changed here has drifted until it is applied again, and keeps its comments", async () => {
  const written = document("drifting", "kept-secret").replace("spec:", "spec: # of the shop");
  const apply = () => editor.post("/api/documents?source=ci", written, yaml);
  await apply();
  const drifted = async () =>
    (await viewer.get("/api/documents/logging-backends?drifted=true")).json.documents;
  expect(await drifted()).toEqual([]);
  const changed = await editor.patch("/api/db/logging_backends?name=eq.drifting", {
    source: "ConfigFile",
    labels: { team: "shop" },
  });
  expect(changed.status, changed.text).toBe(204);
  expect(await drifted()).toMatchObject([
    {
      document: { metadata: { name: "drifting", labels: { team: "shop" } } },
      text: expect.stringMatching(/"team":"shop"[^]*# of the shop/) as string,
      applied: expect.not.stringContaining("team") as string,
    },
  ]);
  await apply();
  expect(await drifted()).toEqual([]);
  await editor.delete("/api/documents/logging-backends/default/drifting?source=ci");
});

test("rows of a console are judged, sealed and followed as documents are", async () => {
  const spec = {
    backends: [{ loki: { url: "http://loki.example.org", bearer: { value: "long-token" } } }],
  };
  const made = await editor.post(
    "/api/db/logging_backends",
    { name: "loki", spec, created_by: viewer.id },
    represented,
  );
  expect([made.status, made.json]).toEqual([
    201,
    [
      expect.objectContaining({
        name: "loki",
        namespace: "default",
        source: "UI",
        created_by: editor.id,
      }),
    ],
  ]);
  expect(made.text).not.toContain("long-token");
  const [row] = made.json as [Record<string, unknown>];
  // As consoles change it: the whole row.
  const path = `/api/db/logging_backends?id=eq.${String(row.id)}`;
  const saved = await editor.patch(path, { ...row, labels: { team: "shop" } }, represented);
  expect([saved.status, saved.json[0].labels]).toEqual([200, { team: "shop" }]);
  expect(
    (await app.db.first<{ n: number }>(sql`select count(*)::int as n from jsonb_object_keys(
      (select sealed from logging_backends where id = ${String(row.id)}::uuid))`))!.n,
  ).toBe(1);

  const twin = await editor.post("/api/db/logging_backends", { name: "loki", spec });
  expect([twin.status, twin.text]).toEqual([
    409,
    expect.stringContaining("already a logging-backend"),
  ]);
  const bad = await editor.post("/api/db/logging_backends", {
    name: "bad",
    spec: { backends: [{}] },
  });
  expect([bad.status, bad.json.issues]).toEqual([
    400,
    [expect.objectContaining({ path: "spec.backends.0", line: 1 })],
  ]);
  expect((await viewer.post("/api/db/logging_backends", { name: "no", spec })).status).toBe(403);

  const listed = await viewer.get(
    "/api/db/integrations_with_status?select=*&deleted_at=is.null&integration_type=eq.logging_backends",
  );
  expect(listed.json).toMatchObject([
    {
      name: "loki",
      namespace: "default",
      job_status: "",
      agent: null,
      creator_name: expect.any(String) as string,
    },
  ]);
  const acts = await app.admin.get(
    "/api/db/audit_entries?table_name=eq.logging_backends&order=created_at.desc",
  );
  expect([acts.status, acts.text.includes("long-token")]).toEqual([200, false]);
  await editor.patch(path, { deleted_at: "now()" });
});

test("what reaches into the machine of the server is for who may do that", async () => {
  const spec = { backends: [{ loki: { url: "http://a" } }, { file: { path: "/etc/passwd" } }] };
  const refused = await editor.post("/api/db/logging_backends", { name: "files", spec });
  expect([refused.status, refused.text]).toEqual([
    403,
    expect.stringContaining("reads a file of the server"),
  ]);
  expect((await app.admin.post("/api/db/logging_backends", { name: "files", spec })).status).toBe(
    201,
  );
});

test("a text is tried: each backend tells its last line, or why it does not", async () => {
  const folder = mkdtempSync(join(tmpdir(), "log-trial-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "a.log"), `${new Date().toISOString()} ERROR the last one\n`);
  const text = `apiVersion: apm-hub.flanksource.com/v1
kind: LoggingBackend
metadata: { name: tried }
spec:
  backends:
    - file: { path: ${folder}/*.log, labels: { team: shop } }
    - loki: { url: "http://127.0.0.1:1", query: '{a="b"}' }
    - cloudwatch: { region: eu-1, log_group: a }
    - azureLogAnalytics: { workspaceID: a, query: Syslog }
`;
  const ask = (who: TestPerson | TestApp["admin"]) =>
    who.post("/api/logs/backends/test/document", { document: text });
  const { status, json } = await ask(app.admin);
  expect([status, json.results]).toEqual([
    200,
    [
      {
        backend: "tried/file-0",
        type: "file",
        line: expect.objectContaining({
          level: "error",
          labels: { filename: `${folder}/a.log`, team: "shop" },
        }) as object,
      },
      {
        backend: "tried/loki-1",
        type: "loki",
        error: expect.stringContaining("refused by 127.0.0.1:1") as string,
      },
      {
        backend: "tried/cloudwatch-2",
        type: "cloudwatch",
        error: "AccessKey and secretKey are missing",
      },
      {
        backend: "tried/azureLogAnalytics-3",
        type: "azureLogAnalytics",
        error: "Azure needs tenantID, clientID, clientSecret, or a connection with it.",
      },
    ],
  ]);
  expect((await ask(editor)).status).toBe(403);
  expect((await ask(viewer)).status).toBe(403);
});

test("stored backends are listed with their secrets in place, and asked as their documents say", async () => {
  const seen: (string | undefined)[] = [];
  const server = await listenHttp((request, response) => {
    seen.push(request.headers.authorization);
    response
      .writeHead(500, { "content-type": "application/json" })
      .end(JSON.stringify({ message: `no, ${request.headers.authorization}` }));
  });
  onTestFinished(() => server.close());
  const loki = {
    url: `http://127.0.0.1:${server.port}`,
    query: '{a="b"}',
    bearer: { value: "the-secret-token" },
    labels: { team: "shop" },
    routes: { type: "App", id_prefix: "web-" },
  };
  await app.admin.post("/api/db/logging_backends", {
    name: "asked",
    spec: { backends: [{ loki }] },
  });
  const listed = await listBackends(app.app.ctx);
  const one = listed.find(({ name }) => name === "asked")!;
  expect(one).toMatchObject({ type: "loki", routes: [{ type: "App", id_prefix: "web-" }] });
  const question = {
    search: { terms: [] },
    labels: {},
    from: new Date(0),
    to: new Date(1),
    limit: 1,
    direction: "backward" as const,
  };
  // What a server repeats of the secret is not shown.
  await expect(one.read(app.app.ctx, question)).rejects.toThrow(
    "answered 500: no, Bearer [hidden]",
  );
  expect(seen.at(-1)).toBe("Bearer the-secret-token");
  // None of its lines can have another label than all of them get.
  expect(await one.read(app.app.ctx, { ...question, labels: { team: "web" } })).toEqual({
    lines: [],
  });
});

test("credentials of clouds come from stored connections, and go nowhere else", async () => {
  const aws = await serveAws({
    keys: [{ accessKey: "AKIDLOGS", secretKey: "secret-of-amazon" }],
    answer: ({ action }) =>
      action === "StartQuery"
        ? { queryId: "1" }
        : {
            status: "Complete",
            results: [
              [
                { field: "@timestamp", value: "2026-06-15 10:00:00.000" },
                { field: "@message", value: "from Amazon" },
              ],
            ],
          },
  });
  const others = await listenHttp((request, response) => {
    const end = (body: object) =>
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    const { url = "", headers } = request;
    if (url === "/token" || url === "/tenant/oauth2/v2.0/token") {
      const basic = Buffer.from("the-app:secret-of-azure").toString("base64");
      const isKnown = url === "/token" || headers.authorization === `Basic ${basic}`;
      return end({ access_token: isKnown ? `for ${url}`.replaceAll(/\W/g, "-") : "for-nobody" });
    }
    if (url === "/v2/entries:list" && headers.authorization === "Bearer for--token")
      return end({ entries: [{ timestamp: "2026-06-15T10:00:00Z", textPayload: "from Google" }] });
    if (
      url === "/v1/workspaces/w/query" &&
      headers.authorization === "Bearer for--tenant-oauth2-v2-0-token"
    )
      return end({
        tables: [
          {
            columns: [{ name: "TimeGenerated" }, { name: "mainstay_message" }],
            rows: [["2026-06-15T10:00:00Z", "from Azure"]],
          },
        ],
      });
    return response.writeHead(401).end("{}");
  });
  onTestFinished(async () => {
    await aws.close();
    await others.close();
  });
  const url = `http://127.0.0.1:${others.port}`;
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const certificate = JSON.stringify({
    type: "service_account",
    project_id: "shop",
    client_email: "a@b",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
    token_uri: `${url}/token`,
  });
  for (const connection of [
    {
      name: "amazon",
      type: "aws",
      url: aws.url,
      username: "AKIDLOGS",
      password: "secret-of-amazon",
      properties: { region: "eu-central-1" },
    },
    { name: "google", type: "google_cloud", url, certificate },
    {
      name: "azure",
      type: "azure",
      url,
      username: "the-app",
      password: "secret-of-azure",
      properties: { tenant: "tenant" },
    },
  ]) {
    const made = await app.admin.post("/api/db/connections", {
      namespace: "default",
      ...connection,
    });
    expect(made.status, made.text).toBe(201);
  }
  const azure = {
    connection: "connection://default/azure",
    workspaceID: "w",
    query: "Syslog",
    endpoint: url,
    loginEndpoint: url,
  };
  const made = await app.admin.post("/api/db/logging_backends", {
    name: "clouds",
    spec: {
      backends: [
        { cloudwatch: { connection: "connection://default/amazon", log_group: "shop" } },
        { gcpCloudLogging: { connection: "connection://default/google" } },
        { azureLogAnalytics: azure },
        { azureLogAnalytics: { ...azure, loginEndpoint: "http://127.0.0.1:9" } },
        {
          gcpCloudLogging: {
            connection: "connection://default/google",
            endpoint: "http://127.0.0.1:9",
          },
        },
      ],
    },
  });
  expect(made.status, made.text).toBe(201);
  const listed = (await listBackends(app.app.ctx)).filter(({ name }) => name.startsWith("clouds"));
  const read = async ({ read: ask }: (typeof listed)[number]) => {
    const { lines } = await ask(app.app.ctx, {
      search: { terms: [] },
      labels: {},
      from: new Date("2026-06-15T00:00:00Z"),
      to: new Date("2026-06-16T00:00:00Z"),
      limit: 10,
      direction: "backward",
    });
    return lines.map(({ message }) => message);
  };
  const [amazon, google, microsoft, ...elsewhere] = listed;
  expect(await read(amazon!)).toEqual(["from Amazon"]);
  expect(await read(google!)).toEqual(["from Google"]);
  expect(await read(microsoft!)).toEqual(["from Azure"]);
  for (const one of elsewhere)
    await expect(read(one)).rejects.toThrow("are sent to no other address than its own");
});
