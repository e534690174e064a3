/* oxlint-disable unicorn/require-post-message-target-origin -- threads have no origins */
// The health summary with 10,000 checks and 30 days of history, for several ranges, and its 304.
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { createTestDatabase, startTestCluster } from "@mainstay/testkit";
import sql from "sql-template-tag";
import { createApp } from "../apps/server/src/app.ts";
import { readConfig } from "../apps/server/src/settings.ts";
import { openDatabase } from "../apps/server/src/platform/db/database.ts";
import { createLog } from "../apps/server/src/platform/log.ts";
import { percentile } from "./http-target.ts";

const checks = Number(process.argv[2] ?? 10_000);
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
  // Written step by step for all checks, as a worker does; the key is made at the end, which is quicker.
  await db.raw(`alter table ${name} drop constraint ${name}_pkey`);
  await db.raw(`
    insert into ${name} (check_id, time, passed, failed, duration, latency)
    select c.id, t, (43000 * share)::bigint, (200 * share)::bigint, (43200 * 85 * share)::bigint, l
      from (select t, ${share} as share, ${latency(share)} as l
              from generate_series(date_bin('${step}', now() - interval '${span}', '2000-01-01'), now(), interval '${step}') t
             order by t offset 0) h cross join lateral (select id from checks where h.t is not null offset 0) c`);
  await db.raw(`alter table ${name} add primary key (check_id, time)`);
}
await db.raw("vacuum analyze");

// The asker is a thread of its own, which unpacks nothing: its work is not the server's.
const asker = new Worker(new URL("http-asker.ts", import.meta.url));
interface Asked {
  status: number;
  etag: string | undefined;
  bytes: number;
  firstMs: number;
  lastMs: number;
}
async function ask(start: string, etag?: string): Promise<Asked> {
  asker.postMessage({
    url: `${app.address}/api/canary/api/summary?start=${start}`,
    headers: {
      "x-session-token": session.token,
      "accept-encoding": "gzip",
      ...(etag ? { "if-none-match": etag } : {}),
    },
  });
  const [answer] = (await once(asker, "message")) as [Asked];
  return answer;
}

console.log(
  `${checks} checks, 30 days of history, 15 asks each with new results before each; until the first byte is the server's own time, until the last adds compression and the wire`,
);
for (const start of ["15m", "1h", "12h", "1d", "3d", "2w", "1mo"]) {
  const first: number[] = [];
  const last: number[] = [];
  let bytes = 0;
  let cold = 0;
  for (let i = 0; i < 16; i++) {
    // What a worker leaves when it has written results: the last answer is not current any more.
    await db.run(
      sql`insert into health_versions as v (source) values ('bench') on conflict (source) do update set version = v.version + 1`,
    );
    const answer = await ask(start);
    if (answer.status !== 200) throw new Error(`status ${answer.status}`);
    bytes = answer.bytes;
    // The first of a range reads the totals at its beginning, which later ones share.
    if (i === 0) cold = answer.firstMs;
    else {
      first.push(answer.firstMs);
      last.push(answer.lastMs);
    }
  }
  const { etag } = await ask(start);
  const unchanged = await ask(start, etag);
  const ms = (values: number[], share: number) => percentile(values, share).toFixed(0);
  console.log(
    `${start.padEnd(4)} first byte p50 ${ms(first, 50)} ms, p95 ${ms(first, 95)} ms (first ask of the range ${cold.toFixed(0)} ms); last byte p50 ${ms(last, 50)} ms, p95 ${ms(last, 95)} ms, ${(bytes / 1e6).toFixed(2)} MB; unchanged: ${unchanged.status} in ${unchanged.lastMs.toFixed(0)} ms`,
  );
}
await asker.terminate();
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
