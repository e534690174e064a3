import { spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { NotTried } from "./not-tried.ts";

export interface ProgramRun {
  /** Null when a signal ended it. */
  exitCode: number | null;
  killedBy: NodeJS.Signals | null;
  stdout: Output;
  stderr: Output;
  durationMs: number;
  /** What was written by what ran before it; its beginning. */
  before?: string;
}

interface Output {
  text: string;
  bytes: Buffer;
  isCut: boolean;
}

export interface Program {
  program: string;
  args: readonly string[];
  /** The whole environment; nothing of ours is added. */
  env: Record<string, string>;
  cwd?: string;
  signal: AbortSignal;
  /** Bytes kept of each stream; the rest is read and dropped. */
  keptOutput: number;
  /** Ends everything that the program started, for certain; its process group when absent. */
  end?: (pid: number) => Promise<void>;
}

/** Between asking a group of processes to end and ending it. */
const graceMs = 500;
/** How long output is still read when everything has ended but something elsewhere holds the streams. */
const drainMs = 100;

function collect(stream: Readable, most: number): () => Output {
  const chunks: Buffer[] = [];
  let length = 0;
  stream.on("data", (chunk: Buffer) => {
    if (length < most) chunks.push(chunk.subarray(0, most - length));
    length += chunk.length;
  });
  stream.on("error", () => undefined);
  return () => {
    const bytes = Buffer.concat(chunks);
    return { text: bytes.toString("utf8"), bytes, isCut: length > most };
  };
}

/** Signals a process group; that it is gone already is fine. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

const endGroup = (pid: number): Promise<void> => {
  signalGroup(pid, "SIGKILL");
  return Promise.resolve();
};

/**
 * Runs a program in a session of its own. An aborted signal ends it: first politely, after half a second for certain.
 * Whatever it leaves behind ends with it. Only for programs of our own choice; what a document brings goes through
 * `Programs`, which calls this.
 */
export function runProgram(options: Program): Promise<ProgramRun> {
  const { program, args, env, cwd, signal, keptOutput, end = endGroup } = options;
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
      kill = setTimeout(() => void end(pid).catch(reject), graceMs);
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
      reject(new NotTried(missing, { cause: error }));
    });
    const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
    child.once("exit", (exitCode, killedBy) => {
      settle();
      const durationMs = performance.now() - started;
      const finish = async () => {
        if (pid !== undefined) await end(pid);
        const drained = setTimeout(() => {
          child.stdout.destroy();
          child.stderr.destroy();
        }, drainMs);
        await closed;
        clearTimeout(drained);
        fulfil({ exitCode, killedBy, stdout: stdout(), stderr: stderr(), durationMs });
      };
      finish().catch(reject);
    });
  });
}
