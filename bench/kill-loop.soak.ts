// 500 checks at one second; the server is killed with SIGKILL again and again. After each restart: is every result
// that was there still there, and how long until every check has run again? `npm run bench kill-loop [rounds]`.
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { APPLICATION, readPasswords } from "@mainstay/embedded-postgres";
import pg from "pg";
import { readAccess, type RunningServer, startServer } from "../apps/e2e/src/server.ts";
import { applyDocuments, canaryDocuments, startTarget } from "./http-target.ts";

const rounds = Number(process.argv[2] ?? 20);
const checks = 500;
const intervalMs = 1_000;
const allowedMs = intervalMs + 10_000;

const target = await startTarget({ remember: false });
const env = { SELF_CHECKS: "false", LOG_LEVEL: "error" };
let server: RunningServer = await startServer({ env });
const { dataDir } = server;

async function ask<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({
    host: join(dataDir, "run"),
    user: APPLICATION,
    password: readPasswords(dataDir).application,
    database: "postgres",
  });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

const { token } = await readAccess(dataDir);
await applyDocuments(
  server.address,
  token,
  canaryDocuments({ count: checks, schedule: "@every 1s", target: target.address }),
);

/** Milliseconds until every check has a result newer than `since`. */
async function untilAllRan(since: Date): Promise<number> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const [row] = await ask<{ fresh: number }>(
      "select count(*)::int as fresh from checks where last_runtime > $1",
      [since],
    );
    if (row!.fresh >= checks) return Date.now() - since.getTime();
    if (Date.now() > deadline)
      throw new Error(`after 60 s only ${row!.fresh} of ${checks} checks have run again`);
    await delay(100);
  }
}

await untilAllRan(new Date(Date.now() - 60_000));
console.log(
  `${checks} checks at ${intervalMs} ms; ${rounds} rounds; allowed until all ran again: ${allowedMs} ms`,
);
process.once("exit", () => server.process.kill("SIGKILL"));
let lost = 0;
let late = 0;
let worst = 0;
for (let round = 1; round <= rounds; round++) {
  await delay(2_000 + Math.random() * 3_000);
  // What anybody could have read a moment before the kill counts as acknowledged.
  const before = await ask<{ check_id: string; n: number; last: string }>(
    "select check_id, count(*)::int as n, max(time)::text as last from check_statuses group by check_id",
  );
  const exited = once(server.process, "exit");
  server.process.kill("SIGKILL");
  await exited;
  const killedAt = new Date();
  server = await startServer({ env, dataDir });
  const up = Date.now() - killedAt.getTime();
  const again = await untilAllRan(killedAt);
  const after = await ask<{ check_id: string; n: number }>(
    `select s.check_id, count(*)::int as n from check_statuses s
       join unnest($1::uuid[], $2::timestamptz[]) b (check_id, last) on b.check_id = s.check_id and s.time <= b.last
      group by s.check_id`,
    [before.map((row) => row.check_id), before.map((row) => row.last)],
  );
  const counts = new Map(after.map((row) => [row.check_id, row.n]));
  const missing = before.reduce(
    (sum, row) => sum + Math.max(0, row.n - (counts.get(row.check_id) ?? 0)),
    0,
  );
  const held = before.reduce((sum, row) => sum + row.n, 0);
  lost += missing;
  worst = Math.max(worst, again);
  if (again > allowedMs) late += 1;
  console.log(
    `round ${round}: ${held} results before the kill, ${missing} missing; up after ${up} ms, all ran again after ${again} ms`,
  );
}
const [gaps] = await ask<{ gaps: number; runs: number }>(`
  select count(*) filter (where step > interval '2500 ms')::int as gaps, count(*)::int as runs
    from (select time - lag(time) over (partition by check_id order by time) as step from check_statuses) s`);
console.log(
  `${lost} acknowledged results missing; ${late} rounds late (worst ${worst} ms); ${gaps!.runs} results with ${gaps!.gaps} gaps in the history`,
);
await server.stop();
await target.close();
rmSync(dataDir, { recursive: true, force: true });
process.exit(lost > 0 || late > 0 ? 1 : 0);
