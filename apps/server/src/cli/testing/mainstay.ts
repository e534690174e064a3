import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { programFile } from "@mainstay/testkit/program-file.ts";
import { throwawayFolder } from "@mainstay/testkit/throwaway-folder.ts";
import { vi } from "vitest";

/** What a start has compiled, so that the next one need not: half of the time that a start takes. */
const compiled = fileURLToPath(
  new URL("../../../../../node_modules/.cache/mainstay-compiled", import.meta.url),
);

/** A home of the test's own, so that no session or server of this machine is found by accident. */
export function makeHome(): { directory: string; env: NodeJS.ProcessEnv; remove(): void } {
  const directory = mkdtempSync(join(throwawayFolder, "mainstay-home-"));
  return {
    directory,
    env: {
      PATH: process.env.PATH,
      HOME: directory,
      NODE_COMPILE_CACHE: compiled,
      XDG_CONFIG_HOME: `${directory}/config`,
      MAINSTAY_DATA_DIR: `${directory}/data`,
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

export interface Running {
  process: ChildProcess;
  stdout: string[];
  stderr: string[];
  /** Waits until something that was printed matches. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

const running = new Set<Running>();

/** The program as people start it: a process of its own. */
export function startMainstay(
  args: string[],
  env: NodeJS.ProcessEnv,
  input?: string,
  program = programFile,
): Running {
  const child = spawn(process.execPath, [program, ...args], { env });
  const stdout: string[] = [];
  const stderr: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => stdout.push(line));
  createInterface({ input: child.stderr }).on("line", (line) => stderr.push(line));
  child.stdin.end(input);
  const started: Running = {
    process: child,
    stdout,
    stderr,
    says: (pattern) =>
      vi.waitFor(
        () => {
          const found = pattern.exec([...stdout, ...stderr].join("\n"));
          if (!found)
            throw new Error(`not said: ${[...stdout, ...stderr].join("\n").slice(-2000)}`);
          return found;
        },
        { timeout: 100_000, interval: 20 },
      ),
    ended: new Promise((resolve) =>
      child.once("close", (code, signal) => {
        running.delete(started);
        resolve({ code, signal });
      }),
    ),
  };
  running.add(started);
  return started;
}

/** For `afterEach`: what a failed test left running would outlive it. */
export async function endMainstays(): Promise<void> {
  await Promise.all(
    [...running].map(({ process: child, ended }) => {
      child.kill("SIGKILL");
      return ended;
    }),
  );
}

/** Runs a command to its end. */
export async function mainstay(
  args: string[],
  env: NodeJS.ProcessEnv,
  input?: string,
  program?: string,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const { ended, stdout, stderr } = startMainstay(args, env, input, program);
  const { code } = await ended;
  return { code, stdout: stdout.join("\n"), stderr: stderr.join("\n") };
}
