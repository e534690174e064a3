/* oxlint-disable unicorn/require-post-message-target-origin -- threads have no origins */
// The topology with 10,000 components in four levels, 5,000 checks and 10,000 insights: the answer of /api/topology for
// several questions, its 304, beside the bare SQL; a roll-up; the states of a moment; an explanation.
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { createTestDatabase, startTestCluster } from "@mainstay/testkit";
import sql from "sql-template-tag";
import { createApp } from "../apps/server/src/app.ts";
import { rollUp } from "../apps/server/src/features/topology/roll-up/roll-up.ts";
import { readConfig } from "../apps/server/src/settings.ts";
import { openDatabase } from "../apps/server/src/platform/db/database.ts";
import { createLog } from "../apps/server/src/platform/log.ts";
import { percentile } from "./http-target.ts";
import { pausesText, watchPauses } from "./pauses.ts";

const components = Number(process.argv[2] ?? 10_000);
const rounds = 10;
const cluster = await startTestCluster();
const database = await createTestDatabase(cluster);
const consoleDirectory = mkdtempSync("/tmp/mainstay-bench-");
const log = createLog("error");
const db = openDatabase({
  connection: database.superuser,
  applicationName: "bench",
  onError: (error) => log.error(error),
});
const config = readConfig({ port: "0", selfChecks: "false", logLevel: "error", role: "api" }, {});
const app = await createApp({ config, db, log, consoleDirectory });
await app.listen();
const session = await app.createLocalSession();

// 1 in 500 is a root, each with 20 children, these with pods, these with what they are made of.
const levels = [
  [Math.ceil(components / 500), "System", 0],
  [components / 25, "App", 1],
  [components / 5, "Workload", 2],
  [components - Math.ceil(components / 500) - components / 25 - components / 5, "Pod", 3],
] as const;
for (const [count, type, level] of levels)
  await db.run(sql`
    with above as (select array_agg(id order by name) as ids, array_agg(path || case when path = '' then '' else '.' end || id) as paths
                     from components where type = ${level === 0 ? "none" : levels[level - 1]![1]})
    insert into components (external_id, name, type, icon, status, given_status, parent_id, path, labels, properties, log_selectors, is_leaf)
    select ${type} || n, lower(${type}) || '-' || n, ${type}, 'box', 'unknown',
           case when ${level} = 3 then case when n % 97 = 0 then 'unhealthy' when n % 31 = 0 then 'warning' else 'healthy' end end,
           above.ids[1 + n % cardinality(above.ids)], coalesce(above.paths[1 + n % cardinality(above.paths)], ''),
           jsonb_build_object('app', 'app-' || n % 40, 'team', 'team-' || n % 11),
           jsonb_build_array(jsonb_build_object('name', 'cpu', 'unit', 'millicores', 'value', n % 900, 'max', 1000),
                             jsonb_build_object('name', 'memory', 'unit', 'bytes', 'value', n::bigint * 1000000),
                             jsonb_build_object('name', 'version', 'text', '1.' || n, 'headline', true,
                                                'links', jsonb_build_array(jsonb_build_object('url', 'https://example.org/' || n)))),
           '[{"name":"pods","type":"kubernetes","labels":{"app":"x"}}]', ${level} = 3
      from above, generate_series(1, ${Math.round(count)}) n`);
await db.run(sql`
  with canary as (insert into canaries (name, namespace, spec) values ('bench', 'default', '{}') returning id),
       made as (insert into checks (canary_id, type, name, status) select id, 'http', 'check-' || n, 'healthy' from canary, generate_series(1, ${components / 2}) n returning id, canary_id)
  insert into check_component_relationships (component_id, check_id, canary_id, selector_id)
  select c.id, m.id, m.canary_id, 's' from (select id, row_number() over () as n from components) c
    join (select id, canary_id, row_number() over () as n from made) m using (n)`);
await db.run(sql`
  insert into config_items (name, type, config_class, health) select 'item-' || n, 'T', 'T', 'healthy' from generate_series(1, ${components}) n`);
await db.run(sql`
  insert into config_component_relationships (component_id, config_id, selector_id)
  select c.id, i.id, 's' from (select id, row_number() over () as n from components) c
    join (select id, row_number() over () as n from config_items) i using (n)`);
