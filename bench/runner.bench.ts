// Checks a second on one worker against a local HTTP target, beside a bare loop of the same HTTP client.
import { mkdtempSync, rmSync } from "node:fs";
import { createTestDatabase, startTestCluster } from "@mainstay/testkit";
import { Agent, request } from "undici";
import { readConfig } from "../apps/server/src/settings.ts";
import { openDatabase } from "../apps/server/src/platform/db/database.ts";
import { createLog } from "../apps/server/src/platform/log.ts";
import { createApp } from "../apps/server/src/app.ts";
import { applyDocuments, canaryDocuments, percentile, startTarget } from "./http-target.ts";
import sql from "sql-template-tag";

const seconds = 20;
const checks = Number(process.argv[2] ?? 1_000);

const target = await startTarget({ remember: false });
const bare = await bareLoop(5);

const cluster = await startTestCluster();
const database = await createTestDatabase(cluster);
const consoleDirectory = mkdtempSync("/tmp/mainstay-bench-");
const log = createLog("error");
const open = (connection: typeof database.owner) =>
  openDatabase({ connection, applicationName: "bench", onError: (error) => log.error(error) });
const [db, owner] = [open(database.application), open(database.owner)];
const config = readConfig(
  { port: "0", selfChecks: "false", logLevel: "error", checkConcurrency: process.argv[3] },
  {},
);
const app = await createApp({ config, db, owner, log, consoleDirectory });
await app.listen();
const session = await app.createLocalSession();
await applyDocuments(
  app.address,
  session.token,
  canaryDocuments({ count: checks, schedule: "@every 1s", target: target.address }),
);
// The first runs of new checks come all at once; the steady state begins after them.
await settle();
const cpu = process.cpuUsage();
const from = new Date();
const before = target.total();
await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
const asked = target.total() - before;
const used = process.cpuUsage(cpu);
const rows = await db.rows<{ recorded: number }>(
  sql`select count(*)::int as recorded from check_statuses where time >= ${from}`,
);
const lags = await db.rows<{ lag: number }>(sql`
  select extract(epoch from (time - lag(time) over (partition by check_id order by time))) * 1000 - 1000 as lag
    from check_statuses where time >= ${from}`);
const lag = lags.map((row) => Math.abs(row.lag)).filter((value) => value > 0);
console.log(`${checks} checks at 1 s, one process (runner, writer, target), 2 cores`);
console.log(
  `asked      ${Math.round(asked / seconds)} checks/s; recorded ${Math.round(rows[0]!.recorded / seconds)}/s`,
);
console.log(
  `off its slot p50 ${Math.round(percentile(lag, 50))} ms, p99 ${Math.round(percentile(lag, 99))} ms`,
);
console.log(
  `processor  ${((used.user + used.system) / 1e6 / seconds).toFixed(2)} cores of this process`,
);
const after = await bareLoop(5);
const baseline = (bare + after) / 2;
console.log(
  `bare loop  ${Math.round(baseline)} requests/s; ratio ${(asked / seconds / baseline).toFixed(3)}`,
);
await session.revoke();
await app.stop();
await Promise.all([db.close(), owner.close()]);
await database.drop();
await cluster.stop();
await target.close();
rmSync(consoleDirectory, { recursive: true, force: true });

async function settle(): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (target.total() < checks * 3 && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 100));
}

/** The same client, 64 requests in flight, nothing else: what the machine could do this minute. */
async function bareLoop(forSeconds: number): Promise<number> {
  const dispatcher = new Agent({ connections: 64 });
  const end = Date.now() + forSeconds * 1000;
  let done = 0;
  await Promise.all(
    Array.from({ length: 64 }, async () => {
      while (Date.now() < end) {
        const { body } = await request(target.address, { dispatcher });
        await body.text();
        done += 1;
      }
    }),
  );
  await dispatcher.close();
  return done / forSeconds;
}
