import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { listProcesses, type ProcessEntry } from "./processes.ts";
import { signalGroup } from "./run-program.ts";

/** The variable that marks everything a script starts where it runs as the same user as the server. */
export const markName = "MAINSTAY_RUN";

const longestMs = 5000;
const lookAgainMs = 10;

/**
 * Ends what one script has started when it had no user number of its own: whatever carries its mark, is in its session
 * or descends from such a process. All are stopped first, so that none starts another meanwhile. A program that takes
 * care to lose all three gets away; only another user number is sure.
 */
export async function endMarked(session: number, mark: string): Promise<void> {
  if (process.platform !== "linux") return signalGroup(session, "SIGKILL");
  const stopped = new Set<number>();
  for (const deadline = performance.now() + longestMs; ; await delay(lookAgainMs)) {
    let found = await findMarked(session, mark, stopped);
    if (found.length === 0) return;
    if (performance.now() > deadline) {
      process.emitWarning(`Processes that a script has started do not end: ${found.join(", ")}.`);
      return;
    }
    for (let seen = 0; found.length > seen;) {
      seen = found.length;
      for (const pid of found) send(pid, "SIGSTOP");
      for (const pid of found) stopped.add(pid);
      found = await findMarked(session, mark, stopped);
    }
    for (const pid of found) send(pid, "SIGKILL");
  }
}

async function findMarked(
  session: number,
  mark: string,
  known: ReadonlySet<number>,
): Promise<number[]> {
  const uid = process.getuid?.() ?? -1;
  const own = (await listProcesses()).filter(
    ({ pid, users }) => users.includes(uid) && pid !== process.pid,
  );
  const marked = await Promise.all(own.map((entry) => isMarked(entry, session, mark)));
  const found = new Set(own.filter((_, index) => marked[index]).map(({ pid }) => pid));
  // Children are found by their parents, however deep.
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const { pid, parent } of own)
      if (found.has(parent) || (known.has(parent) && parent !== 1)) found.add(pid);
  }
  return [...found];
}

async function isMarked(
  { pid, session: itsSession }: ProcessEntry,
  session: number,
  mark: string,
): Promise<boolean> {
  if (itsSession === session) return true;
  const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
  return environment.includes(`${markName}=${mark}`);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
