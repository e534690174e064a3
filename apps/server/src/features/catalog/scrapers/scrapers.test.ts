// Takes long: documents are applied and scraped by the program's own worker.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  areInstalled,
  type Listening,
  listenForPostgres,
  type MariadbServer,
  startMariadb,
} from "@mainstay/testkit/servers/index.ts";
import pg from "pg";
import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { startTestApp, type TestApp } from "../../../testing/app.ts";
import { createPerson } from "../../../testing/people.ts";
import { scraperRuns } from "../testing/scraper-runs.ts";

let app: TestApp;
let { apply, ran, again, rerun, itemsOf } = {} as ReturnType<typeof scraperRuns>;
let target: Server;
let url: string;
/** What the target answers to a path. */
const answers = new Map<
  string,
  (request: { authorization: string }) => { status?: number; body: string }
>();

/** The same, of answers that take a while. */
const slow = new Map<string, () => Promise<{ body: string }>>();

beforeAll(async () => {
  target = createServer((request, response) => {
    const later = slow.get(request.url ?? "");
    if (later) return void later().then(({ body }) => response.end(body));
    const answer = answers.get(request.url ?? "")?.({
      authorization: request.headers.authorization ?? "",
    });
    response.writeHead(answer?.status ?? (answer ? 200 : 404)).end(answer?.body ?? "nothing here");
  });
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
  app = await startTestApp();
  ({ apply, ran, again, rerun, itemsOf } = scraperRuns(app));
});
afterAll(async () => {
  target.closeAllConnections();
  await new Promise((resolve) => target.close(resolve));
  await app.stop();
});

test("an answer over HTTP, page by page, with a secret that is kept and never shown", async () => {
  const secret = "hunter2-of-the-catalog";
  const page = (list: object[], next?: string) => ({
    body: JSON.stringify({ list, next: next ?? null }),
  });
  answers.set("/one", ({ authorization }) =>
    authorization === `Bearer ${secret}`
      ? page(
          [
            { id: 1, state: "running", said: authorization },
            { id: 2, state: "failed" },
          ],
          "/two",
        )
      : { status: 401, body: "who?" },
  );
  answers.set("/two", () => page([{ id: 3, state: "running" }]));
  const id = await apply({
    http: [
      {
        url: `${url}/one`,
        bearer: { value: secret },
        pagination: { nextPageExpr: "body.?next.orValue('')", reduceExpr: "acc + page.list" },
        id: "$.id",
        type: "Box",
        status: "$.state",
        tags: [{ name: "zone", value: "a" }],
      },
    ],
  });
  expect(await ran(id)).toMatchObject({
    status: "SUCCESS",
    success_count: 3,
    details: { scrape_summary: { Box: { added: 3, updated: 0, unchanged: 0 } } },
  });
  expect(await itemsOf(id)).toEqual([
    { name: "1", type: "Box", health: "healthy", status: "running", tags: { zone: "a" } },
    { name: "2", type: "Box", health: "unhealthy", status: "failed", tags: { zone: "a" } },
    { name: "3", type: "Box", health: "healthy", status: "running", tags: { zone: "a" } },
  ]);
  const everything = JSON.stringify([
    (await app.admin.get("/api/db/config_scrapers")).json,
    (await app.admin.get(`/api/db/config_items?scraper_id=eq.${id}`)).json,
    (await app.admin.get("/api/documents/scraper/default/s1")).text,
    await ran(id),
  ]);
  expect(everything).not.toContain(secret);
  expect(everything).toContain("********");
});

