// The calls of the Job History page over 1,000,000 runs of 30 days.
import { setTimeout as delay } from "node:timers/promises";
import { mkdtempSync, rmSync } from "node:fs";
import { createTestDatabase, startTestCluster } from "@mainstay/testkit";
import sql from "sql-template-tag";
import { createApp } from "../apps/server/src/app.ts";
import { openDatabase } from "../apps/server/src/platform/db/database.ts";
import { createLog } from "../apps/server/src/platform/log.ts";
import { readConfig } from "../apps/server/src/settings.ts";
import { percentile } from "./http-target.ts";

const runs = Number(process.argv[2] ?? 1_000_000);
const rounds = 20;
// A prime, so that each has rows of every kind.
const canaries = 1_399;
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

await db.run(sql`
  insert into canaries (name, namespace, labels, spec)
  select 'canary-' || i, 'ns-' || i % 7, '{"team":"a"}', '{"schedule":"@every 1m"}' from generate_series(1, ${canaries}) i`);
// A row an hour for most canaries, scheduled jobs between them; one run in fifty fails.
await db.run(sql`
  with numbered as (select id, row_number() over (order by id) as n from canaries)
  insert into job_history (name, resource_type, resource_id, hostname, status, success_count, error_count,
                           duration_millis, details, time_start, time_end, created_at)
  select case when i % 10 < 8 then 'Canary' else 'Cleanup ' || i % 40 end, case when i % 10 < 8 then 'canary' end,
         case when i % 10 < 8 then c.id::text end, 'host',
         case when i % 50 = 0 then 'FAILED' when i % 51 = 0 then 'WARNING' else 'SUCCESS' end, 60, 0,
         (i::bigint * 7919) % 20000, case when i % 50 = 0 then '{"errors":["front page: answered 500"]}'::jsonb else '{"runs":60}' end,
         t, t, t
    from (select i, now() - i * interval '30 days' / ${runs} as t from generate_series(1, ${runs}::int) i) runs
    join numbered c on c.n = 1 + i % ${canaries}
  on conflict do nothing`);
await db.raw("vacuum analyze");

const since = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
const range = (hours: number) =>
  `and=(created_at.gt.${since(hours)},created_at.lt.${new Date().toISOString()})`;
const one = await db.first<{ id: string }>(sql`select id from canaries order by name limit 1`);
const page = "job_histories?select=*&limit=150";
const usual = `${page}&order=created_at.desc,id.desc`;
// Far on the page asks for ids first, then for those runs.
const ids = "job_histories?select=id&limit=150&order=created_at.desc,id.desc";
const cases: [string, string][] = [
  ["as it opens: 2 days, not SUCCESS", `${usual}&status.filter=!SUCCESS&${range(48)}`],
  ["2 days, everything", `${usual}&${range(48)}`],
  ["2 days, everything, far on: ids", `${ids}&${range(48)}&offset=25000`],
  ["30 days, not SUCCESS", `${usual}&status.filter=!SUCCESS&${range(720)}`],
  ["30 days, everything", `${usual}&${range(720)}`],
  ["30 days, one name", `${usual}&name.filter=Cleanup 18&${range(720)}`],
  ["30 days, longest first", `${page}&order=duration_millis.desc.nullslast&${range(720)}`],
  ["30 days, longer than 15 s", `${usual}&duration_millis=gte.15000&${range(720)}`],
  ["30 days, last page: ids", `${ids}&${range(720)}&offset=${runs - 1_000}`],
  ["one resource, not SUCCESS", `${usual}&resource_id=eq.${one?.id}&status.filter=!SUCCESS`],
  ["names", "job_history_names?order=name.asc"],
  [
    "list of canaries with status",
    "canaries_with_status?select=*,created_by(id,name,avatar)&order=created_at.desc&limit=50",
  ],
];
console.log(`${runs} runs; ms p50 / p95 of ${rounds}, over HTTP, with count=exact`);
let spentMs = 0;
for (const [name, path] of cases) {
  const times: number[] = [];
  let total = "";
  for (let round = 0; round < rounds; round += 1) {
    // One asker has a share of the database's time in a minute.
    if ((spentMs += times.at(-1) ?? 0) > 15_000) {
      await delay(60_000);
      spentMs = 0;
    }
    const start = performance.now();
    const reply = await fetch(`${app.address}/api/db/${encodeURI(path)}`, {
      headers: { "x-session-token": session.token, prefer: "count=exact" },
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${name}: ${reply.status} ${text}`);
    total = reply.headers.get("content-range") ?? "";
    times.push(performance.now() - start);
  }
  console.log(
    `${name.padEnd(36)} ${percentile(times, 50).toFixed(1).padStart(7)} / ${percentile(times, 95).toFixed(1).padStart(7)}  ${total}`,
  );
}
await session.revoke();
await app.stop();
await db.close();
await database.drop();
await cluster.stop();
rmSync(consoleDirectory, { recursive: true, force: true });
