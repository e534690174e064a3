// What processes have spent, as Linux tells it.
import { readdirSync, readFileSync } from "node:fs";

/** Of `/proc/<pid>/stat`, on Linux everywhere. */
const ticksPerSecond = 100;

export interface Spent {
  program: string;
  cpuSeconds: number;
}

/** A process and all that it has started. */
export function familyOf(pid: number): number[] {
  const parents = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = statOf(Number(name));
      return stat ? [{ pid: Number(name), parent: Number(stat[1]) }] : [];
    });
  const found = [pid];
  for (const one of found)
    found.push(...parents.filter(({ parent }) => parent === one).map((child) => child.pid));
  return found;
}

/** The fields after the program's name; undefined when the process has gone. */
function statOf(pid: number): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  } catch {
    return undefined;
  }
}

/** Of a process and of those of its children that have ended. */
export function spentBy(pids: number[]): Map<number, Spent> {
  return new Map(
    pids.flatMap((pid) => {
      const stat = statOf(pid);
      if (!stat) return [];
      const ticks = stat.slice(11, 15).reduce((sum, text) => sum + Number(text), 0);
      const program = readFileSync(`/proc/${pid}/comm`, "utf8").trim();
      return [[pid, { program, cpuSeconds: ticks / ticksPerSecond }]];
    }),
  );
}

/** Megabytes of proportional set size: what is shared counts once. */
export function memoryOf(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
    return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1]) / 1024;
  } catch {
    return 0;
  }
}
