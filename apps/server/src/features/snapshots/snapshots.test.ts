import { parse } from "csv-parse/sync";
import { Parser } from "htmlparser2";
import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createLog } from "#platform/log.ts";
import { startTestApp, type TestApp } from "../../testing/app.ts";
import { createPerson, type TestPerson } from "../../testing/people.ts";
import { componentSnapshot } from "./kinds/topology.ts";
import { takeSnapshot } from "./take-snapshot.ts";
import { readZip } from "./testing/read-zip.ts";

let app: TestApp;
const logged: string[] = [];
let viewer: TestPerson;
const ids = new Map<string, string>();
const idOf = (name: string) => {
  const known = ids.get(name);
  if (known) return known;
  const made = `0190a0b4-0000-7000-8000-${String(ids.size + 1).padStart(12, "0")}`;
  ids.set(name, made);
  return made;
};
const script = `<script>window.ran=1</script><img src="https://evil.example/x" onerror='ran=1'>`;

const addComponent = (
  name: string,
  more: { parent?: string; shown?: string; deleted?: string } = {},
) =>
  app.db.run(sql`
    insert into components (id, external_id, name, type, parent_id, status, health, created_at, deleted_at, properties)
    values (${idOf(name)}, ${name}, ${more.shown ?? name}, 'App', ${more.parent ? idOf(more.parent) : null}, 'healthy', 'healthy',
            now() - interval '1 day', now() - ${more.deleted ?? null}::interval, '[{"name": "password", "text": "hunter2"}]')`);
const addItem = (name: string, config: object = {}) =>
  app.db.run(sql`
    insert into config_items (id, name, type, config_class, config, created_at)
    values (${idOf(name)}, ${name}, 'Test::Item', 'Item', ${JSON.stringify(config)}, now() - interval '1 day')`);
const addChange = (item: string, ago: string, summary: string, diff = "") =>
  app.db.run(sql`
    insert into config_changes (config_id, change_type, severity, summary, diff, created_at)
    values (${idOf(item)}, 'diff', 'info', ${summary}, ${diff}, now() - ${ago}::interval)`);

const fetchBytes = (
  path: string,
  { person = viewer, signal }: { person?: TestPerson; signal?: AbortSignal } = {},
) =>
  fetch(app.address + path, {
    headers: { "x-session-token": person.token },
    ...(signal && { signal }),
  });
const take = async (path: string) => {
  const reply = await fetchBytes(`/api/snapshot/${path}`);
  expect([reply.status, reply.headers.get("content-type")]).toEqual([200, "application/zip"]);
  return readZip(new Uint8Array(await reply.arrayBuffer()));
};
const rows = (files: Record<string, string>, name: string) =>
  JSON.parse(files[`${name}.json`]!) as Record<string, unknown>[];
const names = (files: Record<string, string>, name: string, key = "name") =>
  rows(files, name).map((row) => row[key] as string);

