import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { setImmediate as breathe } from "node:timers/promises";

/** What /proc says about one process. */
export interface ProcessEntry {
  pid: number;
  parent: number;
  session: number;
  /** Real, effective, saved and file system user number. */
  users: readonly number[];
}

/** Read at a stretch: files of /proc are made in memory, so handing each to another thread costs ten times the read. */
const stretch = 64;

/** Every process of this machine that is alive; one that has ended and waits to be collected is not. */
export async function listProcesses(): Promise<ProcessEntry[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const entries: ProcessEntry[] = [];
  for (const [index, pid] of pids.entries()) {
    if (index > 0 && index % stretch === 0) await breathe();
    const entry = readEntry(pid);
    if (entry) entries.push(entry);
  }
  return entries;
}

function readEntry(pid: string): ProcessEntry | undefined {
  let status: string;
  try {
    status = readFileSync(`/proc/${pid}/status`, "utf8");
  } catch (error) {
    // It has ended since, or this system hides the processes of others.
    if (["ENOENT", "ESRCH", "EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code!))
      return undefined;
    throw error;
  }
  const words = (name: string) =>
    new RegExp(`^${name}:\\s*(.*)$`, "m").exec(status)?.[1]?.split(/\s+/) ?? [];
  if (["Z", "X"].includes(words("State")[0] ?? "")) return undefined;
  return {
    pid: Number(pid),
    parent: Number(words("PPid")[0]),
    // As seen from our own namespace, which comes first.
    session: Number(words("NSsid")[0]),
    users: words("Uid").map(Number),
  };
}
