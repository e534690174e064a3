import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { randomBytes } from "node:crypto";
import {
  checkSecretPlaces,
  mapCanarySecrets,
  secretPlaceholder,
  unsupportedCheckTypes,
  withoutRegistries,
} from "@mainstay/contract";
import { secretPlaceholder as placeholderOfTables } from "@mainstay/data-api/declare.ts";
import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createLog } from "#platform/log.ts";
import { openEncryption } from "#platform/encryption.ts";
import { createApp, type App } from "../../../app.ts";
import {
  type Client,
  client,
  startTestApp,
  testConfig,
  type TestApp,
} from "../../../testing/app.ts";
import { createPerson, type TestPerson } from "../../../testing/people.ts";
import { LAST_APPLIED } from "#platform/documents/annotations.ts";
import { createSealer } from "#platform/sealing/sealer.ts";
import { canarySealer } from "./canary-sealer.ts";
import { sealStored } from "./seal-stored.ts";

let app: TestApp;
let editor: TestPerson;
const logged: string[] = [];
beforeAll(async () => {
  const log = createLog("trace", { write: (line) => logged.push(line) });
  // Every check type is tried, programs among them, as somebody who is no administrator.
  app = await startTestApp({ codeRoles: ["admin", "editor"] }, { log });
  editor = await createPerson(app, "editor");
});
afterAll(() => app.stop());

let made = 0;
const freshName = () => `sealed-${++made}`;
/** A text that stands nowhere by chance. */
const fresh = () => `S3cret${randomBytes(9).toString("hex")}`;

interface Row {
  id: string;
  name: string;
  spec: Record<string, any>; // oxlint-disable-line typescript/no-explicit-any -- a test names the shape by what it asserts
  updated_at: string;
  created_by: string;
}
const whole = { prefer: "return=representation" };
const post = (spec: object, more: object = {}, asker: Client = editor) =>
  asker.post("/api/db/canaries", { name: freshName(), spec, ...more }, whole);
const create = async (spec: object, more: object = {}): Promise<Row> => {
  const reply = await post(spec, more);
  expect(reply.status, reply.text).toBe(201);
  return reply.json[0];
};
const patch = (filter: string, changes: object | string, asker: Client = editor) =>
  asker.patch(`/api/db/canaries?${filter}`, changes, whole);
const stored = async (id: string) =>
  (await app.db.first<{
    spec: Row["spec"];
    sealed: Record<string, { to: string; mac: string; value: string }>;
  }>(sql`select spec, sealed from canaries where id = ${id}`))!;
const audited = (id: string) =>
  app.db.rows<{ verb: string; before: object | null; after: object | null }>(
    sql`select verb, before, after from audit_log where row_id = ${id} order by created_at, id`,
  );
const apply = (text: string, asker: Client = editor) =>
  asker.post("/api/canary/documents", { text });
const dryRun = (body: object) => editor.post("/api/canary/run/document", body);
const document = (
  name: string,
  spec: string,
  metadata = "",
) => `apiVersion: canaries.flanksource.com/v1
kind: Canary
metadata:
  name: ${name}
${metadata}spec:
${spec.replaceAll(/^/gm, "  ")}
`;