/** shop(api(pod, gone-lately, gone-long), web); api is linked with the deployment, which the cluster holds. */
beforeAll(async () => {
  const log = createLog("error", { write: (line) => logged.push(line) });
  app = await startTestApp({ role: "api" }, { log });
  viewer = await createPerson(app, "viewer");
  await addComponent("shop", { shown: `shop ${script}` });
  await addComponent("api", { parent: "shop", shown: '=HYPERLINK("https://evil.example")' });
  await addComponent("pod", { parent: "api" });
  await addComponent("gone-lately", { parent: "api", deleted: "5 minutes" });
  await addComponent("gone-long", { parent: "api", deleted: "2 hours" });
  await addComponent("web", { parent: "shop" });
  await addComponent("elsewhere");
  await app.db.run(sql`
    insert into component_relationships (relationship_id, component_id, selector_id, created_at)
    values (${idOf("elsewhere")}, ${idOf("pod")}, 'test', now() - interval '1 day')`);
  await addItem("deployment", {
    env: [
      { name: "DB_PASSWORD", value: "hunter2" },
      { name: "LOG_LEVEL", value: "debug" },
    ],
    url: "postgres://ann:hunter2@db/shop",
    note: "password = hunter2",
    data: { apiKey: "hunter2", list: [{ client_secret: { deep: "hunter2" } }] },
  });
  await addItem("cluster");
  await addItem("other");
  await app.db.run(sql`
    insert into config_relationships (config_id, related_id, relation, created_at)
    values (${idOf("cluster")}, ${idOf("deployment")}, 'hard', now() - interval '1 day')`);
  await app.db.run(sql`
    insert into config_component_relationships (component_id, config_id, selector_id, created_at)
    values (${idOf("api")}, ${idOf("deployment")}, 'manual', now() - interval '1 day')`);
  await app.db.run(sql`
    with canary as (insert into canaries (name, namespace, spec) values ('c', 'default', '{}') returning id),
         made as (insert into checks (id, canary_id, type, name, status, created_at)
                  select ${idOf("ping")}, id, 'tcp', 'ping', 'unhealthy', now() - interval '1 day' from canary returning id, canary_id)
    insert into check_component_relationships (component_id, check_id, canary_id, selector_id, created_at)
    select ${idOf("pod")}, id, canary_id, 's', now() - interval '1 day' from made`);
  await app.db.run(sql`
    insert into check_statuses (check_id, time, status, duration, message, error)
    select ${idOf("ping")}, now() - n * interval '1 minute', n % 2 = 0, n, '@SUM(1)', 'Authorization: Bearer hunter2token'
      from generate_series(1, 30) n`);
  await addChange("deployment", "10 minutes", "+scaled", "-  password: hunter2\n+  replicas: 3\n");
  await addChange("deployment", "3 hours", "long ago");
  await addChange("other", "1 minute", "elsewhere");
  await app.db.run(sql`
    insert into config_analysis (config_id, analyzer, analysis_type, severity, summary, status, first_observed, last_observed)
    values (${idOf("deployment")}, 'z', 'security', 'high', 'open since long', 'open', now() - interval '9 days', null),
           (${idOf("deployment")}, 'y', 'cost', 'low', 'resolved long ago', 'resolved', now() - interval '9 days', now() - interval '8 days')`);
});
afterAll(() => app.stop());

test("a component comes with all that hangs on it in the last quarter of an hour", async () => {
  const reply = await fetchBytes(`/api/snapshot/topology/${idOf("api")}`);
  const disposition = reply.headers.get("content-disposition");
  expect(disposition).toContain('filename="=HYPERLINK(_https:__evil.example_)-snapshot.zip"');
  const files = await readZip(new Uint8Array(await reply.arrayBuffer()));
  expect(Object.keys(files)).toEqual(
    ["components", "checks", "check_statuses", "config_items", "config_changes", "config_analysis"]
      .flatMap((name) => [`${name}.json`, `${name}.csv`])
      .concat("index.html"),
  );
  expect(names(files, "components").slice(1).toSorted()).toEqual(["gone-lately", "pod"]);
  expect(names(files, "checks")).toEqual(["ping"]);
  // Those of the last 15 minutes, the newest first.
  expect(names(files, "check_statuses", "duration")).toEqual(
    Array.from({ length: 14 }, (_, n) => n + 1),
  );
  expect(names(files, "config_items")).toEqual(["deployment"]);
  expect(names(files, "config_changes", "summary")).toEqual(["+scaled"]);
  expect(names(files, "config_analysis", "summary")).toEqual(["open since long"]);
});

test("its range may begin and end at any time", async () => {
  const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const files = await take(`topology/${idOf("api")}?start=${at(240)}&end=now-25m`);
  expect(names(files, "config_changes", "summary")).toEqual(["long ago"]);
  expect(rows(files, "check_statuses").length).toBeGreaterThan(3);
  expect(names(files, "components")).toContain("gone-long");
});

test("with what is related there are parents, other holders and the items around", async () => {
  const files = await take(`topology/${idOf("api")}?related=true&start=1h`);
  expect(names(files, "components").toSorted()).toEqual(
    [
      '=HYPERLINK("https://evil.example")',
      "elsewhere",
      "gone-lately",
      "pod",
      `shop ${script}`,
    ].toSorted(),
  );
  expect(names(files, "config_items").toSorted()).toEqual(["cluster", "deployment"]);
});

test("an item comes with its components, and with the items around it when these are wanted", async () => {
  const files = await take(`config/${idOf("deployment")}`);
  expect([names(files, "config_items"), rows(files, "components").length]).toEqual([
    ["deployment"],
    1,
  ]);
  const more = await take(`config/${idOf("cluster")}?related=true`);
  expect(names(more, "config_items").toSorted()).toEqual(["cluster", "deployment"]);
});