test("a change is a diff within the schedule, and what fails leaves everything as it was", async () => {
  let replicas = 1;
  let status = 200;
  answers.set("/deployment", () => ({ status, body: JSON.stringify({ name: "web", replicas }) }));
  const id = await apply({ http: [{ url: `${url}/deployment`, id: "$.name", type: "App" }] });
  await ran(id);
  replicas = 5;
  await again(id);
  expect(await ran(id, 2)).toMatchObject({ details: { scrape_summary: { App: { updated: 1 } } } });
  const [change] = (
    await app.admin.get(
      `/api/db/catalog_changes?type=eq.App&select=name,change_type,summary,severity,source`,
    )
  ).json;
  expect(change).toEqual({
    name: "web",
    change_type: "diff",
    summary: "replicas",
    severity: "info",
    source: "diff",
  });
  status = 503;
  await again(id);
  const failed = await ran(id, 3);
  expect(failed).toMatchObject({ status: "FAILED", success_count: 0 });
  expect(failed.details.errors![0]).toMatch(/^http-0: http.*deployment answered 503: /);
  expect(await itemsOf(id)).toHaveLength(1);
});

test("what a script writes", async () => {
  const script = `printf '{"id":"a","n":1}\\n{"id":"b","n":2}\\n'`;
  const id = await apply({ exec: [{ script, id: "$.id", type: "Line" }] });
  expect(await ran(id)).toMatchObject({ status: "SUCCESS", success_count: 2 });
  const yaml = await apply({
    exec: [{ script: `printf -- '- id: y1\\n- id: y2\\n'`, id: "$.id", type: "Part" }],
  });
  expect(await ran(yaml)).toMatchObject({ status: "SUCCESS", success_count: 2 });
  const text = await apply({ exec: [{ script: "echo all is well", id: "$.id", type: "Line" }] });
  expect((await ran(text)).details.errors).toEqual([
    expect.stringContaining("It is no JSON") as string,
  ]);
  const failing = await apply({
    exec: [{ script: "echo no >&2; exit 3", id: "$.id", type: "Line" }],
  });
  expect((await ran(failing)).details.errors).toEqual([expect.stringContaining("no") as string]);
  // What is in the catalog already, as files.
  const line = { id: "$.id", type: "Copy" };
  const query = [
    { path: "in/lines.json", types: ["Line"] },
    { path: "it's.json", search: "name=nobody" },
  ];
  const copy = `printf '{"id":"copy","of":%s,"none":%s}' "$(cat in/lines.json)" "$(cat "it's.json")"`;
  const reading = await apply({ exec: [{ script: copy, query, ...line }] });
  expect(await ran(reading)).toMatchObject({ status: "SUCCESS", success_count: 1 });
  const kept = sql`select config from config_items where scraper_id = ${reading}`;
  expect((await app.db.first<{ config: unknown }>(kept))?.config).toMatchObject({
    of: [
      { type: "Line", config: { n: 1 } },
      { type: "Line", config: { n: 2 } },
    ],
    none: [],
  });
  const wrong = await apply({
    exec: [
      { script: "true", query: [{ path: "../../x", types: "Line" }], ...line },
      { script: "true", query: [{ path: "x", labelSelector: "a in" }], ...line },
    ],
  });
  expect((await ran(wrong)).details.errors).toEqual([
    expect.stringContaining('"../../x" is outside') as string,
    expect.stringContaining("labelSelector") as string,
  ]);
});

const rows = {
  query:
    "select 1 as id, 'one' as name, null as nothing union all select 2, 'two', null order by 1",
  id: "$.id",
  name: "$.name",
  type: "Row",
};

test("a transform asks the catalog for what is there already", async () => {
  answers.set("/rack", () => ({ body: JSON.stringify({ id: "rack", rooms: 4 }) }));
  await ran(await apply({ http: [{ url: `${url}/rack`, id: "$.id", type: "Rack" }] }));
  answers.set("/shelf", () => ({ body: JSON.stringify({ id: "shelf", of: "rack" }) }));
  const id = await apply({
    http: [
      {
        url: `${url}/shelf`,
        id: "$.id",
        type: "Shelf",
        transform: {
          expr: "[{'id': 'shelf', 'name': 'shelf', 'type': 'Shelf', 'config': {'rooms': catalog.query_one('type=Rack name=' + config.of).config.rooms}}].toJSON()",
        },
      },
    ],
  });
  await ran(id);
  const item = sql`select config from config_items where scraper_id = ${id}`;
  expect(await app.db.first(item)).toEqual({ config: { rooms: 4 } });
});

