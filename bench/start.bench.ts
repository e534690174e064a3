// Warm start of the program on its embedded database until it answers, and its memory when idle, beside a bare Node.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { asStarted } from "./as-started.ts";
import { startServer } from "../apps/e2e/src/server.ts";
import { percentile } from "./http-target.ts";

const dataDir = mkdtempSync("/tmp/mainstay-start-");
const options = asStarted({ LOG_LEVEL: "error" });
const times: number[] = [];
const bare: number[] = [];
let idle = "";
for (let round = 0; round < 6; round++) {
  const started = performance.now();
  const server = await startServer({
    dataDir,
    ...options,
  });
  await fetch(`${server.address}/api/_ready`);
  const took = performance.now() - started;
  // The first start makes the database.
  if (round === 0) console.log(`first start, with a new database: ${took.toFixed(0)} ms`);
  else times.push(took);
  if (round === 5) {
    await delay(30_000);
    idle = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.process.pid}/status`, "utf8"))![1]!;
  }
  const exited = once(server.process, "exit");
  server.process.kill("SIGTERM");
  await exited;
  const bareStarted = performance.now();
  await once(spawn(process.execPath, ["-e", ""]), "exit");
  bare.push(performance.now() - bareStarted);
}
console.log(
  `warm start until ready: p50 ${percentile(times, 50).toFixed(0)} ms, worst ${Math.max(...times).toFixed(0)} ms; bare Node ${percentile(bare, 50).toFixed(0)} ms`,
);
console.log(
  `resident memory after 30 s with the five checks of its own: ${(Number(idle) / 1024).toFixed(0)} MB, without PostgreSQL`,
);
rmSync(dataDir, { recursive: true, force: true });