test("no cell of a sheet is a formula, and each column is there", async () => {
  const files = await take(`topology/${idOf("shop")}?start=1h`);
  for (const [name, text] of Object.entries(files).filter(([file]) => file.endsWith(".csv"))) {
    const table = parse(text, { columns: true }) as Record<string, string>[];
    expect([name, table.length]).toEqual([name, rows(files, name.slice(0, -4)).length]);
    expect([
      name,
      table.flatMap((row) => Object.values(row).filter((cell) => /^[=+\-@\t\r]/.test(cell))),
    ]).toEqual([name, []]);
  }
  expect(files["config_changes.csv"]).toContain("'+scaled");
  expect(files["components.csv"]).toContain("'=HYPERLINK");
  expect(files["check_statuses.csv"]).toContain("'@SUM(1)");
});

test("its page runs and loads nothing, whatever things are called", async () => {
  const { "index.html": page } = await take(`topology/${idOf("shop")}?start=1h`);
  expect(page).toContain("&lt;script&gt;window.ran=1&lt;/script&gt;");
  const tags = new Set<string>();
  const attributes = new Map<string, Set<string>>();
  const parser = new Parser({
    onopentag(name, given) {
      tags.add(name);
      for (const [key, value] of Object.entries(given))
        attributes.set(key, (attributes.get(key) ?? new Set()).add(value));
    },
  });
  parser.end(page);
  const known =
    "html head meta title style body h1 h2 p bdi time ul li div table thead tbody tr th td a";
  expect([...tags].filter((tag) => !known.split(" ").includes(tag))).toEqual([]);
  expect([...attributes.keys()].toSorted()).toEqual(
    ["charset", "class", "content", "datetime", "href", "http-equiv", "lang", "name"].toSorted(),
  );
  expect([...attributes.get("href")!].filter((to) => !/^\w+\.(json|csv)$/.test(to))).toEqual([]);
  const policy = /content="(default-src[^"]*)"/.exec(page!)![1];
  expect(policy).toMatch(/^default-src &#39;none&#39;; style-src &#39;sha256-/);
  expect(page).toContain("<td>30</td>");
});

test("what a name says to be secret is in none of its files", async () => {
  const files = await take(`topology/${idOf("shop")}?start=1d`);
  expect(
    Object.entries(files)
      .filter(([, text]) => text.includes("hunter2"))
      .map(([name]) => name),
  ).toEqual([]);
  // Nothing was looked for in vain: the rest of the same texts is there.
  expect(files["config_changes.json"]).toContain("replicas: 3");
  expect(rows(files, "config_items")[0]!.config).toEqual({
    env: [
      { name: "DB_PASSWORD", value: "********" },
      { name: "LOG_LEVEL", value: "debug" },
    ],
    url: "postgres://ann:********@db/shop",
    note: "password = ********",
    data: { apiKey: "********", list: [{ client_secret: { deep: "********" } }] },
  });
});

test.each([
  [`topology/0190a0b4-0000-7000-8000-00000000dead`, 404, "There is no such component."],
  [`config/0190a0b4-0000-7000-8000-00000000dead`, 404, "There is no such item."],
  [
    "incident/0190a0b4-0000-7000-8000-00000000dead",
    404,
    'There are no snapshots of "incident": there are those of topology and config.',
  ],
  ["topology/nonsense", 400, "This is not an id."],
  ["topology/ID?start=1h&end=2h", 400, "The range ends before it begins."],
  ["topology/ID?start=in%201h", 400, "is not a time"],
  ["topology/ID?end=%3Cscript%3E", 400, "is not a time"],
  ["topology/ID?related=maybe", 400, "It is true or false."],
  ["topology/ID?logFormat=xml", 400, "It is log or json."],
])("%s is answered with %i", async (path, status, message) => {
  const reply = await viewer.get(`/api/snapshot/${path.replace("ID", idOf("shop"))}`);
  expect([reply.status, reply.json.error]).toEqual([status, expect.stringContaining(message)]);
});

test("nobody gets one without signing in, and only its head when only that is asked for", async () => {
  expect((await app.nobody.get(`/api/snapshot/topology/${idOf("shop")}`)).status).toBe(401);
  const head = await viewer.request("HEAD", `/api/snapshot/topology/${idOf("shop")}`);
  expect([head.status, head.text]).toEqual([200, ""]);
});

