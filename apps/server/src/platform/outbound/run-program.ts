import { spawn } from "node:child_process";
import type { Readable } from "node:stream";

export interface ProgramRun {
  /** Null when a signal ended it. */
  exitCode: number | null;
  killedBy: NodeJS.Signals | null;
  stdout: Output;
  stderr: Output;
  durationMs: number;
}

interface Output {
  text: string;
  isCut: boolean;
}

export interface Program {
  program: string;
  args: readonly string[];
  env: Record<string, string>;
  cwd?: string;
  signal: AbortSignal;
  /** Bytes kept of each stream; the rest is read and dropped. */
  keptOutput: number;
}

/** Between asking a group of processes to end and ending it. */
const graceMs = 500;
/** How long output is still read when the program has ended but something it left behind holds its streams. */
const drainMs = 100;

function collect(stream: Readable, most: number): () => Output {
  const chunks: Buffer[] = [];
  let length = 0;
  stream.on("data", (chunk: Buffer) => {
    if (length < most) chunks.push(chunk.subarray(0, most - length));
    length += chunk.length;
  });
  stream.on("error", () => undefined);
  return () => ({ text: Buffer.concat(chunks).toString("utf8"), isCut: length > most });
}

/** Signals a process group; that it is gone already is fine. */
function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/**
 * Runs a program in a process group of its own. An aborted signal ends the whole group: first politely, after half a
 * second for certain. Whatever the program leaves behind in its group ends with it.
 */
export function runProgram({
  program,
  args,
  env,
  cwd,
  signal,
  keptOutput,
}: Program): Promise<ProgramRun> {
  signal.throwIfAborted();
  const started = performance.now();
  return new Promise((fulfil, reject) => {
    const child = spawn(program, args, {
      cwd,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const { pid } = child;
    const stdout = collect(child.stdout, keptOutput);
    const stderr = collect(child.stderr, keptOutput);
    let kill: NodeJS.Timeout | undefined;

    const stop = () => {
      if (pid === undefined) return;
      signalGroup(pid, "SIGTERM");
      kill = setTimeout(() => signalGroup(pid, "SIGKILL"), graceMs);
    };
    signal.addEventListener("abort", stop, { once: true });
    const settle = () => {
      signal.removeEventListener("abort", stop);
      clearTimeout(kill);
    };

    child.once("error", (error: NodeJS.ErrnoException) => {
      settle();
      const missing =
        error.code === "ENOENT"
          ? `${program} is not installed on this machine`
          : `${program} could not be started: ${error.message}`;
      reject(new Error(missing, { cause: error }));
    });
    child.once("exit", (exitCode, killedBy) => {
      settle();
      const durationMs = performance.now() - started;
      if (pid !== undefined) signalGroup(pid, "SIGKILL");
      const drained = setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, drainMs);
      const finish = () => {
        clearTimeout(drained);
        fulfil({ exitCode, killedBy, stdout: stdout(), stderr: stderr(), durationMs });
      };
      child.once("close", finish);
    });
  });
}
