import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { createCluster } from "./create-cluster.ts";
import { explain } from "./explain.ts";
import { cleanEnv, LOCKED, lockedCommand } from "./locked-command.ts";
import type { Owner } from "./owner.ts";
import type { Passwords } from "./passwords.ts";
import { isPrepared, prepareCluster } from "./prepare-cluster.ts";
import { StartupError } from "./startup-error.ts";

/** A killed server's database stops by itself within this time, a last checkpoint included. */
const PREDECESSOR_DEADLINE_MS = 60_000;
/** Crash recovery of a large log takes its time. */
const START_DEADLINE_MS = 120_000;
const LOOK_AGAIN_MS = 50;
const RESTART_PAUSE_MS = 5_000;

/** The few words of a pino log that are used here. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface SupervisedParts {
  bin: string;
  cluster: string;
  socketDir: string;
  dataDir: string;
  owner: Owner | undefined;
  passwords: Passwords;
  log: Log;
  settings: readonly string[];
}

const defaults = [
  "listen_addresses=",
  "shared_buffers=64MB",
  "max_connections=120",
  "max_wal_size=2GB",
  "checkpoint_timeout=15min",
  "wal_compression=on",
  "random_page_cost=1.1",
  "jit=off",
  // Processes that nobody needs here take memory all the same.
  "io_workers=1",
  "max_logical_replication_workers=0",
  "log_min_messages=warning",
  "log_checkpoints=off",
];

type Outcome = "ready" | "locked" | "failed";

/** The database process: started, started again when it dies, stopped. */
export class Supervised {
  private readonly parts: SupervisedParts;
  private readonly lockFile: string;
  private child: ChildProcess | undefined;
  private isStopping = false;
  private readonly lines: string[] = [];

  constructor(parts: SupervisedParts) {
    this.parts = parts;
    this.lockFile = join(parts.dataDir, "lock");
  }

  async start(): Promise<void> {
    const { cluster, log, passwords } = this.parts;
    if (!existsSync(join(cluster, "PG_VERSION"))) {
      log.info({ directory: cluster }, "creating the database");
      await this.whenUnlocked(() => createCluster({ ...this.parts, lockFile: this.lockFile }));
    }
    if (!isPrepared(cluster, passwords)) {
      log.info({ directory: cluster }, "setting the passwords of the database");
      await this.whenUnlocked(() => prepareCluster({ ...this.parts, lockFile: this.lockFile }));
    }
    await this.launchWhenUnlocked();
  }

  private async launchWhenUnlocked(): Promise<void> {
    const outcome = await this.whenUnlocked(() => this.launch());
    if (outcome === "failed")
      throw new StartupError(explain(this.lines.join("\n"), this.parts.dataDir));
  }

  /** Tries until the lock is free. Worth waiting for is a database whose server is gone: it is about to end. */
  private async whenUnlocked<T extends string>(attempt: () => Promise<T | "locked">): Promise<T> {
    const { dataDir, log } = this.parts;
    const deadline = Date.now() + PREDECESSOR_DEADLINE_MS;
    for (let tries = 0; ; tries += 1) {
      if (this.isStopping)
        throw new StartupError("The database was stopped before it had started.");
      const outcome = await attempt();
      if (outcome !== "locked") return outcome;
      const holder = readHolder(dataDir);
      const isHeld = holder !== process.pid && isAlive(holder);
      if (isHeld || Date.now() > deadline) {
        const who = holder ? ` (process ${holder})` : "";
        throw new StartupError(
          isHeld || !holder
            ? `The data directory ${dataDir} is in use by another server${who}. ` +
                "Stop it, or choose another directory with --data-dir or MAINSTAY_DATA_DIR."
            : `The database in ${dataDir} has not ended since its server${who} was killed. Wait a little and start again.`,
        );
      }
      if (tries === 20)
        log.info({ directory: dataDir }, "waiting for the database of a killed server to end");
      await delay(LOOK_AGAIN_MS);
    }
  }

  private launch(): Promise<Outcome> {
    const { bin, cluster, socketDir, owner, log, settings } = this.parts;
    const [program, ...args] = lockedCommand({
      lockFile: this.lockFile,
      owner,
      onOurDeath: "INT",
      command: [
        join(bin, "postgres"),
        "-D",
        cluster,
        "-p",
        "5432",
        "-k",
        socketDir,
        "-c",
        `hba_file=${join(cluster, "pg_hba.conf")}`,
        ...[...defaults, ...settings].flatMap((setting) => ["-c", setting]),
      ],
    });
    this.lines.length = 0;
    const child = spawn(program, args, {
      cwd: "/",
      env: cleanEnv,
      stdio: ["ignore", "ignore", "pipe"],
      // Its own session: Ctrl-C in a terminal is for us; we stop the database when we are done with it.
      detached: true,
    });
    this.child = child;
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    let isReady = false;
    const timer = setTimeout(() => {
      this.lines.push(`not ready after ${START_DEADLINE_MS / 1000} s`);
      child.kill("SIGKILL");
    }, START_DEADLINE_MS);
    createInterface({ input: child.stderr }).on("line", (line) => {
      this.lines.push(line);
      if (this.lines.length > 50) this.lines.shift();
      const isSerious =
        /\b(PANIC|FATAL):/.test(line) &&
        !/starting up|shutting down|terminating connection/.test(line);
      log[isSerious ? "error" : "debug"]({ source: "postgres" }, line.slice(0, 1000));
      if (isReady || !line.includes("ready to accept connections")) return;
      isReady = true;
      clearTimeout(timer);
      this.writeHolder();
      resolve("ready");
    });
    child.once("error", (error) => {
      clearTimeout(timer);
      reject(new StartupError(`The embedded database cannot be run: ${error.message}`));
    });
    child.once("exit", (code, signal) => {
      if (!isReady || this.isStopping) return;
      log.error({ code, signal }, "the embedded database ended unexpectedly; starting it again");
      this.restart();
    });
    // Not at "exit": what it said last may still be on its way.
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve(code === LOCKED ? "locked" : "failed");
    });
    return promise;
  }

  /** Only for the message that a second server prints. */
  private writeHolder(): void {
    const { dataDir, log } = this.parts;
    const file = join(dataDir, "holder");
    try {
      // Removed first: what another account may have put in its place is not followed.
      rmSync(file, { force: true });
      writeFileSync(file, String(process.pid), { flag: "wx" });
    } catch (error) {
      log.error({ err: error, file }, "the process number of this server could not be written");
    }
  }

  private restart(): void {
    // Never creates: were the cluster gone, an empty one in its place would hide the loss.
    this.launchWhenUnlocked().catch((error: Error) => {
      if (this.isStopping) return;
      this.parts.log.error(
        { err: error },
        `the embedded database did not start again; trying once more in ${RESTART_PAUSE_MS / 1000} seconds`,
      );
      setTimeout(() => this.isStopping || this.restart(), RESTART_PAUSE_MS).unref();
    });
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    const { child } = this;
    if (child && child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      const exited = once(child, "exit");
      // SIGINT is PostgreSQL's fast shutdown: sessions are ended, a checkpoint is written.
      child.kill("SIGINT");
      await exited;
    }
    rmSync(join(this.parts.dataDir, "holder"), { force: true });
  }
}

function readHolder(dataDir: string): number | undefined {
  try {
    return Number(readFileSync(join(dataDir, "holder"), "utf8")) || undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number | undefined): boolean {
  if (!pid) return false;
  try {
    // A zombie still answers a signal 0, and under a container's first process it may stay one for ever.
    const state = /\)\s(\w)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1];
    return state !== "Z" && state !== "X";
  } catch {
    return false;
  }
}
