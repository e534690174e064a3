import { setTimeout as pause } from "node:timers/promises";

const firstMs = 100;
const longestMs = 2000;

interface Waiting {
  signal: AbortSignal;
  /** Without it only the signal ends the waiting. */
  timeoutMs?: number | undefined;
  /** Between looks; from short to two seconds when absent. */
  everyMs?: number | undefined;
}

/** Looks again and again until there is an answer; undefined when the time is over before. */
export async function waitUntil<T>(
  look: () => Promise<T | undefined>,
  { signal, timeoutMs, everyMs }: Waiting,
): Promise<T | undefined> {
  const began = performance.now();
  for (let wait = everyMs ?? firstMs; ; wait = everyMs ?? Math.min(wait * 2, longestMs)) {
    const found = await look();
    if (found !== undefined) return found;
    const left = timeoutMs === undefined ? wait : timeoutMs - (performance.now() - began);
    if (left <= 0) return undefined;
    await pause(Math.min(wait, left), undefined, { signal });
  }
}