describe("rows of PostgreSQL", () => {
  const cluster = inject("cluster");
  let relay: Listening;
  beforeAll(async () => {
    relay = await listenForPostgres(cluster);
  });
  afterAll(() => relay.close());

  test("are items", async () => {
    const connection = `postgres://${cluster.user}:sesame@127.0.0.1:${relay.port}/postgres?sslmode=disable`;
    const id = await apply({ sql: [{ ...rows, connection }] });
    expect(await ran(id)).toMatchObject({ status: "SUCCESS", success_count: 2 });
    expect(await itemsOf(id)).toMatchObject([{ name: "one", type: "Row" }, { name: "two" }]);
    const single = await apply({
      sql: [{ connection, query: `select '{"id": "json", "n": 1}'`, id: "$.id", type: "Single" }],
    });
    await ran(single);
    expect(await itemsOf(single)).toMatchObject([{ name: "json" }]);
  });

  test("that are deleted are marked, and are the same items when they are back", async () => {
    const table = `customers_${process.pid}`;
    const source = new pg.Client({ host: cluster.host, port: cluster.port, user: cluster.user });
    await source.connect();
    onTestFinished(async () => {
      await source.query(`drop table ${table}`);
      await source.end();
    });
    await source.query(
      `create table ${table} as select i as id, i * 10 as balance from generate_series(1, 3) i`,
    );
    const id = await apply({
      retention: { staleItemAge: "1ms" },
      sql: [
        {
          connection: `postgres://${cluster.user}:sesame@127.0.0.1:${relay.port}/${cluster.user}?sslmode=disable`,
          query: `select id, balance from ${table} order by id`,
          id: "$.id",
          type: "Customer",
        },
      ],
    });
    await ran(id);
    const items = async () =>
      app.db.rows<{
        id: string;
        name: string;
        balance: number;
        reason: string | null;
        is_gone: boolean;
      }>(sql`
        select id, name, (config -> 'balance')::int as balance, delete_reason as reason, deleted_at is not null as is_gone
          from config_items where scraper_id = ${id} order by name`);
    const before = await items();
    expect(before.map(({ is_gone: isGone }) => isGone)).toEqual([false, false, false]);
    await source.query(`delete from ${table} where id = 2`);
    expect((await rerun(id)).details.scrape_summary).toEqual({
      Customer: { added: 0, updated: 0, unchanged: 2, deleted: 1 },
    });
    const marked = before.map((item) =>
      item.name === "2" ? { ...item, is_gone: true, reason: "STALE" } : item,
    );
    expect(await items()).toEqual(marked);
    // What is gone is struck out in lists, and not left out of them.
    const listed = await app.admin.get(
      `/api/db/configs?scraper_id=eq.${id}&deleted_at=not.is.null&select=name`,
    );
    expect(listed.json).toEqual([{ name: "2" }]);
    await source.query(`insert into ${table} values (2, 99)`);
    expect((await rerun(id)).status).toBe("SUCCESS");
    expect(await items()).toEqual(
      before.map((item) => (item.name === "2" ? { ...item, balance: 99 } : item)),
    );
    const changes = sql`
      select c.change_type, c.summary from config_changes c join config_items i on i.id = c.config_id where i.scraper_id = ${id}`;
    expect(await app.db.rows(changes)).toEqual([{ change_type: "diff", summary: "balance" }]);
  });
});

describe.skipIf(!areInstalled("mariadbd", "mariadb-install-db"))("rows of MariaDB", () => {
  let server: MariadbServer;
  beforeAll(async () => {
    const started = await startMariadb();
    if (!started) throw new Error("MariaDB did not start");
    server = started;
  }, 120_000);
  afterAll(() => server.stop());

  test("are items", async () => {
    const id = await apply({
      sql: [
        {
          ...rows,
          connection: `mysql://127.0.0.1:${server.port}/${server.database}`,
          auth: { username: { value: server.user }, password: { value: server.password } },
        },
      ],
    });
    expect(await ran(id)).toMatchObject({ status: "SUCCESS", success_count: 2 });
    expect(await itemsOf(id)).toMatchObject([{ name: "one", type: "Row" }, { name: "two" }]);
  });
});

