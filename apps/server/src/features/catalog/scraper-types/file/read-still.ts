import { lstat } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { FolderError } from "#platform/outbound/files/file-store.ts";

/** Long enough for whoever writes a file in portions to have written the next one. */
const stillMs = 1000;
const patienceMs = 5000;

/** Which state of a file there is, and how long ago it came about; nothing where there is no file. */
async function stateOf(path: string): Promise<{ state: string; ageMs: number } | undefined> {
  try {
    const { mtimeMs, size, ino } = await lstat(path);
    return { state: `${mtimeMs} ${size} ${ino}`, ageMs: Math.abs(Date.now() - mtimeMs) };
  } catch {
    // Reading it says what is wrong.
    return undefined;
  }
}

/**
 * Reads a file once it has not changed for a second, and again when it changed meanwhile: half a file is one as well, in
 * most formats. @throws FolderError when it keeps changing
 */
export async function readStill<Content>(
  path: string,
  { signal, read }: { signal: AbortSignal; read(): Promise<Content> },
): Promise<Content> {
  const end = performance.now() + patienceMs;
  while (performance.now() < end) {
    const before = await stateOf(path);
    if (before && before.ageMs < stillMs) {
      await wait(stillMs - before.ageMs + 1, undefined, { signal });
      continue;
    }
    const content = await read();
    if ((await stateOf(path))?.state === before?.state) return content;
  }
  throw new FolderError(
    "listing_error",
    `${path} is being written: it changed all the time for ${patienceMs / 1000} seconds, so it was not read`,
  );
}