test("what its asker may not read is left out, and the page says so", async () => {
  const ctx = app.app.ctx.as({ kind: "anonymous", readOnly: true, resources: ["topologies"] });
  const now = new Date();
  const snapshot = await takeSnapshot(ctx, {
    kind: componentSnapshot,
    id: idOf("shop"),
    range: { start: new Date(now.getTime() - 3_600_000), end: now },
    withRelated: false,
    spent: () => undefined,
    signal: ctx.signal,
  });
  const files = await readZip(Buffer.concat(await snapshot.content().toArray()));
  expect(Object.keys(files)).toEqual(["components.json", "components.csv", "index.html"]);
  expect(files["index.html"]).toContain(
    "<li>Changes: you do not have permission to read them.</li>",
  );
});

/** Statements of snapshots that wait for a lock; only the same account sees what they say. */
const waiting = () =>
  app.db.rows<{ pid: number }>(sql`
    select pid from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and query like '%config_changes%'`);

describe("one that is given up half-way", () => {
  test("stops its query, gives its connection back and makes room for the next", async () => {
    await app.owner.transaction(async (tx) => {
      await tx.raw("lock table config_changes in access exclusive mode");
      const gone = new AbortController();
      const reply = await fetchBytes(`/api/snapshot/topology/${idOf("shop")}`, {
        signal: gone.signal,
      });
      // It has begun, and stands where the changes are read.
      await vi.waitFor(async () => expect(await waiting()).toHaveLength(1), { timeout: 8_000 });
      expect(app.db.pool.idleCount).toBe(app.db.pool.totalCount - 1);
      gone.abort();
      await expect(reply.arrayBuffer()).rejects.toThrow();
      await vi.waitFor(
        async () => {
          expect(await waiting()).toEqual([]);
          expect(app.db.pool.idleCount).toBe(app.db.pool.totalCount);
        },
        { timeout: 8_000 },
      );
    });
    const files = await take(`topology/${idOf("shop")}`);
    expect(Object.keys(files)).toContain("index.html");
  });

  test("stops a look into the log store as well, long before that would end by itself", async () => {
    await app.owner.run(
      sql`update components set log_selectors = '[{"name": "main"}]' where id = ${idOf("shop")}`,
    );
    const looking = () =>
      app.db.rows(sql`
        select pid from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query like '%log_lines%'`);
    try {
      await app.owner.transaction(async (tx) => {
        await tx.raw("lock table log_lines in access exclusive mode");
        const gone = new AbortController();
        const reply = await fetchBytes(`/api/snapshot/topology/${idOf("shop")}`, {
          signal: gone.signal,
        });
        await vi.waitFor(async () => expect((await looking()).length).toBeGreaterThan(0), {
          timeout: 8_000,
        });
        gone.abort();
        await expect(reply.arrayBuffer()).rejects.toThrow();
        // By itself it ends after eight seconds.
        await vi.waitFor(
          async () => {
            expect(await looking()).toEqual([]);
            expect(app.db.pool.idleCount).toBe(app.db.pool.totalCount);
          },
          { timeout: 4_000 },
        );
      });
    } finally {
      await app.owner.run(
        sql`update components set log_selectors = null where id = ${idOf("shop")}`,
      );
    }
  });

  test("a person has one at a time", async () => {
    await app.owner.transaction(async (tx) => {
      await tx.raw("lock table config_changes in access exclusive mode");
      const gone = new AbortController();
      const ask = () =>
        fetchBytes(`/api/snapshot/topology/${idOf("shop")}`, { signal: gone.signal });
      const begun = await ask();
      await vi.waitFor(async () => expect(await waiting()).toHaveLength(1), { timeout: 8_000 });
      const queued = [ask(), ask()].map((reply) => reply.catch((error: Error) => error.name));
      const refused = async () => {
        const reply = await viewer.get(`/api/snapshot/topology/${idOf("shop")}`);
        return reply.status;
      };
      await vi.waitFor(async () => expect(await refused()).toBe(429), { timeout: 8_000 });
      expect(await waiting()).toHaveLength(1);
      gone.abort();
      await begun.arrayBuffer().catch(() => undefined);
      expect(await Promise.all(queued)).toEqual(["AbortError", "AbortError"]);
    });
  });
});

test("what fails in the middle is no zip", async () => {
  await app.owner.raw("alter table config_analysis rename to elsewhere");
  try {
    const reply = await fetchBytes(`/api/snapshot/topology/${idOf("shop")}`);
    expect(reply.status).toBe(200);
    await expect(reply.arrayBuffer()).rejects.toThrow("terminated");
    expect(logged.join("")).toContain('relation \\"config_analysis\\" does not exist');
  } finally {
    await app.owner.raw("alter table elsewhere rename to config_analysis");
  }
});

