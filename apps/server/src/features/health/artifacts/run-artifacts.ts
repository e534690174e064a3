import { artifactLimits, formatSize } from "@mainstay/contract";
import type { Gate } from "#platform/gate.ts";
import { type Left, Unreadable } from "#platform/outbound/left-files.ts";
import type { ArtifactKeeper } from "../check-types/check-type.ts";

/** Where the files of one run go. */
export interface ArtifactPlace {
  /** Resolves with why it was not kept, where it was not. */
  put(file: { path: string; content: Buffer }): Promise<string | undefined>;
  /** Drops what was put here. */
  clear(): Promise<void>;
  /** Afterwards, when something was put. */
  settle(): Promise<void>;
  /** Hears of what kept files from being kept. */
  failed(error: unknown): void;
}

/** The files of one run, from its first try to its last. */
export interface RunArtifacts extends ArtifactKeeper {
  /** Before it is tried again: what counts is the last try. */
  forget(): Promise<void>;
  /** What is said of them beside the result; undefined when there is nothing to say. */
  note(): string | undefined;
}

const { fileBytes, runFiles, runBytes } = artifactLimits;
/** Files that a note names. */
const mostNamed = 3;
const longestName = 120;
const noTime = "the run had no time left for it";

const cut = (path: string) => (path.length > longestName ? `…${path.slice(-longestName)}` : path);
const listed = (parts: readonly string[], count: number) =>
  parts.join(", ") + (count > parts.length ? ` and ${count - parts.length} more` : "");

/** Without a place nothing is kept, and the note says what would be. */
export function createRunArtifacts(gate: Gate, place?: ArtifactPlace): RunArtifacts {
  let kept: string[] = [];
  let keptCount = 0;
  let keptBytes = 0;
  let left: string[] = [];
  let leftCount = 0;
  let failure: string | undefined;

  const leave = (path: string, why: string) => {
    leftCount += 1;
    if (left.length < mostNamed) left.push(`${cut(path)} (${why})`);
  };
  const keepOne = async (file: Exclude<Left, { problem: string }>, signal: AbortSignal) => {
    const room = runBytes - keptBytes;
    const most = Math.min(fileBytes, room);
    const tooLarge = (size = most + 1) =>
      leave(
        file.path,
        size > fileBytes || room > fileBytes
          ? `larger than ${formatSize(fileBytes)}`
          : `more than ${formatSize(runBytes)} together`,
      );
    if (file.size !== undefined && file.size > most) return tooLarge(file.size);
    const keep = async () => {
      const content = await file.read(most);
      if (content === undefined) return tooLarge();
      const { path } = file;
      const why = await inTime(place?.put({ path, content }), signal);
      if (why !== undefined) return leave(path, why);
      keptCount += 1;
      keptBytes += content.length;
      if (kept.length < mostNamed) kept.push(`${cut(path)} (${formatSize(content.length)})`);
    };
    try {
      await gate.run(keep, signal);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      leave(file.path, error.message);
    }
  };

  return {
    async keep(files, { signal }) {
      try {
        signal.throwIfAborted();
        for await (const file of files) {
          signal.throwIfAborted();
          if ("problem" in file) leave(file.path, file.problem);
          else if (keptCount < runFiles) await keepOne(file, signal);
          else {
            failure = `a run keeps ${runFiles} files, and there were more`;
            break;
          }
        }
        signal.throwIfAborted();
        if (keptCount > 0) await inTime(place?.settle(), signal);
      } catch (error) {
        if (signal.aborted) failure = noTime;
        else if (error instanceof Unreadable) failure = error.message;
        else {
          failure = "the server could not keep them; its log says why";
          place?.failed(error);
        }
      }
    },
    async forget() {
      const hadFiles = keptCount > 0;
      [kept, keptCount, keptBytes, left, leftCount, failure] = [[], 0, 0, [], 0, undefined];
      if (!hadFiles) return;
      await place?.clear().catch((error: unknown) => {
        failure = "those of an earlier try may be among them";
        place.failed(error);
      });
    },
    note() {
      const parts = [
        ...(place || keptCount === 0 ? [] : [`would keep ${listed(kept, keptCount)}`]),
        ...(leftCount === 0 ? [] : [`not kept: ${listed(left, leftCount)}`]),
        ...(failure === undefined ? [] : [`files: ${failure}`]),
      ];
      return parts.length === 0 ? undefined : parts.join("; ");
    },
  };
}

/** Waits no longer than the run has time; what is written then is written without it. */
async function inTime<T>(
  work: Promise<T> | undefined,
  signal: AbortSignal,
): Promise<T | undefined> {
  if (work === undefined) return undefined;
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason as Error);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([work, ended]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
