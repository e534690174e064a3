import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { endNumber } from "./end-number.ts";
import { removeLeftovers } from "./leftovers.ts";
import { listProcesses } from "./processes.ts";
import { runHelper } from "./run-as.ts";
import { NotTried } from "./not-tried.ts";

/** User numbers for scripts: one for each that runs, held by one server of the machine, clean when it is handed out. */
export interface UserNumbers {
  take(signal: AbortSignal): Promise<UserNumber>;
}

export interface UserNumber {
  uid: number;
  /** Ends every process that runs under it. */
  end(): Promise<void>;
  giveBack(): void;
}

export interface NumberRange {
  from: number;
  to: number;
}

/** Numbers that are reserved at a time, and by one server at most: that many scripts run at once. */
const takenTogether = 8;
const mostTaken = 128;
/** Numbers that come back meanwhile are cleaned together. */
const gatherMs = 250;
/** A process that has been sent its end is gone after this long, unless the system itself is stuck. */
const goneMs = 1000;
const lookAgainMs = 20;
/** How long after a failure the processes of a number are ended once more. */
const retryMs = 30_000;

/** A directory of accounts that does not answer must not keep scripts from running. */
const getentMs = 2000;

const shared = new Map<string, UserNumbers>();

/** The numbers of a range are a thing of the machine: everything in this process shares them. */
export function userNumbers(range: NumberRange): UserNumbers {
  const key = `${range.from}-${range.to}`;
  const known = shared.get(key) ?? createUserNumbers(range);
  shared.set(key, known);
  return known;
}

function createUserNumbers(range: NumberRange): UserNumbers {
  /** Not reserved yet, in order. */
  let untried: number[] | undefined;
  let keeper: number | undefined;
  let taken = 0;
  const clean: number[] = [];
  const used = new Set<number>();
  const waiting: (() => void)[] = [];
  let sweeping: Promise<void> | undefined;
  let growing: Promise<void> | undefined;

  async function reserve(count: number): Promise<void> {
    let abandoned: number[] = [];
    if (!untried) {
      const numbers = await unnamedNumbers(range);
      const alive = new Set((await listProcesses()).flatMap(({ users }) => users));
      // Under these scripts run: of another server, or left behind by one that was killed.
      abandoned = await lockSome(
        numbers.filter((uid) => alive.has(uid)),
        numbers.length,
      );
      untried = numbers.filter((uid) => !alive.has(uid));
    }
    while (untried.length > 0 && (keeper === undefined || taken < mostTaken) && count > 0) {
      const locked = await lockSome(untried, count + (keeper === undefined ? 1 : 0));
      const named = await accountsAmong(locked);
      const usable = locked.filter((uid) => !named.has(uid));
      // One is nobody's: it ends those who would end whoever ends them.
      keeper ??= usable.pop();
      // A server that was killed may have left something behind under them.
      await clear(usable);
      taken += usable.length;
      count -= usable.length;
    }
    if (keeper !== undefined) await takeOver(abandoned);
    if (taken === 0)
      throw new NotTried(
        `none of the user numbers ${range.from} to ${range.to} is free for scripts: other servers on this machine have reserved them, or accounts have them. Give this server others with EXEC_UIDS.`,
      );
  }

  async function takeOver(abandoned: number[]): Promise<void> {
    if (abandoned.length === 0) return;
    const named = await accountsAmong(abandoned);
    for (const uid of abandoned.filter((one) => !named.has(one))) {
      taken += 1;
      if (await makeReady(uid)) clean.push(uid);
      else putAside(uid);
    }
  }

  const end = (uid: number) => endNumber(uid, keeper!);

  /** True when no process of the number is left. */
  async function isQuiet(uid: number): Promise<boolean> {
    for (const deadline = performance.now() + goneMs; ; await delay(lookAgainMs)) {
      const alive = await listProcesses();
      if (!alive.some(({ users }) => users.includes(uid))) return true;
      if (performance.now() > deadline) return false;
    }
  }

  function putAside(uid: number): void {
    process.emitWarning(
      `A process of the user number ${uid} that a script has started does not end. The number is not used until it has.`,
    );
    setTimeout(() => giveBack(uid), retryMs).unref();
  }

  async function makeReady(uid: number): Promise<boolean> {
    try {
      await end(uid);
      if (!(await isQuiet(uid))) return false;
      await removeLeftovers(new Set([uid]));
      return true;
    } catch (error) {
      process.emitWarning(error as Error);
      return false;
    }
  }

  /** Makes numbers ready to be handed out, together: looking around costs the same for one and for many. */
  async function clear(batch: readonly number[]): Promise<void> {
    const alive = new Set((await listProcesses()).flatMap(({ users }) => users));
    await removeLeftovers(new Set(batch.filter((uid) => !alive.has(uid))));
    for (const uid of batch) {
      if (!alive.has(uid) || (await makeReady(uid))) {
        clean.push(uid);
        waiting.shift()?.();
      } else putAside(uid);
    }
  }

  async function sweep(): Promise<void> {
    const batch = [...used];
    used.clear();
    await clear(batch);
  }

  function giveBack(uid: number): void {
    used.add(uid);
    sweeping ??= delay(waiting.length > 0 ? 0 : gatherMs, undefined, { ref: false })
      .then(sweep)
      .catch((error: unknown) => process.emitWarning(error as Error))
      .finally(() => {
        sweeping = undefined;
        const [next] = used;
        if (next !== undefined) giveBack(next);
      });
  }

  const canGrow = () => taken < mostTaken && (untried === undefined || untried.length > 0);

  async function next(signal: AbortSignal): Promise<number> {
    for (;;) {
      signal.throwIfAborted();
      const cleaned = clean.shift();
      if (cleaned !== undefined) return cleaned;
      if (canGrow()) {
        growing ??= reserve(takenTogether).finally(() => {
          growing = undefined;
        });
        await growing;
      } else await untilOneIsClean(signal);
    }
  }

  function untilOneIsClean(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const wake = () => {
        signal.removeEventListener("abort", stop);
        resolve();
      };
      const stop = () => {
        waiting.splice(waiting.indexOf(wake), 1);
        reject(signal.reason as Error);
      };
      waiting.push(wake);
      signal.addEventListener("abort", stop, { once: true });
    });
  }

  return {
    async take(signal) {
      const uid = await next(signal);
      return { uid, end: () => end(uid), giveBack: () => giveBack(uid) };
    },
  };
}

