import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { programFile } from "@mainstay/testkit/program-file.ts";
import { throwawayFolder } from "@mainstay/testkit/throwaway-folder.ts";

export interface RunningServer {
  address: string;
  email: string;
  password: string;
  dataDir: string;
  process: ChildProcess;
  /** Everything it printed so far. */
  output(): string;
  /** Ends it as Ctrl-C would and removes its data. */
  stop(): Promise<void>;
}

export interface StartOptions {
  args?: string[];
  env?: Record<string, string>;
  dataDir?: string;
  /** How the program is started; what `programFile` says unless said. */
  command?: [string, ...string[]];
}

/** All that run, with what they printed: none outlives the process that started it, however that ends. */
const running = new Map<ChildProcess, () => string>();
let isWatching = false;

function endWithThisProcess(): void {
  if (isWatching) return;
  isWatching = true;
  const endAll = () => {
    for (const child of running.keys()) child.kill("SIGTERM");
  };
  process.once("exit", endAll);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => {
      endAll();
      process.kill(process.pid, signal);
    });
  // A worker of the tests when their runner was killed.
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
}

/** The last of what those printed that run. */
export const printedByServers = (): string =>
  Array.from(running.values(), (printed) => printed().slice(-50_000)).join("\n\n");

/** Starts the program the way a person does, on a data directory of its own and a free port. */
export async function startServer(options: StartOptions = {}): Promise<RunningServer> {
  const dataDir = options.dataDir ?? mkdtempSync(join(throwawayFolder, "mainstay-e2e-"));
  const [program, ...before] = options.command ?? [process.execPath, programFile, "serve"];
  const password = "correct-horse-battery";
  endWithThisProcess();
  const child = spawn(program, [...before, ...(options.args ?? [])], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      // What a start has compiled, so that the next one need not: half of the time that a start takes.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      PORT: "0",
      MAINSTAY_DATA_DIR: dataDir,
      ADMIN_PASSWORD: password,
      // What this machine holds is not what tests look at, and takes long to read.
      SELF_CATALOG: "false",
      ...options.env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  running.set(child, () => printed);
  child.once("exit", () => running.delete(child));
  const address = await new Promise<string>((resolve, reject) => {
    const read = (line: string) => {
      printed += `${line}\n`;
      const found = /running at (http:\S+)/.exec(line);
      if (found) resolve(found[1]!);
    };
    createInterface({ input: child.stdout }).on("line", read);
    createInterface({ input: child.stderr }).on("line", read);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}:\n${printed}`)));
  });
  return {
    address,
    email: "admin@local",
    password,
    dataDir,
    process: child,
    output: () => printed,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const exited = once(child, "exit");
        child.kill("SIGTERM");
        await exited;
      }
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** The session that the server leaves in its data directory for the command line, as soon as it is there. */
export async function readAccess(dataDir: string): Promise<{ server: string; token: string }> {
  const file = join(dataDir, "server.json");
  const deadline = Date.now() + 30_000;
  for (;;) {
    try {
      return JSON.parse(readFileSync(file, "utf8")) as { server: string; token: string };
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await delay(50);
    }
  }
}
