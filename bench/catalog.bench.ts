// The catalog's reads over 200,000 items, 1,000,000 relationships, 5,000,000 changes of 90 days and 100,000 insights,
// over HTTP and beside the statement that an engineer would write by hand for the same rows. Loading takes minutes:
// `npm run bench catalog -- /srv/mainstay-bench-catalog` keeps the database there and uses it again; remove it when you
// are done. A second argument, a regular expression, chooses cases by their names.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { APPLICATION, OWNER, startEmbeddedPostgres } from "@mainstay/embedded-postgres";
import sql, { raw } from "sql-template-tag";
import { createApp } from "../apps/server/src/app.ts";
import { openDatabase } from "../apps/server/src/platform/db/database.ts";
import { createLog } from "../apps/server/src/platform/log.ts";
import { readConfig } from "../apps/server/src/settings.ts";
import { loadCatalog, standardSizes } from "./catalog-fixture.ts";
import { percentile } from "./http-target.ts";

const [kept, only = ""] = process.argv.slice(2);
const rounds = 20;
const place = kept ?? mkdtempSync("/tmp/mainstay-bench-");
if (!existsSync(place)) mkdirSync(place, { recursive: true });
chmodSync(place, 0o755);
const access = join(place, "pg_hba.conf");
writeFileSync(access, `local all ${OWNER},${APPLICATION} scram-sha-256\nlocal all all trust\n`, {
  mode: 0o644,
});
const log = createLog("error");
const server = await startEmbeddedPostgres({
  dataDir: join(place, "data"),
  log: { debug() {}, info() {}, error: (fields, message) => log.error(fields, message) },
  settings: [`hba_file=${access}`],
});
const open = (connection: typeof server.connection) =>
  openDatabase({ connection, applicationName: "bench", onError: (error) => log.error(error) });
const db = open(server.connection);
const owner = open(server.owner);
const superuser = open({ ...server.connection, user: "postgres", password: "" });
const consoleDirectory = mkdtempSync("/tmp/mainstay-bench-console-");
const config = readConfig(
  {
    port: "0",
    selfChecks: "false",
    logLevel: "error",
    role: "api",
    encryptionKey: Buffer.alloc(32, 1).toString("base64"),
  },
  {},
);
const app = await createApp({ config, db, owner, log, consoleDirectory });
await app.listen();
const session = await app.createLocalSession();
const [loaded] = await superuser.rows<{ n: number }>(sql`select count(*) as n from config_items`);
if (loaded?.n === 0) await loadCatalog(superuser, standardSizes, (what) => console.log(what));

const sizes = await superuser.rows<{
  name: string;
  rows: number;
  heap: string;
  indexes: string;
}>(sql`
  select relname as name, reltuples::bigint as rows, pg_size_pretty(pg_table_size(oid)) as heap,
         pg_size_pretty(pg_indexes_size(oid)) as indexes
    from pg_class where relkind = 'r' and relname like 'config\_%' and pg_total_relation_size(oid) > 1e6
   order by pg_total_relation_size(oid) desc`);
for (const { name, rows, heap, indexes } of sizes)
  console.log(
    `${name.padEnd(28)} ${String(rows).padStart(9)} rows ${heap.padStart(9)} and indexes ${indexes}`,
  );

interface Case {
  name: string;
  /** Of p95, in milliseconds. */
  budget?: number;
  path: string;
  body?: object;
  /** With how many there are in all, as lists in pages ask. */
  isCounted?: boolean;
  bare: string;
}

const one = async (text: string) =>
  (await superuser.first<{ id: string }>(sql`${raw(text)}`))?.id ?? "";
const pod = await one(
  "select id from config_items where type = 'Kubernetes::Pod' and deleted_at is null order by name limit 1",
);
const workload = await one(
  "select id from config_items where type = 'Kubernetes::Deployment' order by name limit 1",
);
const namespace = await one(
  "select id from config_items where type = 'Kubernetes::Namespace' order by name limit 1",
);

