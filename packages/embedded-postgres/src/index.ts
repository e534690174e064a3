import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { locateBinaries } from "./binaries.ts";
import { databaseOwner, type Owner } from "./owner.ts";

/** The major version whose files are in the data directory; another major cannot open them. */
const MAJOR = 18;
/** Exit status we ask of `flock` when somebody else holds the lock (EX_TEMPFAIL of sysexits.h). */
const LOCKED = 75;
/** sun_path is 108 bytes on Linux; PostgreSQL appends `/.s.PGSQL.5432` and a NUL. */
const MAX_SOCKET_DIR = 107 - "/.s.PGSQL.5432".length;
/** Below this PostgreSQL cannot even write its first log segments (16 MB each, and a cluster of 39 MB). */
const MIN_FREE_BYTES = 128 * 1024 * 1024;
/** A killed server's database stops by itself within this time; crash recovery of a large log may take as long. */
const START_DEADLINE_MS = 120_000;
const PREDECESSOR_DEADLINE_MS = 20_000;

/** The few words of a pino log that are used here. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface Embedded {
  /** For the `pg` driver. */
  connection: { host: string; port: number; user: string; database: string };
  /** A `psql`-ready address, for the log. */
  address: string;
  stop(): Promise<void>;
}

/** A failure that the person who starts the program can do something about; shown as one line, without a stack. */
export class StartupError extends Error {}

/**
 * Starts the embedded PostgreSQL on a unix socket. One server per data directory: the lock is held by the database
 * process itself, so it lives exactly as long as somebody may write there. When this process dies in any way the
 * database stops by itself (parent death signal); when the database dies it is started again.
 */
export async function startEmbeddedPostgres(options: {
  dataDir: string;
  log: Log;
  settings?: readonly string[];
}): Promise<Embedded> {
  const { dataDir, log, settings = [] } = options;
  const owner = databaseOwner();
  prepareDirectory(dataDir, owner);
  const { bin } = locateBinaries(owner);
  const cluster = join(dataDir, `postgres-${MAJOR}`);
  const socketDir = chooseSocketDir(dataDir, owner);
  if (!existsSync(join(cluster, "PG_VERSION"))) createCluster({ bin, cluster, owner, log });

  const server = new Supervised({ bin, cluster, socketDir, dataDir, owner, log, settings });
  await server.start();
  return {
    connection: { host: socketDir, port: 5432, user: "postgres", database: "postgres" },
    address: `postgres://postgres@/postgres?host=${encodeURIComponent(socketDir)}`,
    stop: () => server.stop(),
  };
}

function prepareDirectory(dataDir: string, owner: Owner | undefined): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new StartupError(
      `The data directory ${dataDir} cannot be written (${(error as NodeJS.ErrnoException).code}). ` +
        "Choose another with --data-dir or MAINSTAY_DATA_DIR, or correct its permissions.",
    );
  }
  const { bavail, bsize } = statfsSync(dataDir);
  if (bavail * bsize < MIN_FREE_BYTES) {
    throw new StartupError(
      `The disk of the data directory ${dataDir} is full (${Math.floor((bavail * bsize) / 1048576)} MiB left, ` +
        `at least ${MIN_FREE_BYTES / 1048576} MiB are needed). Free some space and start again.`,
    );
  }
  if (!owner) return;
  const current = statSync(dataDir);
  if (current.uid !== owner.uid) chownSync(dataDir, owner.uid, owner.gid);
  chmodSync(dataDir, 0o700);
  const reach = spawnSync("test", ["-w", dataDir], { uid: owner.uid, gid: owner.gid, cwd: "/" });
  if (reach.status !== 0) {
    throw new StartupError(
      `The user ${owner.name}, which runs the database because the program runs as root, cannot reach ${dataDir}. ` +
        "Choose a directory outside private folders with --data-dir or MAINSTAY_DATA_DIR.",
    );
  }
}

function chooseSocketDir(dataDir: string, owner: Owner | undefined): string {
  const own = join(dataDir, "run");
  const short = `/tmp/mainstay-${createHash("sha256").update(dataDir).digest("hex").slice(0, 16)}`;
  const dir = Buffer.byteLength(own) <= MAX_SOCKET_DIR ? own : short;
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const uid = owner?.uid ?? process.getuid?.();
  if (owner && statSync(dir).uid === 0) chownSync(dir, owner.uid, owner.gid);
  if (statSync(dir).uid !== uid) {
    throw new StartupError(
      `The socket directory ${dir} belongs to another user. Remove it, or choose a shorter data directory.`,
    );
  }
  // The directory's permissions are the database's authentication: whoever can enter may connect.
  chmodSync(dir, 0o700);
  return dir;
}

