// Two servers on one external database; half-way one is killed with SIGKILL. Did any check run twice for one slot, and
// was any lost? `npm run bench two-servers [minutes]`.
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { urlOf, createTestDatabase, startTestCluster } from "@mainstay/testkit";
import pg from "pg";
import { readAccess, startServer } from "../apps/e2e/src/server.ts";
import { applyDocuments, canaryDocuments, startTarget } from "./http-target.ts";

const minutes = Number(process.argv[2] ?? 10);
const checks = 300;
const intervalMs = 2_000;

const cluster = await startTestCluster();
const database = await createTestDatabase(cluster);
const target = await startTarget();
const env = {
  DATABASE_URL: urlOf(database.application),
  MIGRATION_DATABASE_URL: urlOf(database.owner),
  SELF_CHECKS: "false",
  LOG_LEVEL: "error",
};
const [first, second] = await Promise.all([
  startServer({ env }),
  startServer({ env, dataDir: mkdtempSync("/tmp/mainstay-soak-") }),
]);
const { token } = await readAccess(first.dataDir);
await applyDocuments(
  first.address,
  token,
  canaryDocuments({ count: checks, schedule: "@every 2s", target: target.address }),
);
console.log(`${checks} checks at ${intervalMs} ms on two servers for ${minutes} minutes`);

await delay(minutes * 30_000);
const shares = await query<{ hostname: string; pid: number }>("select hostname, pid from workers");
const exited = once(second.process, "exit");
second.process.kill("SIGKILL");
await exited;
const killedAt = Date.now();
console.log(`killed one of ${shares.length} workers`);
await delay(minutes * 30_000);

const firstStart = Math.min(...[...target.hits.values()].map((times) => times[0]!));
// Slots are exactly one interval apart; two asks closer than half of that would be one slot twice. The first run of a
// new check is at once and before its first slot, so the step after it says nothing.
const tooClose = [...target.hits].flatMap(([path, times]) =>
  times.flatMap((time, i) =>
    i > 1 && time - times[i - 1]! < intervalMs / 2
      ? [{ path, time, step: time - times[i - 1]! }]
      : [],
  ),
);
const aroundKillMs = 15_000;
const aroundKill = tooClose.filter(({ time }) => Math.abs(time - killedAt) < aroundKillMs);
// A slot that is run again after the kill is run late, and may be close to the next one.
const isClose = `step < interval '${intervalMs / 2} ms'`;
const isAroundKill = `abs(extract(epoch from time) * 1000 - ${killedAt}) < ${aroundKillMs}`;
const [rows] = await query<{ results: number; close: number; twice: number; longest: number }>(`
  select (select count(*)::int from check_statuses) as results, count(*) filter (where ${isClose})::int as close,
         count(*) filter (where ${isClose} and not ${isAroundKill})::int as twice,
         (extract(epoch from max(step)) * 1000)::int as longest
    from (select time, time - lag(time) over w as step, row_number() over w as n from check_statuses
          window w as (partition by check_id order by time)) s where n > 2`);
const slots = Math.floor((Date.now() - firstStart) / intervalMs) * checks;
console.log(`${slots} slots passed; ${target.total()} asks, ${rows!.results} results recorded`);
console.log(
  `recorded results closer than half an interval: ${rows!.close}, of which ${rows!.close - rows!.twice} within 15 s of the kill; longest step between two results of one check: ${rows!.longest} ms`,
);
console.log(
  `asks closer than half an interval: ${tooClose.length}, of which ${aroundKill.length} within 15 s of the kill (a slot in flight is run again)`,
);
await first.stop();
await database.drop();
await cluster.stop();
await target.close();
process.exit(rows!.twice > 0 || tooClose.length > aroundKill.length ? 1 : 0);

async function query<Row extends object>(text: string): Promise<Row[]> {
  const client = new pg.Client(database.application);
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}