const columns =
  "id,type,config_class,status,health,labels,name,tags,created_at,updated_at,deleted_at,cost_per_minute,cost_total_1d,cost_total_7d,cost_total_30d,changes,analysis,agent:agents(id,name)";
const plain =
  "id,type,config_class,status,health,labels,name,tags,created_at,updated_at,deleted_at,cost_per_minute,cost_total_1d,cost_total_7d,cost_total_30d";
const list = `/api/db/configs?select=${columns}`;
const like = (text: string) =>
  `or=(name.ilike.*${text}*,type.ilike.*${text}*,description.ilike.*${text}*,namespace.ilike.*${text}*)`;
const bareLike = (text: string) =>
  `select ${plain} from config_items where deleted_at is null and (name ilike '%${text}%' or type ilike '%${text}%' or description ilike '%${text}%' or tags ->> 'namespace' ilike '%${text}%')`;
const summary = {
  deleted: false,
  changes: { since: "30d" },
  analysis: { since: "30d" },
  cost: "30d",
};
const changes = { page_size: 200, sort_by: "-created_at", recursive: "none" };
const alive = "join config_items i on i.id = c.config_id and i.deleted_at is null";
const lastWeek = "c.created_at > now() - interval '7 days'";
const bareChanges = (where: string, ids = "") =>
  `select (select count(*) from config_changes c ${alive} where ${lastWeek} ${where}),
          (select json_agg(p) from (select c.*, i.name from config_changes c ${alive} where ${lastWeek} ${where} ${ids} order by c.created_at desc limit 200) p)`;
/** A page of changes as the console asks for it, which counts them with its strip; and, as others do, with how many there are. */
const ofChanges = (name: string, asked: object, bare: string): Case[] => {
  const path = "/api/catalog/changes";
  const budget = 150;
  const body = { ...changes, ...asked };
  return [
    {
      name,
      budget,
      path,
      body: { ...body, total: false },
      bare: bare.replace(/^select \([^]*?\),\n/, "select"),
    },
    { name: `${name}, counted`, budget, path, body, bare },
  ];
};
const tree = (id: string) => `
  with recursive down as (
    select '${id}'::uuid as id, 0 as depth
    union
    select r.related_id, down.depth + 1 from down join config_relationships r on r.config_id = down.id and r.deleted_at is null where down.depth < 10)
  select ${plain} from config_items where id in (select id from down)`;
const related = (id: string) =>
  `/api/db/rpc/related_configs_recursive?config_id=${id}&include_deleted_configs=false&max_depth=10&type_filter=outgoing&outgoing_relation=both`;

/** What somebody types above the list, and the same in SQL. */
const typed: readonly (readonly [text: string, where: string, budget?: number])[] = [
  ["type=Kubernetes::Pod", "type = 'Kubernetes::Pod'", 100],
  [
    "type=pod health!=healthy",
    "type = 'Kubernetes::Pod' and health is distinct from 'healthy'",
    100,
  ],
  ["health=unhealthy", "health = 'unhealthy'", 100],
  [
    "tag:cluster=cluster-3 tag:namespace=ns-42",
    `tags @> '{"cluster":"cluster-3","namespace":"ns-42"}'`,
    100,
  ],
  [
    "type=pod health!=healthy tag:cluster=cluster-3 name*=payments",
    `type = 'Kubernetes::Pod' and health is distinct from 'healthy' and tags @> '{"cluster":"cluster-3"}' and name ilike '%payments%'`,
    100,
  ],
  [
    "payments-00",
    "(name ilike '%payments-00%' or type ilike '%payments-00%' or description ilike '%payments-00%' or tags ->> 'namespace' ilike '%payments-00%')",
    100,
  ],
  [
    '"nowhere at all"',
    "(name ilike '%nowhere at all%' or type ilike '%nowhere at all%' or description ilike '%nowhere at all%' or tags ->> 'namespace' ilike '%nowhere at all%')",
    100,
  ],
  ["name=payments*", "lower(name) collate \"C\" like 'payments%'", 100],
  [
    "changed>now-1h",
    "exists (select from config_changes c where c.config_id = i.id and c.created_at > now() - interval '1 hour')",
    100,
  ],
  [
    "changes>50",
    "id in (select config_id from config_change_totals group by 1 having sum(total) > 50)",
  ],
  [
    "insights>2",
    "id in (select config_id from config_analysis where status = 'open' group by 1 having count(*) > 2)",
  ],
  [
    "insight=security severity=critical",
    "exists (select from config_analysis a where a.config_id = i.id and a.status = 'open' and a.analysis_type = 'security') and exists (select from config_analysis a where a.config_id = i.id and a.status = 'open' and a.severity = 'critical')",
  ],
  ["cost>100", "cost_total_30d > 100"],
  ["updated>now-2h", "updated_at > now() - interval '2 hours'"],
  ["labels.app=payments", "labels ->> 'app' = 'payments'"],
  ["has:owner", "true"],
  ["is:unowned", "true"],
  ["config.spec.replicas>2", "(config #>> '{spec,replicas}')::numeric > 2"],
];

