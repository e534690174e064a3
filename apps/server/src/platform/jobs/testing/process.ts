import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type pg from "pg";

/** A second server, as far as jobs are concerned: a process of its own that a test can kill. */
export interface TestProcess {
  process: ChildProcess;
  /** What it has printed, line by line. */
  lines: string[];
  /** kill -9 unless said otherwise. */
  kill(signal?: NodeJS.Signals): Promise<void>;
}

export function startTestProcess(
  program: URL,
  connection: pg.ClientConfig,
  ...args: string[]
): TestProcess {
  const child = spawn(
    process.execPath,
    [fileURLToPath(program), JSON.stringify(connection), ...args],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  return {
    process: child,
    lines,
    async kill(signal = "SIGKILL") {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.kill(signal);
      await exited;
    },
  };
}