await db.run(sql`
  insert into config_analysis (config_id, analyzer, analysis_type, severity) select id, 'z', 'security', 'high' from config_items`);
await db.raw("vacuum analyze");

const ms = (values: number[], share: number) => percentile(values, share).toFixed(0);
async function timed(what: string, work: () => Promise<unknown>, times = rounds): Promise<void> {
  const took: number[] = [];
  for (let round = 0; round < times; round++) {
    const started = performance.now();
    await work();
    took.push(performance.now() - started);
  }
  console.log(`${what}: p50 ${ms(took, 50)} ms, p95 ${ms(took, 95)} ms`);
}

console.log(`${components} components, ${rounds} asks each`);
const judging = watchPauses();
await timed("roll-up of everything, all changed", () => rollUp(app.ctx), 1);
await timed("roll-up of everything, nothing changed", () => rollUp(app.ctx));
await timed("roll-up after one check turned", async () => {
  await db.run(sql`
    update checks set status = case status when 'healthy' then 'unhealthy' else 'healthy' end where name = 'check-1'`);
  await rollUp(app.ctx);
});
console.log(`while it judged: ${pausesText(judging())}`);

// The asker is a thread of its own, which unpacks nothing: its work is not the server's.
const asker = new Worker(new URL("http-asker.ts", import.meta.url));
interface Asked {
  status: number;
  etag: string | undefined;
  bytes: number;
  firstMs: number;
  lastMs: number;
}
async function ask(path: string, etag?: string): Promise<Asked> {
  asker.postMessage({
    url: `${app.address}${path}`,
    headers: {
      "x-session-token": session.token,
      "accept-encoding": "gzip",
      ...(etag ? { "if-none-match": etag } : {}),
    },
  });
  const [answer] = (await once(asker, "message")) as [Asked];
  if (answer.status >= 400) throw new Error(`${path}: status ${answer.status}`);
  return answer;
}
const root = (await db.first<{ id: string }>(
  sql`select id from components where type = 'System' order by name limit 1`,
))!.id;
for (const path of [
  "/api/topology",
  "/api/topology?depth=10",
  "/api/topology?flatten=true",
  "/api/topology?status=unhealthy&sortBy=status&sortOrder=desc",
  `/api/topology?id=${root}`,
]) {
  const first: number[] = [];
  const last: number[] = [];
  let bytes = 0;
  const answering = watchPauses();
  for (let round = 0; round < rounds; round++) {
    // What makes the last answer another.
    await db.run(sql`select touch_topology(false)`);
    const answer = await ask(path);
    bytes = answer.bytes;
    first.push(answer.firstMs);
    last.push(answer.lastMs);
  }
  const paused = pausesText(answering());
  const { etag } = await ask(path);
  const unchanged = await ask(path, etag);
  console.log(
    `${path.replace(root, "…")}: first byte p50 ${ms(first, 50)} ms, p95 ${ms(first, 95)} ms; last byte p50 ${ms(last, 50)} ms, p95 ${ms(last, 95)} ms, ${(bytes / 1e6).toFixed(2)} MB packed; ${paused}; unchanged: ${unchanged.status} in ${unchanged.lastMs.toFixed(0)} ms`,
  );
}
const at = new Date().toISOString();
await timed("/api/topology/states", () => ask(`/api/topology/states?at=${at}`));
await timed("/api/explain/component", () => ask(`/api/explain/component/${root}`));
await asker.terminate();
await timed("baseline: the rows of components through the driver", () =>
  db.raw(
    "select id, name, parent_id, type, icon, status, health, labels, properties, summary from components where deleted_at is null",
  ),
);
await timed("baseline: the same as one text of the database", () =>
  db.raw(
    "select json_agg(c)::text from (select id, name, parent_id, type, icon, status, health, labels, properties, log_selectors, summary from components where deleted_at is null) c",
  ),
);
await timed("baseline: the view topology", () => db.raw("select * from topology"), 3);
await session.revoke();
await app.stop();
await db.close();
await database.drop();
await cluster.stop();
rmSync(consoleDirectory, { recursive: true, force: true });