const cases: Case[] = [
  {
    name: "summary by type",
    path: "/api/catalog/summary",
    body: { ...summary, groupBy: ["type"] },
    bare: "select type, health, count(*), max(updated_at) from config_items where deleted_at is null group by 1, 2",
  },
  {
    name: "summary by tag",
    path: "/api/catalog/summary",
    body: { ...summary, groupBy: ["namespace"] },
    bare: "select tags ->> 'namespace', health, count(*), max(updated_at) from config_items where deleted_at is null group by 1, 2",
  },
  {
    name: "list of a type, 1,000 items",
    budget: 100,
    path: `${list}&type=eq.Kubernetes::Namespace&deleted_at=is.null&order=name.asc`,
    bare: `select ${plain} from config_items where type = 'Kubernetes::Namespace' and deleted_at is null order by name`,
  },
  {
    name: "list of a type, first 1,000 of many",
    budget: 100,
    path: `${list}&type=eq.Kubernetes::Pod&deleted_at=is.null&order=name.asc&limit=1000`,
    bare: `select ${plain} from config_items where type = 'Kubernetes::Pod' and deleted_at is null order by name limit 1000`,
  },
  {
    name: "search, few found",
    budget: 100,
    path: `${list}&${like("payments-00")}&deleted_at=is.null`,
    bare: bareLike("payments-00"),
  },
  {
    name: "search, nothing found",
    budget: 100,
    path: `${list}&${like("nowhere at all")}&deleted_at=is.null`,
    bare: bareLike("nowhere at all"),
  },
  {
    name: "search, first 1,000 of many",
    budget: 100,
    path: `${list}&${like("payments")}&deleted_at=is.null&limit=1000`,
    bare: `${bareLike("payments")} limit 1000`,
  },
  ...typed.map(([text, where, budget]): Case => ({
    name: `typed: ${text}`,
    ...(budget !== undefined && { budget }),
    path: `${list}&deleted_at=is.null&order=type.asc,name.asc,id.asc&limit=200&search=${encodeURIComponent(text)}`,
    bare: `select ${plain} from config_items i where i.deleted_at is null and ${where} order by type, name, id limit 200`,
  })),
  // What is inside of every configuration is not counted: it is cut off after five seconds.
  ...typed
    .filter(([text]) => !text.startsWith("config."))
    .map(([text, where]): Case => ({
      name: `counted: ${text}`,
      isCounted: true,
      path: `/api/db/configs?select=id&deleted_at=is.null&limit=0&search=${encodeURIComponent(text)}`,
      bare: `select count(*) from config_items i where i.deleted_at is null and ${where}`,
    })),
  ...(
    ["config_tags", "config_labels", "config_types", "config_statuses", "change_types"] as const
  ).map((view): Case => ({ name: view, path: `/api/db/${view}`, bare: `select * from ${view}` })),
  ...ofChanges("changes, 7 days", {}, bareChanges("")),
  ...ofChanges(
    "changes by type",
    { type: "BackOff,OOMKilled" },
    bareChanges("and c.change_type in ('BackOff', 'OOMKilled')"),
  ),
  ...ofChanges(
    "changes by severity",
    { severity: "high" },
    bareChanges("and c.severity in ('critical', 'high')"),
  ),
  ...ofChanges(
    "changes by tags",
    { tags: "cluster=cluster-3,namespace=ns-42" },
    bareChanges(`and i.tags @> '{"cluster":"cluster-3","namespace":"ns-42"}'`),
  ),
  ...ofChanges(
    "changes by a common tag",
    { tags: "zone=eu-1a" },
    bareChanges(`and i.tags @> '{"zone":"eu-1a"}'`),
  ),
  ...ofChanges(
    "changes by type of item",
    { config_type: "Kubernetes::Deployment" },
    bareChanges("and i.type = 'Kubernetes::Deployment'"),
  ),
  ...(["30d", "90d"] as const).flatMap((range): Case[] => {
    const from = `now-${range}`;
    const since = (where: string) =>
      bareChanges(where).replaceAll(
        "interval '7 days'",
        `interval '${range.replace("d", " days")}'`,
      );
    return [
      ...ofChanges(`changes, ${range}`, { from }, since("")),
      ...ofChanges(
        `changes by type, ${range}`,
        { from, type: "BackOff,OOMKilled" },
        since("and c.change_type in ('BackOff', 'OOMKilled')"),
      ),
      ...ofChanges(
        `changes by a common tag, ${range}`,
        { from, tags: "zone=eu-1a" },
        since(`and i.tags @> '{"zone":"eu-1a"}'`),
      ),
      ...ofChanges(
        `changes typed: payments, ${range}`,
        { from, search: "payments" },
        since("and c.summary ilike '%payments%'"),
      ),
      ...ofChanges(
        `changes by type of item, ${range}`,
        { from, config_type: "Kubernetes::Deployment" },
        since("and i.type = 'Kubernetes::Deployment'"),
      ),
      {
        name: `strip of changes, ${range}`,
        budget: 150,
        path: "/api/catalog/changes/timeline",
        body: { from, recursive: "none" },
        bare: `select date_bin('1 day', c.created_at, 'epoch'), c.severity, count(*) from config_changes c ${alive} where c.created_at > now() - interval '${range.replace("d", " days")}' group by 1, 2`,
      },
    ];
  }),
  {
    name: "strip of changes, 7 days",
    budget: 150,
    path: "/api/catalog/changes/timeline",
    body: { from: "now-7d", recursive: "none" },
    bare: `select date_bin('2 hours', c.created_at, 'epoch'), c.severity, count(*) from config_changes c ${alive} where ${lastWeek} group by 1, 2`,
  },
  ...(
    [
      ["by=user-7", "and split_part(c.external_created_by, '@', 1) = 'user-7'"],
      ["-by=user-7", "and split_part(c.external_created_by, '@', 1) is distinct from 'user-7'"],
      [
        "severity>=high -type=FailedMount",
        "and c.severity in ('critical', 'high') and c.change_type <> 'FailedMount'",
      ],
      ["payments", "and c.summary ilike '%payments%'"],
      ['"nowhere at all"', "and c.summary ilike '%nowhere at all%'"],
      ["type=BackOff payments", "and c.change_type = 'BackOff' and c.summary ilike '%payments%'"],
      [
        "config:health=unhealthy severity>=high",
        "and i.health = 'unhealthy' and c.severity in ('critical', 'high')",
      ],
      ["count>1", "and c.count > 1"],
    ] as const
  ).flatMap(([search, where]) =>
    ofChanges(`changes typed: ${search}`, { search }, bareChanges(where)),
  ),
  ...ofChanges(
    "changes of one item",
    { id: pod, from: "now-90d" },
    bareChanges(`and c.config_id = '${pod}'`).replaceAll("7 days", "90 days"),
  ),
  ...(
    [
      ["", "true"],
      ["status=open severity>=high", "a.status = 'open' and a.severity in ('critical', 'high')"],
      [
        "type=security config_type=pod",
        "a.analysis_type = 'security' and i.type = 'Kubernetes::Pod'",
      ],
      [
        "analyzer=analyzer-7 config:health=unhealthy",
        "a.analyzer = 'analyzer-7' and i.health = 'unhealthy'",
      ],
      ["tag:cluster=cluster-3", `i.tags @> '{"cluster":"cluster-3"}'`],
      [
        '"finding 77"',
        "(a.summary ilike '%finding 77%' or a.message ilike '%finding 77%' or a.analyzer ilike '%finding 77%')",
      ],
      [
        '"nowhere at all"',
        "(a.summary ilike '%nowhere at all%' or a.message ilike '%nowhere at all%' or a.analyzer ilike '%nowhere at all%')",
      ],
    ] as const
  ).map(([search, where]): Case => ({
    name: `insights: ${search || "all"}`,
    budget: 150,
    isCounted: true,
    path: `/api/db/config_analysis_items?order=last_observed.desc,id.asc&limit=50${search === "" ? "" : `&search=${encodeURIComponent(search)}`}`,
    bare: `select a.*, i.type from config_analysis a join config_items i on i.id = a.config_id where ${where} order by last_observed desc, a.id limit 50`,
  })),
  ...ofChanges(
    "changes below one item",
    { id: namespace, recursive: "downstream", depth: 5 },
    bareChanges(
      `and c.config_id in (select id from (${tree(namespace).replace("depth < 10", "depth < 5")}) t)`,
    ),
  ),
  ...(
    [
      ["pod", pod],
      ["workload", workload],
      ["namespace", namespace],
    ] as const
  ).map(([what, id]): Case => ({
    name: `related to a ${what}, depth 10`,
    budget: 200,
    path: related(id),
    bare: tree(id),
  })),
  {
    name: "detail",
    path: `/api/db/config_detail?id=eq.${workload}&select=*,config_scrapers(id,name)`,
    bare: `select * from config_items where id = '${workload}'`,
  },
];