test("commits of a repository that say odd things are told all the same", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mainstay-repository-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  chmodSync(folder, 0o755);
  const git = (args: string[], env: Record<string, string> = {}) =>
    execFileSync("git", ["-C", folder, ...args], {
      env: {
        ...process.env,
        GIT_AUTHOR_NAME: "Vera",
        GIT_AUTHOR_EMAIL: "vera@example.org",
        GIT_COMMITTER_NAME: "Vera",
        GIT_COMMITTER_EMAIL: "vera@example.org",
        ...env,
      },
    });
  git(["init", "-q", "-b", "main"]);
  const commit = (name: string, subject: string, env?: Record<string, string>) => {
    writeFileSync(join(folder, name), "a: 1\n");
    git(["add", "-A"]);
    git(["commit", "-qm", subject], env);
  };
  commit("größe.yaml", "No letter of ASCII");
  commit("zone.yaml", "A zone that there is nowhere", {
    GIT_AUTHOR_DATE: `${Math.floor(Date.now() / 1000)} +9900`,
  });
  commit("name.yaml", "Marks in the name", { GIT_AUTHOR_NAME: "Ve\u001era" });
  commit("subject.yaml", "Marks in\u001e the subject");
  const id = await apply({ file: [{ url: `git::file://${folder}` }] });
  expect(await ran(id)).toMatchObject({ status: "SUCCESS", success_count: 4 });
  const changes = await app.db.rows(sql`
    select i.name, c.summary, c.external_created_by as who from config_changes c join config_items i on i.id = c.config_id
     where i.scraper_id = ${id} and c.change_type = 'GitCommit' order by i.name collate "C"`);
  const who = "vera@example.org";
  expect(changes).toEqual(
    [
      { name: "größe.yaml", summary: "No letter of ASCII", who },
      { name: "name.yaml", summary: "Marks in the name", who },
      { name: "subject.yaml", summary: expect.stringContaining("the subject"), who },
      { name: "zone.yaml", summary: "A zone that there is nowhere", who },
    ].toSorted((one, other) => Buffer.compare(Buffer.from(one.name), Buffer.from(other.name))),
  );
});

test("a repository with its history, and a folder of this machine", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mainstay-repository-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  // Programs run as somebody else.
  chmodSync(folder, 0o755);
  const git = (...args: string[]) =>
    execFileSync("git", [
      "-C",
      folder,
      "-c",
      "user.name=Vera",
      "-c",
      "user.email=vera@example.org",
      ...args,
    ]);
  git("init", "-q", "-b", "main");
  mkdirSync(join(folder, "conf/deep"), { recursive: true });
  const commit = (replicas: number, subject: string) => {
    writeFileSync(join(folder, "conf/web.json"), JSON.stringify({ replicas }));
    writeFileSync(join(folder, "conf/deep/db.yaml"), "size: 1\n");
    git("add", "-A");
    git("commit", "-qm", subject);
  };
  commit(1, "First");
  const id = await apply({ file: [{ url: `git::file://${folder}//conf` }] });
  expect(await ran(id)).toMatchObject({ status: "SUCCESS", success_count: 2 });
  commit(2, "More of it");
  await again(id);
  expect(await ran(id, 2)).toMatchObject({
    details: { scrape_summary: { File: { updated: 1, unchanged: 1 } } },
  });
  const changes = await app.db.rows(sql`
    select i.name, c.change_type, c.summary, c.external_created_by from config_changes c join config_items i on i.id = c.config_id
     where i.scraper_id = ${id} order by i.name, c.change_type, c.summary`);
  expect(changes).toEqual([
    {
      name: "db.yaml",
      change_type: "GitCommit",
      summary: "First",
      external_created_by: "vera@example.org",
    },
    {
      name: "web.json",
      change_type: "GitCommit",
      summary: "First",
      external_created_by: "vera@example.org",
    },
    {
      name: "web.json",
      change_type: "GitCommit",
      summary: "More of it",
      external_created_by: "vera@example.org",
    },
    { name: "web.json", change_type: "diff", summary: "replicas", external_created_by: null },
  ]);
  writeFileSync(join(folder, "conf/bad.json"), "{");
  const local = await apply({
    file: [{ url: folder, paths: ["conf/*.json"], id: "$.replicas", type: "Local" }],
  });
  const run = await ran(local);
  expect(run).toMatchObject({ status: "WARNING", success_count: 1 });
  expect(run.details.errors).toEqual([
    expect.stringMatching(/^file-0: .*conf\/bad\.json: It is no JSON/) as string,
  ]);
});