/** Without those that an account or a group of this machine has. */
async function unnamedNumbers({ from, to }: NumberRange): Promise<number[]> {
  const files = ["/etc/passwd", "/etc/group"];
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8").catch(() => "")));
  const named = new Set(
    texts
      .flatMap((text) => text.split("\n"))
      .flatMap((line) => line.split(":").slice(2, 4))
      .map(Number),
  );
  return Array.from({ length: to - from + 1 }, (_, index) => from + index).filter(
    (uid) => !named.has(uid),
  );
}

/** Reserves so many of these, and takes those that it has tried off the list. */
async function lockSome(uids: number[], most: number): Promise<number[]> {
  const locked: number[] = [];
  while (locked.length < most && uids.length > 0) {
    const uid = uids.shift()!;
    if (await lockNumber(uid)) locked.push(uid);
  }
  return locked;
}

/** Also accounts that another machine keeps, or that systemd has made up for a service. */
async function accountsAmong(uids: readonly number[]): Promise<Set<number>> {
  const { said } = await runHelper(["getent", "passwd", ...uids.map(String)], {
    timeoutMs: getentMs,
  });
  return new Set(said.split("\n").map((line) => Number(line.split(":")[2])));
}

/**
 * Reserves a number on this machine for as long as this process lives: an abstract socket belongs to whoever listens on
 * it, leaves no file behind and cannot outlive its process.
 */
function lockNumber(uid: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const lock = createServer((socket) => socket.destroy());
    lock.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve(false);
      else reject(error);
    });
    lock.listen({ path: `\0mainstay-exec-${uid}`, exclusive: true }, () => resolve(true));
    lock.unref();
  });
}