/** A server that asks for a password, and says what it was asked with. */
async function demanding(isRight: (request: IncomingMessage) => boolean) {
  const server = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    response.statusCode = isRight(request) ? 200 : 401;
    response.end(JSON.stringify({ said: request.headers, url: request.url }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, close: () => server.close() };
}
const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

test("the placeholder is the one of secret columns", () => {
  expect(secretPlaceholder).toBe(placeholderOfTables);
});

describe("nothing of a secret leaves the server", () => {
  const planted: string[] = [];
  const plant = () => {
    const secret = fresh();
    planted.push(secret);
    return secret;
  };
  let row: Row;
  let checkIds: string[];
  let checkerOnly: App;

  beforeAll(async () => {
    const kept = Object.fromEntries(
      unsupportedCheckTypes.map((type) => [
        type,
        [
          {
            name: `of ${type}`,
            password: plant(),
            connection: `mongodb://u:${plant()}@a/b`,
            headers: [{ name: "X-Any", value: plant() }],
            nested: { clientSecret: { value: plant() }, env: { A: plant() }, api_key: plant() },
          },
        ],
      ]),
    );
    const url = "http://127.0.0.1:1";
    row = await create({
      schedule: "@never",
      env: { SHARED: { value: plant() } },
      http: [
        {
          name: "front",
          url: `http://user:${plant()}@127.0.0.1:1/?token=${plant()}`,
          proxy: `http://p:${plant()}@127.0.0.1:1`,
          headers: [
            { name: "Authorization", value: `Bearer ${plant()}` },
            { name: "Cookie", value: plant() },
          ],
          env: [{ name: "B", value: plant() }],
          tlsConfig: { key: plant() },
          oauth2: { clientSecret: plant() },
          Unknown_Token: plant(),
        },
        { name: "form", url, authentication: { username: "u", password: { value: plant() } } },
        { name: "by endpoint", endpoint: `http://user:${plant()}@127.0.0.1:1/` },
      ],
      exec: [
        {
          name: "script",
          script: 'echo "$A"; exit 1',
          env: [{ name: "A", value: plant() }],
        },
      ],
      postgres: [
        { name: "url", url: `postgres://u:${plant()}@127.0.0.1:1/d` },
        { name: "pairs", connection: `host=127.0.0.1 port=1 user=u password=${plant()}` },
        { name: "password", url: "postgres://127.0.0.1:1/d", password: plant() },
      ],
      mysql: [{ name: "go", url: `u:${plant()}@tcp(127.0.0.1:1)/d` }],
      redis: [
        { name: "cache", url: `redis://:${plant()}@127.0.0.1:1`, tlsConfig: { key: plant() } },
      ],
      folder: [
        { name: "far", path: `sftp://u:${plant()}@h/x`, sftpConnection: { password: plant() } },
      ],
      heartbeat: [{ name: "beat", every: "1h", token: plant() }],
      tcp: [
        { name: "port", endpoint: "127.0.0.1:1", metrics: [{ name: "m", secretKey: plant() }] },
      ],
      dns: [{ name: "name", query: "localhost", server: "127.0.0.1", port: 1, apiToken: plant() }],
      icmp: [{ name: "ping", endpoint: "127.0.0.1", credentials: { any: plant() } }],
      ...kept,
    });
    checkIds = (
      await app.db.rows<{ id: string }>(sql`select id from checks where canary_id = ${row.id}`)
    ).map(({ id }) => id);
    expect(checkIds.length).toBe(14 + unsupportedCheckTypes.length);
    // Everything else that makes answers: results, changes, refusals, dry runs, events.
    for (const id of checkIds) await app.admin.post(`/api/canary/run/check/${id}`);
    await patch(`id=eq.${row.id}`, { labels: { a: "b" } });
    await patch(`id=eq.${row.id}`, { spec: { ...row.spec, interval: 77 } });
    await apply(
      document(
        "sealed-yaml",
        `exec:\n- {name: a, script: "false", env: [{name: A, value: ${plant()}}]}`,
      ),
    );
    const refused = plant();
    await post({ http: [{ name: "a", url: "nothing", password: refused }] });
    await post({ heartbeat: [{ name: "a", every: "1m", token: refused.slice(0, 12) }] });
    await apply(document("bad", `http: [{name: a, url: "http://u:${refused}@h", proxy: no}]`));
    await dryRun({
      document: document(
        "x",
        `exec: [{name: a, script: 'echo $A >&2; exit 3', env: [{name: A, value: ${plant()}}]}]`,
      ),
    });
    await app.db.run(
      sql`insert into event_queue (name, properties) select 'kept.for.test', to_jsonb(c) - 'sealed' from checks c where id = ${checkIds[0]!}`,
    );
    checkerOnly = await createApp({
      config: testConfig({ checkerOnly: true, role: "api" }),
      db: app.db,
      log: createLog("trace", { write: (line) => logged.push(line) }),
    });
    await checkerOnly.listen();
  }, 120_000);
  afterAll(() => checkerOnly.stop());

  const kindsOfAnswer: Record<string, string>[] = [
    {},
    { accept: "text/csv" },
    { accept: "application/vnd.pgrst.plan+json" },
  ];
  const shows = (text: string) => planted.filter((secret) => text.includes(secret));

  const askers: [string, () => Promise<Client>][] = [
    ...(["admin", "editor", "commander", "responder", "viewer"] as const).map(
      (role): [string, () => Promise<Client>] => [role, () => createPerson(app, role)],
    ),
    ["nobody, in checker-only mode", () => Promise.resolve(client(checkerOnly.address))],
  ];

  test.each(askers)(
    "to %s",
    async (_, signIn) => {
      const asker = await signIn();
      const { json: document } = await asker.get("/api/db/");
      const tables = Object.keys(document?.paths ?? {}).filter((path) => /^\/\w+$/.test(path));
      expect(tables.length).toBeGreaterThan(10);
      const pages = [
        ...tables.map((path) => `/api/db${path}?limit=1000`),
        "/api/db/canaries?select=*,checks!checks_canary_id_fkey(*,check_statuses(*))",
        "/api/db/checks?select=*,canaries!checks_canary_id_fkey(*)",
        "/api/db/canaries?select=spec->http->0->>url,spec->env",
        "/api/db/canaries?select=sealed",
        "/api/db/canaries?sealed=not.is.null",
        "/api/db/canaries?order=sealed",
        "/api/canary/api/summary",
        ...checkIds.slice(0, 5).map((id) => `/api/canary/api/graph?check=${id}`),
      ];
      let answered = 0;
      for (const page of pages) {
        for (const headers of kindsOfAnswer) {
          const reply = await asker.get(page, headers);
          if (reply.status === 200) answered += 1;
          expect(shows(reply.text), page).toEqual([]);
          if (page.includes("sealed")) expect(reply.text).not.toContain("m1:");
        }
      }
      expect(answered).toBeGreaterThan(10);
      const search = await asker.post("/api/resources/search", {
        limit: 100,
        canaries: [{ search: "sealed" }],
        checks: [{ search: "front" }],
      });
      expect(shows(search.text)).toEqual([]);
      const one = await asker.get(`/api/db/canaries?id=eq.${row.id}`);
      expect(one.json[0].spec.http[0]).toMatchObject({
        url: `http://user:${secretPlaceholder}@127.0.0.1:1/?token=${secretPlaceholder}`,
        headers: [
          { name: "Authorization", value: secretPlaceholder },
          { value: secretPlaceholder },
        ],
      });
    },
    60_000,
  );

  test("not even by asking whether it begins with a letter", async () => {
    const { password } = row.spec.postgres[2];
    expect(password).toBe(secretPlaceholder);
    for (const secret of planted.slice(0, 40)) {
      for (const path of [
        "spec->http->1->authentication->>password",
        "spec->postgres->2->>password",
        "spec->>http",
      ]) {
        const reply = await app.admin.get(
          `/api/db/canaries?select=id&${path}=like.*${secret.slice(0, 9)}*`,
        );
        expect(reply.json).toEqual([]);
      }
    }
    for (const order of ["asc", "desc"]) {
      const reply = await app.admin.get(
        `/api/db/canaries?select=id,spec->postgres->2->>password&order=spec->postgres->2->>password.${order}.nullslast`,
      );
      expect(reply.json[0].password).toBe(secretPlaceholder);
    }
  });

  test("and nothing of it lies in the database or the log", async () => {
    const tables = await app.db.rows<{ name: string }>(sql`
      select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`);
    let rows = 0;
    for (const { name } of tables) {
      const { rows: texts } = await app.db.raw(`select t::text as text from ${name} t`);
      rows += texts.length;
      const all = (texts as { text: string }[]).map(({ text }) => text).join("\n");
      expect(shows(all), name).toEqual([]);
    }
    expect(rows).toBeGreaterThan(100);
    expect(logged.length).toBeGreaterThan(10);
    expect(shows(logged.join("\n"))).toEqual([]);
  });
});

describe("what is saved again", () => {
  const spec = (password: string, more: object = {}) => ({
    schedule: "@never",
    http: [{ name: "front", url: "https://shop.example/a", password, ...more }],
  });
  const path = "http[name=front].password";

  test("a placeholder keeps what is stored, whatever else changes", async () => {
    const row = await create(spec("hunter2-hunter2"));
    const before = (await stored(row.id)).sealed;
    expect(row.spec.http[0].password).toBe(secretPlaceholder);
    const changes = [
      { spec: { ...row.spec, interval: 60 } },
      { name: freshName(), spec: row.spec },
      {
        spec: {
          http: [
            { name: "new", url: "https://other.example/" },
            { ...row.spec.http[0], url: "https://SHOP.example:443/b" },
          ],
        },
      },
      { labels: { a: "b" } },
      row,
    ];
    for (const change of changes) {
      const reply = await patch(`id=eq.${row.id}`, change);
      expect(reply.status, reply.text).toBe(200);
      expect((await stored(row.id)).sealed).toEqual(before);
    }
  });

  test("rows of one change keep each its own", async () => {
    const rows = [await create(spec("password-of-one")), await create(spec("password-of-two"))];
    const before = await Promise.all(rows.map(({ id }) => stored(id)));
    expect(before[0]!.sealed[path]!.mac).not.toBe(before[1]!.sealed[path]!.mac);
    const reply = await patch(`id=in.(${rows.map(({ id }) => id).join()})`, {
      spec: { ...rows[0]!.spec, interval: 99 },
    });
    expect(reply.json).toHaveLength(2);
    for (const [index, { id }] of rows.entries())
      expect(await stored(id)).toMatchObject({
        spec: { interval: 99 },
        sealed: before[index]!.sealed,
      });
  });

  test("the same value again is no change, another is one, and the audit log names it without telling", async () => {
    const row = await create(spec("the-old-password"));
    const before = await stored(row.id);
    expect(
      (await patch(`id=eq.${row.id}`, { spec: spec("the-old-password") })).json[0].updated_at,
    ).toBe(row.updated_at);
    expect(await stored(row.id)).toEqual(before);
    expect(await audited(row.id)).toHaveLength(1);
    const changed = await patch(`id=eq.${row.id}`, { spec: spec("the-new-password") });
    expect(changed.json[0].updated_at).not.toBe(row.updated_at);
    const changes = await audited(row.id);
    expect(changes.map(({ verb }) => verb)).toEqual(["insert", "update"]);
    expect(changes[1]).toMatchObject({ before: null, after: { sealed: [path] } });
    expect(JSON.stringify(changes)).not.toContain("m1:");
    await patch(`id=eq.${row.id}`, { spec: { schedule: "@never" } });
    expect((await stored(row.id)).sealed).toEqual({});
  });

  test.each([
    ["another host", { url: "https://evil.example/a" }],
    ["another port", { url: "https://shop.example:444/a" }],
    ["a proxy", { proxy: "http://evil.example" }],
    ["without TLS", { url: "http://shop.example/a" }],
  ])("%s wants the password again", async (_, change) => {
    const row = await create(spec("hunter2-hunter2"));
    const body = JSON.stringify({ spec: spec(secretPlaceholder, change) }, undefined, 2);
    const reply = await patch(`id=eq.${row.id}`, body);
    expect(reply.status, reply.text).toBe(400);
    const line = body.split("\n").findIndex((text) => text.includes(secretPlaceholder)) + 1;
    expect(reply.json.issues).toEqual([
      {
        path: "spec.http.0.password",
        message: expect.stringMatching(/^The address changed: write the value/),
        line,
        column: expect.any(Number),
      },
    ]);
    expect((await stored(row.id)).spec).toEqual(row.spec);
    const again = await patch(`id=eq.${row.id}`, { spec: spec("typed-again", change) });
    expect(again.status, again.text).toBe(200);
  });

  test("a placeholder for nothing is refused, in rows, in lists of them and in texts", async () => {
    const one = await post(spec(secretPlaceholder));
    expect(one.status, one.text).toBe(400);
    expect(one.json.issues).toMatchObject([
      {
        path: "spec.http.0.password",
        line: 1,
        message: expect.stringMatching(/^There is no stored value/),
      },
    ]);
    const rows = [
      { name: freshName(), spec: spec("right") },
      { name: freshName(), spec: spec(secretPlaceholder) },
    ];
    const many = await editor.post("/api/db/canaries", rows, whole);
    expect(many.json.issues).toMatchObject([{ path: "1.spec.http.0.password" }]);
    const row = await create(spec("hunter2-hunter2"));
    const renamed = { http: [{ ...row.spec.http[0], name: "another" }] };
    expect((await patch(`id=eq.${row.id}`, { spec: renamed })).json.issues).toMatchObject([
      { path: "spec.http.0.password" },
    ]);
    const good = document(freshName(), "http: [{name: a, url: http://h, password: right}]");
    const bad = document(freshName(), "http:\n- name: a\n  url: http://h\n  password: '********'");
    const text = await apply(`${good}---\n${bad}`);
    expect(text.status).toBe(400);
    expect(text.json.issues).toEqual([
      {
        path: "spec.http.0.password",
        message: expect.stringMatching(/^There is no stored value/),
        line: 16,
        column: 15,
      },
    ]);
  });

  test("a stored secret is not moved by those who can write rows of the database", async () => {
    const row = await create(spec("hunter2-hunter2"));
    const { sealed } = await stored(row.id);
    const url = "https://evil.example/";
    const [check] = await app.db.rows<{ id: string }>(
      sql`select id from checks where canary_id = ${row.id}`,
    );
    await app.db.run(sql`
      update canaries set spec = jsonb_set(spec, '{http,0,url}', ${JSON.stringify(url)}::jsonb),
             sealed = ${JSON.stringify({ [path]: { ...sealed[path], mac: "other", to: "https://evil.example" } })}::jsonb where id = ${row.id}`);
    const reply = await app.admin.post(`/api/canary/run/check/${check!.id}`);
    expect(reply.json).toMatchObject({
      pass: false,
      invalid: true,
      error: expect.stringMatching(
        /^The stored value of http\[name=front\]\.password cannot be used/,
      ),
    });
  });

  test("documents as texts: applied twice is applied once, and what was exported can be applied", async () => {
    const name = freshName();
    const text = (password: string, more = "") =>
      document(
        name,
        `http:\n- name: a\n  url: https://h.example/\n  password: ${password}\n${more}`,
      );
    const outcomes: string[] = [];
    for (const one of ["first-password", "first-password", '"********"', "second-password"]) {
      const reply = await apply(text(one));
      expect(reply.status, reply.text).toBe(200);
      outcomes.push(reply.json.canaries[0].outcome);
    }
    expect(outcomes).toEqual(["created", "unchanged", "unchanged", "updated"]);
    expect((await apply(text("'********'", "interval: 10"))).json.canaries[0].outcome).toBe(
      "updated",
    );
  });

  test("the copy that kubectl keeps in a document is dropped, because it holds the secrets again", async () => {
    const annotations = { [LAST_APPLIED]: "a copy", other: "stays" };
    const row = await create(spec("hunter2-hunter2"), { annotations });
    await patch(`id=eq.${row.id}`, { annotations });
    const metadata = `  annotations:\n    ${LAST_APPLIED}: a copy\n    other: stays\n`;
    const name = freshName();
    await apply(document(name, "tcp: [{name: a, endpoint: 'localhost:1'}]", metadata));
    const rows = await app.db.rows(
      sql`select annotations from canaries where id = ${row.id} or name = ${name}`,
    );
    expect(rows).toEqual([
      { annotations: { other: "stays" } },
      { annotations: { other: "stays" } },
    ]);
  });

  test("who made a canary is who asked, and stays it", async () => {
    const row = await create(spec("hunter2-hunter2"), {
      created_by: (await createPerson(app, "viewer")).id,
    });
    expect(row.created_by).toBe(editor.id);
    const reply = await patch(
      `id=eq.${row.id}`,
      { created_by: row.id, labels: { a: "b" } },
      await createPerson(app, "editor"),
    );
    expect(reply.json[0].created_by).toBe(editor.id);
  });
});

describe("a check with a sealed secret", () => {
  test("works, and tells nothing of what it is answered", async () => {
    const password = fresh();
    const token = fresh();
    const server = await demanding(
      ({ headers }) =>
        headers.authorization === basic("sam", password) && headers["x-token"] === token,
    );
    const row = await create({
      schedule: "@never",
      http: [
        {
          name: "front",
          url: `http://sam:${password}@127.0.0.1:${server.port}/?q=${password}`,
          headers: [{ name: "X-Token", value: token }],
        },
      ],
    });
    await patch(`id=eq.${row.id}`, { spec: { ...row.spec, interval: 3600 } });
    const [check] = await app.db.rows<{ id: string }>(
      sql`select id from checks where canary_id = ${row.id}`,
    );
    const reply = await app.admin.post(`/api/canary/run/check/${check!.id}`);
    expect(reply.json, reply.text).toMatchObject({
      pass: true,
      detail: {
        code: 200,
        json: {
          said: { authorization: "Basic [hidden]", "x-token": "[hidden]" },
          url: "/?q=[hidden]",
        },
      },
    });
    expect(reply.text).not.toContain(password);

    await patch(`id=eq.${row.id}`, { spec: { ...row.spec, schedule: "@every 1s" } });
    await vi.waitFor(
      async () => {
        const done = await app.db.rows(
          sql`select from check_statuses where check_id = ${check!.id} and status`,
        );
        expect(done.length).toBeGreaterThan(1);
      },
      { timeout: 20_000 },
    );
    await patch(`id=eq.${row.id}`, { deleted_at: "now()" });
    server.close();
  }, 30_000);

  test("output of scripts is cleaned too", async () => {
    const secret = fresh();
    const script = 'echo "$A"; echo -n "$A" | base64; printf "%s" "x$A" >&2; exit 3';
    const text = document(
      "x",
      `exec:\n- name: a\n  script: '${script}'\n  env: [{name: A, value: ${secret}}]`,
    );
    const reply = await dryRun({ document: text });
    const [result] = reply.json.results;
    expect(result).toMatchObject({ pass: false, detail: { exitCode: 3, stderr: "x[hidden]" } });
    expect(reply.text).not.toContain(secret);
    expect(reply.text).not.toContain(Buffer.from(secret).toString("base64").slice(0, 16));
  });

  test("tried before it is saved: with what is stored, and nowhere else", async () => {
    const password = fresh();
    const server = await demanding(
      ({ headers }) => headers.authorization === basic("sam", password),
    );
    const spec = (port: number, value: string) =>
      `http:\n- name: a\n  url: http://127.0.0.1:${port}/\n  username: sam\n  password: '${value}'`;
    const row = await create({
      schedule: "@never",
      http: [{ name: "a", url: server.url, username: "sam", password }],
    });
    const text = (port: number, metadata = "") =>
      document(row.name, spec(port, secretPlaceholder), metadata);
    const named = (name: string) => document(name, spec(server.port, secretPlaceholder));
    for (const body of [
      { document: text(server.port) },
      { document: text(server.port, `  uid: ${row.id}\n`) },
      { document: named("another name"), id: row.id },
    ]) {
      const reply = await dryRun(body);
      expect(reply.json, reply.text).toMatchObject({ results: [{ pass: true }] });
      expect(reply.text).not.toContain(password);
    }
    for (const [body, message] of [
      [{ document: text(server.port + 1) }, /The address changed/],
      [{ document: named("another name") }, /There is no stored value/],
      [{ document: text(server.port), id: editor.id }, /There is no stored value/],
    ] as const) {
      const reply = await dryRun(body);
      expect(reply.status).toBe(400);
      expect(reply.json.issues).toMatchObject([
        {
          path: "spec.http.0.password",
          line: 10,
          column: 15,
          message: expect.stringMatching(message),
        },
      ]);
    }
    server.close();
  });

  test("written with a key that is gone: it says so, and nothing else stops", async () => {
    const row = await create({
      schedule: "@never",
      http: [{ name: "a", url: "http://127.0.0.1:1", password: fresh() }],
      tcp: [{ name: "b", endpoint: "127.0.0.1:1" }],
      heartbeat: [{ name: "h", every: "1h", token: fresh() }],
    });
    const beats = () =>
      app.db.rows(
        sql`select b.* from check_beats b join checks c on c.id = b.check_id where c.canary_id = ${row.id}`,
      );
    const before = await beats();
    const keyed = (from: string, to: string) =>
      app.owner.raw(
        `alter table canaries disable trigger a_keep_sealed;
         update canaries set sealed = regexp_replace(sealed::text, 'm1:${from}:', 'm1:${to}:', 'g')::jsonb where id = '${row.id}';
         alter table canaries enable trigger a_keep_sealed`,
      );
    const { keyId } = openEncryption(app.app.ctx.config);
    await keyed(keyId, "00000000");
    const run = async (type: string) => {
      const [check] = await app.db.rows<{ id: string }>(
        sql`select id from checks where canary_id = ${row.id} and type = ${type}`,
      );
      return (await editor.post(`/api/canary/run/check/${check!.id}`)).json;
    };
    expect(await run("http")).toMatchObject({
      pass: false,
      error: expect.stringMatching(
        /cannot be used: .*encrypted with key \w+, but this server has key/,
      ),
    });
    expect(await run("tcp")).toMatchObject({ error: expect.stringContaining("refused") });
    const saved = await editor.patch(
      `/api/db/canaries?id=eq.${row.id}`,
      { spec: { ...row.spec, interval: 5 } },
      whole,
    );
    expect(saved.status, saved.text).toBe(200);
    expect(await beats()).toEqual(before);
    await keyed("00000000", keyId);
  });
});

describe("heartbeats", () => {
  const spec = (token: unknown) => ({ heartbeat: [{ name: "h", every: "1h", token }] });
  const beatOf = async ({ id }: Row) =>
    (
      await app.db.rows<{ last_beat: Date | null; token_hash: string }>(
        sql`select b.* from check_beats b join checks c on c.id = b.check_id where c.canary_id = ${id}`,
      )
    )[0];

  test("a token that is easily guessed is refused", async () => {
    const reply = await post(spec("a"));
    expect(reply.status).toBe(400);
    expect(reply.json.issues).toMatchObject([{ path: "spec.heartbeat.0.token" }]);
  });

  test("two documents may have one token, and a beat counts for both", async () => {
    const token = fresh();
    const rows = [await create(spec(token)), await create(spec({ value: token }))];
    expect((await app.nobody.post(`/api/canary/beat/${token}`)).status).toBe(200);
    for (const row of rows) expect((await beatOf(row))?.last_beat).toBeInstanceOf(Date);
  });

  test("a placeholder keeps the token, another one takes its place, none forgets it", async () => {
    const [first, second] = [fresh(), fresh()];
    const row = await create(spec(first));
    const hash = (await beatOf(row))?.token_hash;
    await patch(`id=eq.${row.id}`, { spec: { ...spec(secretPlaceholder), interval: 9 } });
    expect((await beatOf(row))?.token_hash).toBe(hash);
    await patch(`id=eq.${row.id}`, { spec: spec(second) });
    expect((await app.nobody.post(`/api/canary/beat/${first}`)).status).toBe(404);
    expect((await app.nobody.post(`/api/canary/beat/${second}`)).status).toBe(200);
    await patch(`id=eq.${row.id}`, { spec: { heartbeat: [{ name: "h", every: "1h" }] } });
    expect((await app.nobody.post(`/api/canary/beat/${second}`)).status).toBe(404);
  });
});

describe("what was stored before", () => {
  const COUNT = 3_000;

  test("is sealed at the next start, also when that was interrupted", async () => {
    const { ctx } = app.app;
    await app.db.run(sql`delete from migration_logs where path = 'seal:canaries'`);
    const plain = {
      schedule: "@never",
      http: [{ name: "a", url: "http://127.0.0.1:1/", password: "plain-old-secret" }],
    };
    const annotations = { [LAST_APPLIED]: JSON.stringify({ spec: plain }), other: "stays" };
    await app.db.run(sql`
      insert into canaries (name, namespace, spec, annotations, source, deleted_at)
      select 'old-' || n, 'old', ${JSON.stringify(plain)}::jsonb, ${JSON.stringify(annotations)}::jsonb, 'test', case when n % 2 = 0 then now() end from generate_series(1, ${COUNT}) n`);
    await app.db.run(sql`
      insert into checks (canary_id, type, name, spec) select id, 'http', 'a', spec -> 'http' -> 0 from canaries where namespace = 'old'`);
    await app.db.run(sql`
      insert into audit_log (actor_name, verb, table_name, row_id, before, after)
      select 'x', 'update', 'canaries', id, jsonb_build_object('spec', spec), jsonb_build_object('spec', spec, 'name', 'n') from canaries where namespace = 'old'`);
    const copies = () =>
      app.db.rows(sql`select from canaries where annotations::text like '%plain-old-secret%'`);
    expect((await copies()).length).toBe(COUNT);
    const left = async () =>
      (await app.db.first<{ canaries: number; checks: number; changes: number }>(sql`
        select (select count(*) from canaries where spec::text like '%plain-old-secret%') as canaries,
               (select count(*) from checks where spec::text like '%plain-old-secret%') as checks,
               (select count(*) from audit_log where before::text like '%plain-old-secret%' or after::text like '%plain-old-secret%') as changes`))!;
    expect(await left()).toEqual({ canaries: COUNT, checks: COUNT, changes: COUNT });

    const ending = new AbortController();
    const interrupted = sealStored(ctx.with({ signal: ending.signal }));
    await vi.waitFor(async () => expect((await left()).canaries).toBeLessThan(COUNT), {
      interval: 5,
      timeout: 15_000,
    });
    ending.abort(new Error("killed"));
    await expect(interrupted).rejects.toThrow("killed");
    await sealStored(ctx);
    expect(await left()).toEqual({ canaries: 0, checks: 0, changes: 0 });
    expect(await copies()).toEqual([]);
    const [row] = await app.db.rows<{ id: string; spec: Row["spec"] }>(
      sql`select id, spec from canaries where namespace = 'old' and deleted_at is null limit 1`,
    );
    expect(row!.spec.http[0].password).toBe(secretPlaceholder);
    expect((await stored(row!.id)).sealed).toHaveProperty(
      ["http[name=a].password", "to"],
      "http://127.0.0.1:1",
    );
    expect(checkSecretPlaces("http", row!.spec.http[0])).toHaveLength(1);
    await sealStored(ctx);
  }, 120_000);

  const storedAs = async (spec: object, sealed: object = {}) => {
    const row = (await app.db.first<{ id: string }>(sql`
      insert into canaries (name, namespace, spec, sealed, source)
      values (${freshName()}, 'old', ${JSON.stringify(spec)}::jsonb, ${JSON.stringify(sealed)}::jsonb, 'test') returning id`))!;
    return row.id;
  };
  const startAfter = async (marks: string) => {
    await app.db.run(sql`update migration_logs set hash = ${marks} where path = 'seal:canaries'`);
    await sealStored(app.app.ctx);
  };

  test("is sealed by marks that are younger than it", async () => {
    const kubeconfig = `users: [{token: ${fresh()}}]`;
    const check = { name: "a", url: "http://shop.web/", kubernetes: { kubeconfig } };
    const spec = { schedule: "@never", http: [check] };
    const id = await storedAs(spec);
    await app.db.run(sql`
      insert into checks (canary_id, type, name, spec) values (${id}, 'http', 'a', ${JSON.stringify(check)}::jsonb)`);
    await app.db.run(sql`
      insert into audit_log (actor_name, verb, table_name, row_id, before, after)
      values ('x', 'update', 'canaries', ${id}, ${JSON.stringify({ spec })}::jsonb, ${JSON.stringify({ spec })}::jsonb)`);
    await startAfter("2");
    const texts = await app.db.rows(sql`
      select spec::text as text from canaries where id = ${id}
      union all select spec::text from checks where canary_id = ${id}
      union all select before::text || after::text from audit_log where row_id = ${id}`);
    expect(JSON.stringify(texts)).not.toContain(kubeconfig);
    expect((await stored(id)).spec.http[0].kubernetes.kubeconfig).toBe(secretPlaceholder);
  });

  test("and what names told to be secret opens where schemas tell it now", async () => {
    const spec = {
      schedule: "@never",
      env: { A: { value: "of all" } },
      docker: [
        {
          name: "x",
          image: "registry.example/a",
          auth: { username: { value: "u" }, password: { value: "of docker" } },
        },
      ],
      containerd: [{ name: "y", image: "b", auth: { username: "u", password: "of containerd" } }],
      s3Bucket: [
        { name: "z", bucket: "b", accessKey: { value: "AK" }, secretKey: { value: "of s3" } },
      ],
    };
    const formerly = createSealer(app.app.ctx.config, {
      name: "canary",
      map: (document, replace) =>
        mapCanarySecrets(document, (place) =>
          replace({
            ...place,
            path: /^(docker|s3Bucket)/.test(place.path) ? `${place.path}.value` : place.path,
            destination: withoutRegistries(place.destination),
          }),
        ),
    });
    const { document: shown, sealed } = formerly.seal(spec);
    expect(Object.keys(sealed)).toContain("docker[name=x].auth.password.value");
    const id = await storedAs(shown, sealed);
    const sealer = canarySealer(app.app.ctx.config);
    expect(sealer.open(shown, sealed as never).failures).not.toEqual([]);
    await startAfter("2");
    const row = await stored(id);
    expect(row.spec).toEqual(shown);
    expect(sealer.open(row.spec, row.sealed)).toEqual({ document: spec, failures: [] });
    expect(Object.keys(row.sealed)).not.toContain("docker[name=x].auth.password.value");
  });
});
