// The health summary with 10,000 checks and 30 days of history, for several ranges, and its 304.
import { mkdtempSync, rmSync } from "node:fs";
import { createTestDatabase, startTestCluster } from "@mainstay/testkit";
import sql from "sql-template-tag";
import { createApp } from "../apps/server/src/app.ts";
import { readConfig } from "../apps/server/src/platform/config.ts";
import { openDatabase } from "../apps/server/src/platform/db/database.ts";
import { createLog } from "../apps/server/src/platform/log.ts";
import { percentile } from "./http-target.ts";

const checks = Number(process.argv[2] ?? 10_000);
const cluster = await startTestCluster();
const database = await createTestDatabase(cluster);
const consoleDirectory = mkdtempSync("/tmp/mainstay-bench-");
const log = createLog("error");
const db = openDatabase({
  connection: database.connection,
  applicationName: "bench",
  onError: (error) => log.error(error),
});
const config = readConfig({ port: "0", selfChecks: "false", logLevel: "error", role: "api" }, {});
const app = await createApp({ config, db, log, consoleDirectory });
await app.listen();
const session = await app.createLocalSession();

// One canary per hundred checks; a run a minute for 30 days would be 43,200 runs per check, all in the totals.
await db.run(sql`
  insert into canaries (name, namespace, labels, spec, source)
  select 'bench-' || i, 'ns-' || i % 7, jsonb_build_object('team', 'team-' || i % 11), '{"schedule":"@every 1m"}', 'UI'
    from generate_series(1, ${checks / 100}) i`);
await db.run(sql`
  insert into checks (canary_id, type, name, namespace, labels, spec, status, severity, last_runtime, next_runtime, created_at)
  select c.id, 'http', 'check-' || n, c.namespace, c.labels || jsonb_build_object('tier', 'tier-' || n % 5), '{"name":"x","url":"http://x/"}',
         case when n % 20 = 0 then 'unhealthy' else 'healthy' end, 'high', now(), now() + interval '1 min', now() - interval '30 days'
    from canaries c, generate_series(1, 100) n`);
// Latencies spread over some forty buckets, as a real target's are; `share` of them had been counted by then.
const latency = (share: string) =>
  `('[60:100]=' || array(select (exp(-((b - 75) ^ 2) / 50.0) * 3000 * (${share}))::int from generate_series(60, 100) b)::text)::int[]`;
await db.raw(`
  insert into check_totals (check_id, passed, failed, duration, latency, streak, streak_passed, settled, first_time, last_time)
  select id, 43000, 200, 43200 * 85, l, 5, true, true, now() - interval '30 days', now()
    from checks, (select ${latency("1.0")} as l) h`);
for (const [name, step, span] of [
  ["check_totals_5m", "5 minutes", "26 hours"],
  ["check_totals_1h", "1 hour", "30 days"],
  ["check_totals_1d", "1 day", "30 days"],
] as const) {
  const share = "1 - extract(epoch from now() - t) / (30 * 86400.0)";
  await db.raw(`
    insert into ${name} (check_id, time, passed, failed, duration, latency)
    select c.id, t, (43000 * share)::bigint, (200 * share)::bigint, (43200 * 85 * share)::bigint, l
      from (select t, ${share} as share, ${latency(share)} as l
              from generate_series(date_bin('${step}', now() - interval '${span}', '2000-01-01'), now(), interval '${step}') t) h, checks c
     order by c.id, t`);
}
await db.raw("vacuum analyze");

const headers = { "x-session-token": session.token };
const get = (start: string, etag?: string) =>
  fetch(`${app.address}/api/canary/api/summary?start=${start}`, {
    headers: { ...headers, ...(etag ? { "if-none-match": etag } : {}) },
  });

console.log(
  `${checks} checks, 30 days of history; time to the last byte, 15 asks each, nothing cached between them`,
);
for (const start of ["15m", "1h", "12h", "1d", "3d", "2w", "1mo"]) {
  const times: number[] = [];
  let size = 0;
  for (let i = 0; i < 15; i++) {
    // What a worker leaves when it has written results: the last answer is not current any more.
    await db.run(
      sql`insert into health_versions as v (source) values ('bench') on conflict (source) do update set version = v.version + 1`,
    );
    const started = performance.now();
    const reply = await get(start);
    size = (await reply.text()).length;
    times.push(performance.now() - started);
    if (reply.status !== 200) throw new Error(`status ${reply.status}`);
  }
  const etag = (await get(start)).headers.get("etag") ?? undefined;
  const started = performance.now();
  const unchanged = await get(start, etag);
  console.log(
    `${start.padEnd(4)} p50 ${percentile(times, 50).toFixed(0)} ms, p95 ${percentile(times, 95).toFixed(0)} ms, ${(size / 1e6).toFixed(1)} MB; unchanged: ${unchanged.status} in ${(performance.now() - started).toFixed(0)} ms`,
  );
}
const bare: number[] = [];
for (let i = 0; i < 15; i++) {
  const started = performance.now();
  await db.raw(
    "select id, name, type, namespace, labels, status, last_runtime from checks where deleted_at is null",
  );
  bare.push(performance.now() - started);
}
console.log(
  `baseline: the checks' rows alone through the driver p50 ${percentile(bare, 50).toFixed(0)} ms`,
);
await session.revoke();
await app.stop();
await db.close();
await database.drop();
await cluster.stop();
rmSync(consoleDirectory, { recursive: true, force: true });
