// What a check costs: the processor's seconds per 1,000 checks, the memory and the times between asks of a server as
// people start it (one process, the embedded database), at 100 and at 500 checks a second, and beside it in the same
// minutes what a bare program spends that only asks. With `GATUS=path` to its program, that asks the same targets
// afterwards, keeping its results in SQLite. `npm run bench runner-price [seconds [rate]]`.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { asStarted } from "./as-started.ts";
import { readAccess, startServer } from "../apps/e2e/src/server.ts";
import {
  applyDocuments,
  canaryDocuments,
  percentile,
  startTarget,
  type Target,
} from "./http-target.ts";
import { familyOf, memoryOf, spentBy } from "./processes.ts";

const seconds = Number(process.argv[2] ?? 30);
const rates = process.argv[3] ? [Number(process.argv[3])] : [100, 500];
/** Connections of the beginning have gone by then. */
const settleSeconds = 20;
const intervalMs = 1_000;

interface Price {
  /** Seconds per 1,000 checks. */
  cpu: number;
  gapP99: number;
}

async function measure(name: string, pid: number, target: Target, rate: number): Promise<Price> {
  await delay(settleSeconds * 1000);
  const before = spentBy(familyOf(pid));
  const [from, askedBefore] = [Date.now(), target.total()];
  await delay(seconds * 1000);
  const pids = familyOf(pid);
  const after = spentBy(pids);
  const asked = target.total() - askedBefore;
  const perProgram = new Map<string, { cpu: number; memory: number }>();
  const add = (program: string, cpu: number, memory: number) => {
    const sum = perProgram.get(program) ?? { cpu: 0, memory: 0 };
    perProgram.set(program, { cpu: sum.cpu + cpu, memory: sum.memory + memory });
  };
  // What one that has ended meanwhile spent is now part of what its parent tells of its children, from its start on.
  for (const { program, cpuSeconds } of before.values()) add(program, -cpuSeconds, 0);
  for (const [one, { program, cpuSeconds }] of after) add(program, cpuSeconds, memoryOf(one));
  const gaps = [...target.hits.values()].flatMap((times) => {
    const measured = times.filter((time) => time >= from);
    return measured.slice(1).map((time, i) => Math.abs(time - measured[i]! - intervalMs));
  });
  const perThousand = (cpu: number) => ((cpu / asked) * 1000).toFixed(2);
  const gapP99 = percentile(gaps, 99);
  const told = (
    read: (sum: { cpu: number; memory: number }) => number,
    say: (n: number) => string,
  ) => {
    const parts = [...perProgram].map(([program, sum]) => [program, read(sum)] as const);
    const total = parts.reduce((all, [, part]) => all + part, 0);
    return [
      say(total),
      parts.map(([program, part]) => `${program} ${say(part)}`).join(", "),
    ] as const;
  };
  const [cpu, cpuParts] = told((sum) => sum.cpu, perThousand);
  const [memory, memoryParts] = told(
    (sum) => sum.memory,
    (mb) => mb.toFixed(0),
  );
  console.log(
    `${name.padEnd(10)}${String(rate).padStart(4)} wanted, ${(asked / seconds).toFixed(0)} asked a second: ${cpu} s of processor per 1,000 checks (${cpuParts}); ${memory} MB (${memoryParts}); gap p50 ${percentile(gaps, 50)} ms, p99 ${gapP99} ms`,
  );
  return { cpu: Number(cpu), gapP99 };
}

/** What the machine allows in these minutes. */
async function bare(rate: number): Promise<Price> {
  const target = await startTarget();
  const program = join(import.meta.dirname, "bare-checker.ts");
  const child = spawn(process.execPath, [program, target.address, String(rate)], {
    stdio: "inherit",
  });
  try {
    return await measure("bare", child.pid!, target, rate);
  } finally {
    const exited = once(child, "exit");
    child.kill();
    await exited;
    await target.close();
  }
}

async function own(rate: number): Promise<Price> {
  const target = await startTarget();
  const server = await startServer(asStarted({ SELF_CHECKS: "false", LOG_LEVEL: "error" }));
  try {
    const { token } = await readAccess(server.dataDir);
    const text = canaryDocuments({ count: rate, schedule: "@every 1s", target: target.address });
    await applyDocuments(server.address, token, text);
    return await measure("Mainstay", server.process.pid!, target, rate);
  } finally {
    await server.stop();
    await target.close();
  }
}

async function gatus(program: string): Promise<void> {
  for (const rate of rates) {
    const target = await startTarget();
    const folder = mkdtempSync("/tmp/mainstay-gatus-");
    const endpoints = Array.from(
      { length: rate },
      (_, i) =>
        `  - { name: target-${i}, url: "${target.address}/${i}", interval: 1s, conditions: ["[STATUS] == 200"] }`,
    );
    writeFileSync(
      join(folder, "config.yaml"),
      [
        `storage: { type: sqlite, path: ${join(folder, "data.db")} }`,
        // It asks one after the other otherwise.
        "concurrency: 0",
        "disable-monitoring-lock: true",
        "web: { address: 127.0.0.1, port: 3196 }",
        "endpoints:",
        ...endpoints,
      ].join("\n"),
    );
    const child: ChildProcess = spawn(program, {
      env: { ...process.env, GATUS_CONFIG_PATH: join(folder, "config.yaml") },
      stdio: "ignore",
    });
    try {
      await measure("Gatus", child.pid!, target, rate);
    } finally {
      const exited = once(child, "exit");
      child.kill();
      await exited;
      await target.close();
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

for (const rate of rates) {
  const [machine, mainstay] = [await bare(rate), await own(rate)];
  const times = (a: number, b: number) => (a / b).toFixed(1);
  console.log(
    `at ${rate}: ${times(mainstay.cpu, machine.cpu)} times the processor of asking alone, ${times(mainstay.gapP99, machine.gapP99)} times its gap p99`,
  );
}
const peer = process.env.GATUS;
if (peer) await gatus(peer);
else console.log("no Gatus beside it: GATUS=path names its program");