/** Nothing of the caller's environment reaches PostgreSQL: an odd LANG once made SQL_ASCII clusters. */
const cleanEnv = { PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", LC_ALL: "C", TZ: "UTC" };

function createCluster(parts: {
  bin: string;
  cluster: string;
  owner: Owner | undefined;
  log: Log;
}): void {
  const { bin, cluster, owner, log } = parts;
  log.info({ directory: cluster }, "creating the database");
  // Into a temporary name: a first start that is killed half-way must not leave something that looks whole.
  const partial = `${cluster}.new`;
  rmSync(partial, { recursive: true, force: true });
  const made = spawnSync(
    join(bin, "initdb"),
    // The built-in locale provider: no library upgrade can ever change the order of an index.
    `-A trust -E UTF8 --locale-provider=builtin --builtin-locale=C.UTF-8 --locale=C -U postgres --data-checksums --no-instructions -D`
      .split(" ")
      .concat(partial),
    { uid: owner?.uid, gid: owner?.gid, cwd: "/", env: cleanEnv, encoding: "utf8" },
  );
  if (made.status !== 0) {
    rmSync(partial, { recursive: true, force: true });
    throw new StartupError(explain(made.stderr || String(made.error), dirname(cluster)));
  }
  const renamed = spawnSync("mv", [partial, cluster]);
  if (renamed.status !== 0)
    throw new StartupError(`The new database could not be moved to ${cluster}.`);
}

function explain(output: string, dataDir: string): string {
  if (/No space left on device/i.test(output)) {
    return `The disk of the data directory ${dataDir} is full. Free some space and start again.`;
  }
  if (/Permission denied/i.test(output))
    return `The database cannot write to ${dataDir}: permission denied.`;
  if (/incompatible with server/i.test(output)) {
    return `The data directory ${dataDir} was written by another major version of PostgreSQL.`;
  }
  const lines = output.trim().split("\n").slice(-5).join(" | ");
  return `The embedded database did not start: ${lines || "no output"}`;
}

interface SupervisedParts {
  bin: string;
  cluster: string;
  socketDir: string;
  dataDir: string;
  owner: Owner | undefined;
  log: Log;
  settings: readonly string[];
}

class Supervised {
  private readonly parts: SupervisedParts;
  private child: ChildProcess | undefined;
  private stopping = false;
  private readonly lines: string[] = [];

  constructor(parts: SupervisedParts) {
    this.parts = parts;
  }

  async start(): Promise<void> {
    const deadline = Date.now() + PREDECESSOR_DEADLINE_MS;
    for (;;) {
      const outcome = await this.launch();
      if (outcome === "ready") return;
      if (outcome === "locked") {
        const holder = readHolder(this.parts.dataDir);
        // A server that was killed leaves a database that is just stopping: worth a moment's wait. A living one is not.
        if (Date.now() < deadline && (holder === process.pid || !isAlive(holder))) {
          await new Promise((resolve) => setTimeout(resolve, 100));
          continue;
        }
        throw new StartupError(
          `The data directory ${this.parts.dataDir} is in use by another server${holder ? ` (process ${holder})` : ""}. ` +
            "Stop it, or choose another directory with --data-dir or MAINSTAY_DATA_DIR.",
        );
      }
      throw new StartupError(explain(this.lines.join("\n"), this.parts.dataDir));
    }
  }

  private launch(): Promise<"ready" | "locked" | "failed"> {
    const { bin, cluster, socketDir, dataDir, owner, log, settings } = this.parts;
    const postgres = [
      join(bin, "postgres"),
      "-D",
      cluster,
      "-p",
      "5432",
      "-k",
      socketDir,
      ...[...defaults, ...settings].flatMap((setting) => ["-c", setting]),
    ];
    const lockFile = join(dataDir, "lock");
    const command =
      process.platform === "linux"
        ? [
            "flock", "-n", "-E", String(LOCKED), "-F", lockFile, "setpriv", "--pdeathsig", "INT",
            ...(owner ? [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, "--clear-groups"] : []),
            ...postgres,
          ]
        : postgres;
    this.lines.length = 0;
    const child = spawn(command[0]!, command.slice(1), {
      cwd: "/",
      env: cleanEnv,
      stdio: ["ignore", "ignore", "pipe"],
      // Its own session: Ctrl-C in a terminal is for us; we stop the database when we are done with it.
      detached: true,
    });
    this.child = child;
    return new Promise((resolve, reject) => {
      let settled = false;
      const settle = (outcome: "ready" | "locked" | "failed") => {
        settled = true;
        clearTimeout(timer);
        resolve(outcome);
      };
      const timer = setTimeout(() => {
        this.lines.push(`not ready after ${START_DEADLINE_MS / 1000} s`);
        child.kill("SIGKILL");
      }, START_DEADLINE_MS);
      createInterface({ input: child.stderr }).on("line", (line) => {
        this.lines.push(line);
        if (this.lines.length > 50) this.lines.shift();
        const serious =
          /\b(PANIC|FATAL):/.test(line) &&
          !/starting up|shutting down|terminating connection/.test(line);
        log[serious ? "error" : "debug"]({ source: "postgres" }, line.slice(0, 1000));
        if (line.includes("ready to accept connections")) {
          writeFileSync(join(dataDir, "holder"), String(process.pid));
          settle("ready");
        }
      });
      child.once("error", (error) => {
        if (!settled)
          reject(new StartupError(`The embedded database cannot be run: ${error.message}`));
      });
      child.once("exit", (code, signal) => {
        if (!settled) return settle(code === LOCKED ? "locked" : "failed");
        if (this.stopping || this.child !== child) return;
        log.error({ code, signal }, "the embedded database ended unexpectedly; starting it again");
        this.restart();
      });
    });
  }

  private restart(): void {
    this.start().catch((error: Error) => {
      if (this.stopping) return;
      this.parts.log.error(
        { err: error },
        "the embedded database did not start again; trying once more in 5 seconds",
      );
      setTimeout(() => this.stopping || this.restart(), 5000).unref();
    });
  }

  async stop(): Promise<void> {
    this.stopping = true;
    const child = this.child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    // SIGINT is PostgreSQL's fast shutdown: sessions are ended, a checkpoint is written.
    child.kill("SIGINT");
    await exited;
  }
}

const defaults = [
  "listen_addresses=",
  "shared_buffers=128MB",
  "max_connections=120",
  "max_wal_size=2GB",
  "checkpoint_timeout=15min",
  "wal_compression=on",
  "random_page_cost=1.1",
  "jit=off",
  "log_min_messages=warning",
  "log_checkpoints=off",
];

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