/** The first two rounds fill caches. What answers nothing was not its asker's turn, and is asked again later. */
async function timed(work: () => Promise<number | undefined>) {
  const times: number[] = [];
  let size = 0;
  for (let round = -2; round < rounds; round += 1) {
    const begun = performance.now();
    const answered = await work();
    if (answered === undefined) {
      round -= 1;
      await delay(10_000);
      continue;
    }
    size = answered;
    if (round >= 0) times.push(performance.now() - begun);
  }
  return { times, size };
}

const show = (times: number[]) =>
  `${percentile(times, 50).toFixed(1).padStart(7)} / ${percentile(times, 95).toFixed(1).padStart(7)}`;

console.log(`\nms p50 / p95 of ${rounds}: over HTTP | the bare statement`);
for (const { name, budget, path, body, isCounted, bare } of cases.filter((each) =>
  new RegExp(only).test(each.name),
)) {
  // One asker has a share of the database's time in a minute; what is measured is the statements.
  const ask = async (): Promise<number | undefined> => {
    const reply = await fetch(app.address + path, {
      method: body ? "POST" : "GET",
      headers: {
        "x-session-token": session.token,
        ...(body ? { "content-type": "application/json" } : {}),
        ...(isCounted ? { prefer: "count=exact" } : {}),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    if (reply.status === 429) return undefined;
    if (!reply.ok) throw new Error(`${name}: ${reply.status} ${text}`);
    return text.length;
  };
  const http = await timed(ask);
  const hand = await timed(async () => (await superuser.raw(bare)).rowCount ?? 0);
  const verdict =
    budget === undefined
      ? ""
      : percentile(http.times, 95) <= budget
        ? ` (within ${budget})`
        : ` (OVER ${budget})`;
  console.log(
    `${name.padEnd(36)} ${show(http.times)} | ${show(hand.times)}  ${(http.size / 1024).toFixed(0)} KiB, ${hand.size} rows${verdict}`,
  );
}
await session.revoke();
await app.stop();
await Promise.all([db.close(), owner.close(), superuser.close()]);
await server.stop();
rmSync(consoleDirectory, { recursive: true, force: true });
if (kept === undefined) rmSync(place, { recursive: true, force: true });
