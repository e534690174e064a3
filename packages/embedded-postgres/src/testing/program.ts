import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { vi } from "vitest";
import type { Embedded } from "../index.ts";

const holder = fileURLToPath(new URL("holder.ts", import.meta.url));

export type Ways = Pick<Embedded, "connection" | "owner">;

/** `holder.ts` as a process of its own, and what it has said so far. */
export interface Program {
  process: ChildProcess;
  lines: string[];
  errors: string[];
  /** Ways to connect, once the database answers. */
  ready(): Promise<Ways>;
  ended(): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  kill(signal: NodeJS.Signals): Promise<void>;
}

const running = new Set<Program>();

export function startProgram(
  dataDir: string,
  options: { env?: NodeJS.ProcessEnv; uid?: number; cwd?: string } = {},
): Program {
  const { uid, cwd, env = process.env } = options;
  const child = spawn(process.execPath, [holder, dataDir], { env, uid, gid: uid, cwd });
  const lines: string[] = [];
  const errors: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  createInterface({ input: child.stderr }).on("line", (line) => errors.push(line));
  const ending = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once("close", (code, signal) => {
      running.delete(program);
      resolve({ code, signal });
    }),
  );
  const program: Program = {
    process: child,
    lines,
    errors,
    ready: () =>
      vi.waitFor(
        () => {
          const ready = lines.find((line) => line.startsWith("ready "));
          if (ready === undefined) throw new Error(`not ready: ${errors.join("\n")}`);
          return JSON.parse(ready.slice("ready ".length)) as Ways;
        },
        { timeout: 20_000, interval: 20 },
      ),
    ended: () => ending,
    async kill(signal) {
      child.kill(signal);
      await ending;
    },
  };
  running.add(program);
  return program;
}

/** For `afterEach`: what a failed test left running would outlive it. */
export async function endPrograms(): Promise<void> {
  await Promise.all([...running].map((program) => program.kill("SIGTERM")));
}
