// A topology of 5,000 components that a lookup finds: a sync that writes them all, then ones in which nothing, one in a
// hundred and every one has changed: how long, how many bytes of write-ahead log, how long the server pauses; beside the
// bare insert of as many rows.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtempSync, rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { createTestDatabase, startTestCluster } from "@mainstay/testkit";
import sql from "sql-template-tag";
import { createApp } from "../apps/server/src/app.ts";
import { readConfig } from "../apps/server/src/settings.ts";
import { openDatabase } from "../apps/server/src/platform/db/database.ts";
import { createLog } from "../apps/server/src/platform/log.ts";
import { percentile } from "./http-target.ts";
import { pausesText, watchPauses } from "./pauses.ts";

const components = Number(process.argv[2] ?? 5_000);
const rounds = 5;
/** How many of 100 say something else than before, and what they say. */
let [changing, round] = [0, 0];
const found = () =>
  Array.from({ length: components }, (_, n) => ({
    name: `pod-${n}`,
    type: "Pod",
    external_id: `shop/pod-${n}`,
    status: "healthy",
    health: "healthy",
    labels: { app: `app-${n % 40}`, team: `team-${n % 11}` },
    properties: [
      { name: "cpu", unit: "millicores", value: n % 100 < changing ? round : 1, max: 1000 },
      { name: "memory", unit: "bytes", value: n * 1_000_000 },
      { name: "version", text: `1.${n}`, headline: true },
    ],
  }));
const target = createServer((_request, response) => response.end(JSON.stringify(found())));
await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/`;

const cluster = await startTestCluster();
const database = await createTestDatabase(cluster);
const consoleDirectory = mkdtempSync("/tmp/mainstay-bench-");
const log = createLog("error");
const db = openDatabase({
  connection: database.superuser,
  applicationName: "bench",
  onError: (error) => log.error(error),
});
const config = readConfig({ port: "0", selfChecks: "false", logLevel: "error" }, {});
const app = await createApp({ config, db, log, consoleDirectory });
await app.listen();
const session = await app.createLocalSession();
const post = async (path: string, body: object) => {
  const reply = await fetch(`${app.address}${path}`, {
    method: "POST",
    headers: { "x-session-token": session.token, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
};

interface Run {
  id: string;
  status: string;
  ms: number;
  details: { summary?: { added: number; changed: number; removed: number } };
}
const lastRun = () =>
  db.first<Run>(sql`
    select id, status, extract(epoch from time_end - time_start)::float8 * 1000 as ms, details from job_history
     where resource_type = 'topology' and name = 'Topology' order by created_at desc, id desc limit 1`);
async function after(before: string | undefined): Promise<Run> {
  for (;;) {
    const run = await lastRun();
    if (run && run.id !== before && run.status !== "RUNNING") return run;
    await delay(20);
  }
}

async function measured(what: string, times: number, start: () => Promise<void>): Promise<void> {
  const took: number[] = [];
  const bytes: number[] = [];
  let summary = "";
  const pauses = watchPauses();
  for (let time = 0; time < times; time += 1) {
    round += 1;
    const before = await lastRun();
    const from = await db.first<{ at: string }>(sql`select pg_current_wal_lsn()::text as at`);
    await start();
    const run = await after(before?.id);
    if (run.status !== "SUCCESS") throw new Error(JSON.stringify(run));
    const written = await db.first<{ n: number }>(
      sql`select (pg_current_wal_lsn() - ${from!.at}::pg_lsn)::float8 as n`,
    );
    took.push(run.ms);
    bytes.push(written!.n);
    const { added, changed, removed } = run.details.summary!;
    summary = `${added} added, ${changed} changed, ${removed} removed`;
  }
  const paused = pausesText(pauses());
  const of = (values: number[], share: number) => percentile(values, share).toFixed(0);
  console.log(
    `${what}: p50 ${of(took, 50)} ms, p95 ${of(took, 95)} ms; ${(percentile(bytes, 50) / 1e6).toFixed(2)} MB of log; ${paused}; ${summary}`,
  );
}

console.log(`${components} components that a lookup finds`);
await measured("the first sync", 1, () =>
  post("/api/documents", {
    apiVersion: "canaries.flanksource.com/v1",
    kind: "Topology",
    metadata: { name: "bench" },
    spec: {
      schedule: "@every 24h",
      components: [
        { name: "pods", lookup: { http: [{ name: "pods", url, display: { expr: "content" } }] } },
      ],
    },
  }),
);
const { id } = (await db.first<{ id: string }>(
  sql`select id from topologies where name = 'bench'`,
))!;
const again = () => post(`/api/topology/${id}/run`, {});
await db.raw("vacuum analyze components");
for (const share of [0, 1, 100]) {
  changing = share;
  // What differs from the run before is of the share alone.
  if (share === 0) await measured("settling", 1, again);
  await measured(`${share} % changed`, rounds, again);
}
await db.raw("create table bare (like components including defaults including indexes)");
const started = performance.now();
await db.raw(
  `insert into bare (id, agent_id, external_id, name, type, status, health, labels, properties)
   select gen_random_uuid(), '00000000-0000-0000-0000-000000000000', 'shop/pod-' || n, 'pod-' || n, 'Pod', 'healthy', 'healthy', '{"app": "x"}', '[{"name": "cpu", "value": 1}]'
     from generate_series(1, ${components}) n`,
);
console.log(
  `baseline: the bare insert of as many rows, ${(performance.now() - started).toFixed(0)} ms`,
);
await session.revoke();
await app.stop();
await db.close();
await database.drop();
await cluster.stop();
target.close();
rmSync(consoleDirectory, { recursive: true, force: true });
