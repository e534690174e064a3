// The server's own log store with many lines of several days: what searches take, how fast lines are written beside a bare
// COPY-like insert into a table without indexes, and how long a line takes to whoever follows.
import { mkdtempSync } from "node:fs";
import { createTestDatabase, startTestCluster } from "@mainstay/testkit";
import { parseLogSearch } from "@mainstay/contract";
import sql from "sql-template-tag";
import { createApp } from "../apps/server/src/app.ts";
import { makePartition } from "../apps/server/src/platform/db/partitions.ts";
import { countLines } from "../apps/server/src/features/logs/store/count-lines.ts";
import { lineWriter } from "../apps/server/src/features/logs/store/line-writer.ts";
import { readLines } from "../apps/server/src/features/logs/store/read-lines.ts";
import { LINES_CHANNEL } from "../apps/server/src/features/logs/store/write-lines.ts";
import { openDatabase } from "../apps/server/src/platform/db/database.ts";
import { createLog } from "../apps/server/src/platform/log.ts";
import { readConfig } from "../apps/server/src/settings.ts";
import { percentile } from "./http-target.ts";

const lines = Number(process.argv[2] ?? 10_000_000);
const days = Number(process.argv[3] ?? 5);
const rounds = 10;
const cluster = await startTestCluster();
const database = await createTestDatabase(cluster);
const log = createLog("error");
const db = openDatabase({
  connection: database.superuser,
  applicationName: "bench",
  onError: (error) => log.error(error),
});
const config = readConfig(
  { port: "0", selfChecks: "false", logLevel: "error", role: "api", logStore: "100gb" },
  {},
);
const app = await createApp({
  config,
  db,
  log,
  consoleDirectory: mkdtempSync("/tmp/mainstay-bench-"),
});
await app.listen();
const { ctx } = app;

const message = (n: string) => `
  case when ${n} % 1000003 = 7 then 'needle ' || ${n} else
  (array['GET /orders/','POST /cart/','connection accepted from 10.0.0.','cache miss for key ','job finished in '])[1 + ${n} % 5]
  || (${n} * 7919 % 100000) || ' in ' || (${n} % 900) || ' ms by worker ' || md5((${n} % 50000)::text) end`;
for (let ago = days; ago > 0; ago--)
  await makePartition(
    db,
    { table: "log_lines" },
    new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10),
  );
const filled = performance.now();
const portion = 250_000;
for (let at = 0; at < lines; at += portion)
  await db.raw(`
    insert into log_lines (time, level, message, labels)
    select now() - (${lines} - n) * (interval '${days} days' / ${lines}), case when n % 200 = 0 then 4 when n % 50 = 0 then 3 else 2 end, ${message("n")},
           jsonb_build_object('app', 'app-' || n % 40, 'pod', 'pod-' || n % 1000)
      from generate_series(${at}::int8, ${Math.min(at + portion, lines) - 1}::int8) n`);
console.log(`${lines} lines filled in ${((performance.now() - filled) / 1000).toFixed(0)} s`);
await db.raw("vacuum analyze log_lines, log_counts");
const size = await db.first<{ mb: number }>(sql`
  select (sum(pg_total_relation_size(inhrelid)) / 1048576)::int8 as mb from pg_inherits where inhparent = 'log_lines'::regclass`);
console.log(`the store takes ${size?.mb} MiB`);

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
const range = () => ({ from: new Date(Date.now() - (days + 1) * 86_400_000), to: new Date() });
for (const query of [
  "",
  "orders",
  '"connection accepted"',
  "needle",
  "app=app-7",
  "level>=warn",
  "nobodysaysthis",
  "app=app-7 pod=pod-7 orders",
  "level>=error cart",
  "-orders -cart -accepted -miss -finished",
  'message=~"needle [0-9]+7$"',
  'message=~"(nobody|nowhere) says [0-9]+"',
  String.raw`message=~"\bneedle\b"`,
  "level=debug",
]) {
  const search = parseLogSearch(query);
  let found = "";
  await timed(
    `search ${query || "(all)"}`,
    async () => {
      const page = await readLines(ctx, {
        search,
        labels: {},
        ...range(),
        limit: 200,
        direction: "backward",
      });
      found = `${page.lines.length} lines${page.reached ? `; back to ${page.reached}` : ""}`;
    },
    query.startsWith("-") || query.includes("\\b") ? 2 : rounds,
  );
  console.log(`  ${found}`);
}
await timed(
  "bare sequential scan for needle",
  () =>
    db.transaction(
      (tx) => tx.rows(sql`select message from log_lines where message like '%needle%'`),
      {
        settings: { enable_bitmapscan: "off", enable_indexscan: "off" },
      },
    ),
  2,
);
await timed(
  "histogram of all",
  () => countLines(ctx, { search: { terms: [] }, labels: {}, ...range(), step: 7_200_000 }),
  2,
);
for (const query of ["app=app-7", "orders", "-orders"])
  await timed(
    `histogram of ${query}`,
    () =>
      countLines(ctx, {
        search: parseLogSearch(query),
        labels: {},
        ...range(),
        step: 7_200_000,
      }),
    2,
  );
await timed(
  "histogram of errors",
  () =>
    countLines(ctx, {
      search: parseLogSearch("level>=error"),
      labels: {},
      ...range(),
      step: 7_200_000,
    }),
  3,
);

const writer = ctx.service(lineWriter);
const batches = 40;
const each = 2_500;
const said = (batch: number) =>
  Array.from({ length: each }, (_, n) => ({
    message: `GET /orders/${batch * each + n} in ${n % 900} ms by worker ${(n * 7919).toString(36)}`,
    level: "info" as const,
    labels: { app: `app-${n % 40}`, pod: `pod-${n % 1000}` },
  }));
const begun = performance.now();
await Promise.all(Array.from({ length: batches }, (_, batch) => writer.write(said(batch))));
const rate = (count: number, since: number) =>
  (count / ((performance.now() - since) / 1000)).toFixed(0);
console.log(`ingest: ${rate(batches * each, begun)} lines/s`);
await db.raw("create unlogged table bare_lines (time timestamptz, message text, labels jsonb)");
const bare = performance.now();
for (let batch = 0; batch < batches; batch++) {
  const all = said(batch);
  await db.run(
    sql`insert into bare_lines select now(), * from unnest(${all.map((one) => one.message)}::text[], ${all.map((one) => JSON.stringify(one.labels))}::jsonb[])`,
  );
}
console.log(`  bare inserts without an index: ${rate(batches * each, bare)} lines/s`);

const listening = await db.connect();
await listening.query(`listen ${LINES_CHANNEL}`);
await timed(
  "tail: from sent to announced",
  async () => {
    const heard = new Promise((resolve) => listening.once("notification", resolve));
    await writer.write([{ message: "followed" }]);
    await heard;
  },
  100,
);
await listening.end();
await app.stop();
await db.close();
await database.drop();
await cluster.stop();