test("a type that is not run yet says so, and the others of its document run", async () => {
  answers.set("/ok", () => ({ body: '{"id":"x"}' }));
  const id = await apply({
    slack: [{ token: { value: "t" }, rules: [] }],
    http: [{ url: `${url}/ok`, id: "$.id", type: "X" }],
  });
  const run = await ran(id);
  expect(run).toMatchObject({ status: "WARNING", success_count: 1 });
  expect(run.details.errors).toEqual([expect.stringContaining("slack-0: ") as string]);
});

test("who has a scraper run is on record, and a secret that cannot be read is named", async () => {
  const id = await apply({
    schedule: "@never",
    http: [
      { url: `${url}/kept`, id: "$.id", type: "Kept", bearer: { value: "s3cret-of-a-scraper" } },
    ],
  });
  const lost = { "http[0].bearer": { to: url, lost: "k1" } };
  await app.db.run(
    sql`update config_scrapers set sealed = ${JSON.stringify(lost)}::jsonb where id = ${id}`,
  );
  await again(id);
  const { status, details } = await ran(id);
  expect(status).toBe("FAILED");
  expect(details.errors).toEqual([
    expect.stringContaining("http-0: The stored value of http[0].bearer cannot be used: "),
  ]);
  expect(
    await app.db.rows(sql`
      select verb, table_name, length(after ->> 'sha256') as digits from audit_log where verb = 'run' and row_id = ${id}`),
  ).toEqual([{ verb: "run", table_name: "config_scrapers", digits: 64 }]);
});

test("who may not run scripts on this machine may not save them, and what is deleted takes its items along", async () => {
  const editor = await createPerson(app, "editor");
  const refused = await editor.post("/api/db/config_scrapers", {
    name: "code",
    spec: { exec: [{ script: "id", id: "$.id", type: "T" }] },
  });
  expect([refused.status, refused.text]).toEqual([403, expect.any(String)]);
  const own = await editor.post(
    "/api/db/config_scrapers",
    { name: "own", spec: { schedule: "@never" }, agent_id: editor.id },
    { prefer: "return=representation" },
  );
  expect(own.json[0]).toMatchObject({
    created_by: editor.id,
    source: "UI",
    agent_id: "00000000-0000-0000-0000-000000000000",
  });
  answers.set("/gone", () => ({ body: '{"id":"gone"}' }));
  const id = await apply({ http: [{ url: `${url}/gone`, id: "$.id", type: "Gone" }] });
  await ran(id);
  await app.admin.patch(`/api/db/config_scrapers?id=eq.${id}`, { deleted_at: "now()" });
  const gone = await app.db.rows(
    sql`select delete_reason from config_items where scraper_id = ${id}`,
  );
  expect(gone).toEqual([{ delete_reason: "SCRAPER_DELETED" }]);
});