describe("log lines", () => {
  const selectors = [
    { name: "main", labels: { app: "{{.self.name}}" } },
    { name: "jobs", labels: { app: "jobs of {{.self.name}}" } },
    { name: "main", labels: { app: "another" } },
    { labels: { app: "nobody can ask for it" } },
    { name: "broken", labels: { app: "{{.x" } },
  ];
  const linesOf = (files: Record<string, string>, ending: string) =>
    Object.entries(files).filter(([name]) => name.startsWith("logs-") && name.endsWith(ending));

  beforeAll(async () => {
    await addComponent("talker", { shown: "talk/er" });
    await app.db.run(sql`
      update components set log_selectors = ${JSON.stringify(selectors)}::jsonb where id = ${idOf("talker")}`);
    const editor = await createPerson(app, "editor");
    const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
    const sent = await editor.post("/api/logs/ingest", [
      {
        time: ago(3),
        level: "error",
        msg: "it broke",
        labels: { app: "talk/er", password: "hunter2" },
      },
      {
        time: ago(2),
        msg: `Authorization: Bearer hunter2token ${script}`,
        labels: { app: "talk/er" },
      },
      { time: ago(90), msg: "long before", labels: { app: "talk/er" } },
      { time: ago(1), msg: "of a job", labels: { app: "jobs of talk/er" } },
      { time: ago(1), msg: "of nobody here", labels: { app: "another" } },
    ]);
    expect(sent.json).toMatchObject({ accepted: 5 });
  });

  test("of a component stand in a file for each of its selectors", async () => {
    const files = await take(`topology/${idOf("talker")}`);
    const texts = linesOf(files, ".log");
    expect(texts.map(([name]) => name)).toEqual(
      Array.from({ length: 3 }, () => expect.stringMatching(/^logs-App-talk_er-[0-9a-f]{8}\.log$/)),
    );
    expect(texts.map(([, text]) => text.replaceAll(/^\S+ /gm, ""))).toEqual([
      `Authorization: ********\nERROR it broke\n`,
      "of a job\n",
      "",
    ]);
    const { "index.html": page } = files;
    expect(page).toContain("Log lines of talk/er (jobs)");
    expect(page).toContain("Not all lines could be read: The log selector of the component");
    expect(page).not.toContain("<script");
    expect(JSON.stringify(files)).not.toContain("hunter2");
  });

  test("can be had as JSON, of any range", async () => {
    const files = await take(`topology/${idOf("talker")}?logFormat=json&start=2h`);
    const [main, jobs, broken] = linesOf(files, ".json").map(
      ([, text]) => JSON.parse(text) as { message: string; labels: object }[],
    );
    expect(main!.map(({ message }) => message)).toEqual([
      "Authorization: ********",
      "it broke",
      "long before",
    ]);
    expect(main![1]!.labels).toMatchObject({ app: "talk/er", password: "********" });
    expect([jobs!.length, broken]).toEqual([1, []]);
  });

  test("of a backend that does not answer are missing, and the rest is there", async () => {
    const admin = await createPerson(app, "admin");
    const spec = { backends: [{ loki: { url: "http://127.0.0.1:9" }, labels: { app: "x" } }] };
    const added = await admin.post("/api/db/logging_backends", {
      name: "silent",
      spec,
      created_by: admin.id,
    });
    expect(added.status).toBe(201);
    const files = await take(`topology/${idOf("talker")}`);
    expect(linesOf(files, ".log")[1]![1]).toContain("of a job");
    expect(files["index.html"]).toMatch(/silent[^<]*: [^<]+/);
    await app.db.run(sql`delete from logging_backends where name = 'silent'`);
  });

  test("are not for who may not read them", async () => {
    const ctx = app.app.ctx.as({ kind: "anonymous", readOnly: true, resources: ["topologies"] });
    const now = new Date();
    const snapshot = await takeSnapshot(ctx, {
      kind: componentSnapshot,
      id: idOf("talker"),
      range: { start: new Date(now.getTime() - 3_600_000), end: now },
      withRelated: false,
      spent: () => undefined,
      signal: ctx.signal,
    });
    const files = await readZip(Buffer.concat(await snapshot.content().toArray()));
    expect(linesOf(files, ".log")).toEqual([]);
    expect(files["index.html"]).toContain(
      "<li>Log lines: you do not have permission to read them.</li>",
    );
  });
});
