import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { delimiter, join } from "node:path";

/** Debian puts daemons where an ordinary user's PATH does not look. */
const programFolders = [
  ...(process.env.PATH ?? "").split(delimiter),
  "/usr/sbin",
  "/sbin",
  "/usr/local/sbin",
];

/** The full path of an installed program; undefined when this machine has none. */
export function findProgram(name: string): string | undefined {
  return programFolders
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** Whether all of these programs are there. Tests that need them are skipped otherwise, and this says so aloud. */
export function areInstalled(...names: readonly string[]): boolean {
  const missing = names.filter((name) => findProgram(name) === undefined);
  if (missing.length > 0) {
    process.stderr.write(
      `SKIPPED tests that need what this machine has not: ${missing.join(", ")}\n`,
    );
  }
  return missing.length === 0;
}

/** A throwaway folder below /tmp, where paths are short enough for sockets and other users may go. */
export const temporaryFolder = (name: string): string =>
  mkdtempSync(join("/tmp", `mainstay-${name}-`));

export const removeFolder = (path: string): void => rmSync(path, { recursive: true, force: true });

export interface RunningProgram {
  stop(): Promise<void>;
}

export interface ProgramOptions {
  program: string;
  args: readonly string[];
  /** Resolves when the program serves; asked again until it does. */
  isReady: () => Promise<boolean>;
  cwd?: string;
  /** It starts programs of its own, which would outlive it. */
  hasChildren?: boolean;
}

const deadlineMs = 30_000;
const pauseMs = 20;

/** Whether something accepts connections on a port. */
export function acceptsOn(port: number): Promise<boolean> {
  return new Promise((fulfil) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.once("connect", () => {
      socket.destroy();
      fulfil(true);
    });
    socket.once("error", () => fulfil(false));
  });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // Gone already.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Starts a server and waits until it serves; what it said is in the error when it does not. */
export async function startProgram({
  program,
  args,
  isReady,
  cwd,
  hasChildren = false,
}: ProgramOptions): Promise<RunningProgram> {
  const child = spawn(program, args, {
    cwd,
    detached: hasChildren,
    env: { PATH: programFolders.join(delimiter), LC_ALL: "C" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  let failure: Error | undefined;
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4000)));
  child.on("error", (error) => (failure = error));
  const hasEnded = () =>
    child.exitCode !== null || child.signalCode !== null || failure !== undefined;
  // Nothing that a test starts outlives the test.
  const kill = () => {
    if (hasChildren && child.pid !== undefined) killGroup(child.pid);
    else child.kill("SIGKILL");
  };
  process.once("exit", kill);
  const deadline = Date.now() + deadlineMs;
  while (!(await isReady())) {
    if (hasEnded() || Date.now() > deadline) {
      kill();
      throw new Error(`${program} did not start: ${failure?.message ?? said}`);
    }
    await new Promise((fulfil) => setTimeout(fulfil, pauseMs));
  }
  return {
    async stop() {
      process.removeListener("exit", kill);
      if (hasEnded()) return;
      kill();
      await once(child, "exit");
    },
  };
}

/** Runs a program to its end; throws with what it said when it fails. */
export function runProgram(
  program: string,
  args: readonly string[],
  options: { cwd?: string; input?: string } = {},
): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    ...options,
    encoding: "utf8",
  });
  if (error || status !== 0)
    throw new Error(`${program} ${args[0] ?? ""} failed: ${error?.message ?? stderr}`);
  return stdout;
}