test("a scraper that is deleted while it scrapes leaves nothing behind", async () => {
  let isDeleted = false;
  const list = (page: number) => Array.from({ length: 600 }, (_, at) => ({ id: `${page}-${at}` }));
  const row = () => sql`select id from config_scrapers where name = 'goes'`;
  // The first page is written when the second is asked for.
  answers.set("/goes/1", () => ({
    body: JSON.stringify({ list: list(1), next: `${url}/goes/2` }),
  }));
  slow.set("/goes/2", async () => {
    const { id } = (await app.db.first<{ id: string }>(row()))!;
    await app.admin.patch(`/api/db/config_scrapers?id=eq.${id}`, { deleted_at: "now()" });
    isDeleted = true;
    return { body: JSON.stringify({ list: list(2) }) };
  });
  const id = await apply(
    {
      http: [
        {
          url: `${url}/goes/1`,
          pagination: { nextPageExpr: "body.?next.orValue('')", perPage: true },
          items: "$.list[*]",
          id: "$.id",
          type: "Goes",
        },
      ],
    },
    "goes",
  );
  const run = await ran(id);
  expect(isDeleted).toBe(true);
  expect(run).toMatchObject({
    status: "WARNING",
    details: { errors: ["http-0: The scraper was deleted while it ran."] },
  });
  expect(
    await app.db.first(
      sql`select count(*)::int as n from config_items where scraper_id = ${id} and deleted_at is null`,
    ),
  ).toEqual({ n: 0 });
});

test("names that nothing can have lead nowhere, and end no scrape", async () => {
  answers.set("/odd", () => ({
    body: JSON.stringify([
      {
        config: { id: "odd\0" },
        changes: [{ change_type: "Deploy", config_id: "other\0", summary: "a" }],
        analysis: [{ analyzer: "a\0", config_id: "else\0", summary: "b" }],
      },
    ]),
  }));
  const id = await apply({
    full: true,
    http: [
      {
        url: `${url}/odd`,
        items: "$[*]",
        id: "$.config.id",
        type: "Odd",
        transform: {
          relationship: [{ type: { value: "Odd" }, name: { expr: "config.id" } }],
        },
      },
    ],
  });
  expect(await ran(id)).toMatchObject({ success_count: 1, status: "SUCCESS" });
});

