import { createPrograms, type Programs } from "../programs.ts";
import type { ProgramRun } from "../run-program.ts";
import { listProcesses } from "../processes.ts";
import { readFileSync } from "node:fs";

/** For tests: the numbers of an ordinary server. */
export const testUids = { from: 60_600, to: 61_111 };
export const testPrograms: Programs = createPrograms({ exec: "on", execUids: testUids });

/** Runs a text with bash, as a check would. */
export function runScript(
  text: string,
  {
    timeoutMs = 20_000,
    env = {},
    programs = testPrograms,
  }: { timeoutMs?: number; env?: Record<string, string>; programs?: Programs } = {},
): Promise<ProgramRun> {
  return programs.run({
    text,
    command: () => ["bash", ["-c", text]],
    env,
    signal: AbortSignal.timeout(timeoutMs),
    keptOutput: 65_536,
  });
}

/** Processes of this machine whose command line holds a text. */
export async function processesWith(text: string): Promise<number[]> {
  return (await listProcesses())
    .filter(({ pid }) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
        return pid !== process.pid && line.includes(text);
      } catch {
        return false;
      }
    })
    .map(({ pid }) => pid);
}

/** A sleep that no other test has: it is found by its length. */
export const uniqueSleep = (): string =>
  `sleep ${900_000 + Math.floor(Math.random() * 90_000)}.${process.pid}`;