describe("a text that is only tried", () => {
  const secret = "hunter2-of-a-trial";
  const text = (spec: object, name = "tried") =>
    JSON.stringify({
      apiVersion: "configs.flanksource.com/v1",
      kind: "ScrapeConfig",
      metadata: { name },
      spec,
    });
  const attempt = (who: Pick<TestApp["admin"], "post">, document: string, id?: string) =>
    who.post("/api/catalog/scrapers/run/document", { document, ...(id && { id }) });

  test("says what it finds and what it cannot, and stores nothing", async () => {
    answers.set("/trial", ({ authorization }) => ({
      body: JSON.stringify([
        {
          config: { id: "a", name: "first", said: authorization },
          changes: [{ change_type: "Deploy", severity: "high", summary: "1.2" }],
          analysis: [{ analyzer: "limits", severity: "low", summary: "none" }],
        },
        { config: { name: "nobody" } },
      ]),
    }));
    const before = await app.db.first(sql`select count(*) as n from config_items`);
    const { status, json } = await attempt(
      app.admin,
      text({
        full: true,
        http: [
          {
            url: `${url}/trial`,
            bearer: { value: secret },
            id: "$.config.id",
            name: "$.config.name",
            type: "Tried",
            items: "$[*]",
            transform: { relationship: [{ type: { value: "Tried" }, name: { value: "other" } }] },
          },
        ],
      }),
    );
    expect([status, json.results]).toEqual([
      200,
      [
        {
          scraper: "default/tried",
          complete: false,
          found: { items: 1, changes: 1, insights: 1 },
          items: [
            {
              external_id: "a",
              type: "Tried",
              name: "first",
              health: "unknown",
              status: null,
              tags: {},
              config: expect.objectContaining({ id: "a" }),
            },
          ],
          changes: [
            {
              item: "a",
              change_type: "Deploy",
              severity: "high",
              summary: "1.2",
              created_at: null,
            },
          ],
          insights: [{ item: "a", analyzer: "limits", severity: "low", summary: "none" }],
          relations: [{ from: "a", relation: "related to", to: "name=other type=Tried" }],
          errors: [expect.stringContaining("id: $.config.id finds nothing")],
          warnings: [],
        },
      ],
    ]);
    expect(JSON.stringify(json)).not.toContain(secret);
    expect(await app.db.first(sql`select count(*) as n from config_items`)).toEqual(before);
    expect(
      await app.db.first(sql`
        select verb, row_id, after ->> 'refused' as refused from audit_log
         where verb = 'dry_run' and row_id = 'default/tried' order by created_at desc limit 1`),
    ).toEqual({ verb: "dry_run", row_id: "default/tried", refused: "false" });
  });

  test("of much a little is kept and shown", async () => {
    const long = "x".repeat(50_000);
    answers.set("/much", () => ({
      body: JSON.stringify(
        Array.from({ length: 130 }, (_, at) => ({
          config: { id: `${at}`, ...(at === 1 && { long }) },
          changes: [{ change_type: long, summary: long, details: { long } }],
          analysis: [{ analyzer: long, message: long }],
        })),
      ),
    }));
    const {
      status,
      json,
      text: answer,
    } = await attempt(
      app.admin,
      text({
        full: true,
        http: [{ url: `${url}/much`, items: "$[*]", id: "$.config.id", type: "Much" }],
      }),
    );
    expect([status, json.results[0].found]).toEqual([
      200,
      { items: 130, changes: 130, insights: 130 },
    ]);
    const [trial] = json.results;
    expect([trial.items.length, trial.changes.length, trial.insights.length]).toEqual([
      100, 100, 100,
    ]);
    const having = trial.items.flatMap((item: object, at: number) =>
      "config" in item ? [at] : [],
    );
    expect(having).toEqual([0, ...Array.from({ length: 18 }, (_, at) => at + 2)]);
    expect(answer.length).toBeLessThan(600_000);
  });

  test("uses the stored secret of its scraper, and of no other address", async () => {
    answers.set("/kept", ({ authorization }) => ({
      body: JSON.stringify([{ id: authorization === `Bearer ${secret}` ? "let in" : "kept out" }]),
    }));
    const spec = (address: string, value: string) => ({
      schedule: "@never",
      http: [
        {
          url: address,
          bearer: { value },
          id: "$.id",
          type: "Kept",
          items: "$[*]",
        },
      ],
    });
    const id = await apply(spec(`${url}/kept`, secret), "keeper");
    const shown = "********";
    const filled = await attempt(app.admin, text(spec(`${url}/kept`, shown)), id);
    expect(filled.json.results[0].items.map((one: { name: string }) => one.name)).toEqual([
      "let in",
    ]);
    const moved = await attempt(app.admin, text(spec("http://127.0.0.1:1/kept", shown)), id);
    expect([moved.status, moved.json.error]).toEqual([
      400,
      expect.stringContaining("The document was not run."),
    ]);
  });

  test("is refused to those who may not save it", async () => {
    const editor = await createPerson(app, "editor");
    const viewer = await createPerson(app, "viewer");
    const program = text({ exec: [{ script: "id", id: "a", type: "b" }] });
    expect((await attempt(viewer, program)).status).toBe(403);
    const { status, json } = await attempt(editor, program);
    expect([status, json.error]).toEqual([403, expect.stringContaining("exec")]);
    expect((await attempt(app.admin, text({ http: [{ id: "a" }] }))).status).toBe(400);
    // Nor does a stored value do for them what they may not write.
    const cluster = (value: string) => ({
      schedule: "@never",
      kubernetes: [{ clusterName: "own", kubeconfig: { value } }],
    });
    const id = await apply(cluster("/root/.kube/config"), "own-cluster");
    const stored = await attempt(editor, text(cluster("********")), id);
    expect([stored.status, stored.json.results]).toEqual([403, undefined]);
  });
});

test("what is wrong with a document is told with its place", async () => {
  const text =
    "apiVersion: configs.flanksource.com/v1\nkind: ScrapeConfig\nmetadata: {name: bad}\nspec:\n  http:\n    - url: http://x\n      id: $.id\n      type: T\n      transform:\n        expr: 'config.('\n";
  const reply = await app.admin.post("/api/documents", text, {
    "content-type": "application/yaml",
  });
  expect(reply.status).toBe(400);
  expect(reply.text).toContain("transform.expr: cel:1");
});
