import { randomBytes } from "node:crypto";
import {
  chmod,
  chown,
  constants,
  copyFile,
  link,
  lstat,
  mkdir,
  opendir,
  rename,
  rm,
  stat,
  utimes,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { leftFiles, type LocalLeftFile } from "./left-files.ts";

/** Files that a program finds again when it runs the next time, though as somebody else. */
export interface KeptFiles {
  /** Programs that keep files under one name find each other's. */
  name: string;
  /** Where they lie below its working directory. */
  folder: string;
  /** Bytes of all of them; of more none are kept, and the next run begins without. */
  most: number;
}

/** Files of one program; more are not kept. */
const mostFiles = 20_000;
/** What a server that was killed has left of a folder that was being written is removed after so long. */
const staleMs = 3600_000;

/** One set of files, of which each is known by when it was written last. */
declare const givenMark: unique symbol;
export type Given = string & { [givenMark]: true };

export interface Keeper {
  /** Puts the kept files into an empty working directory; says which they were. */
  give(kept: KeptFiles, to: { work: string; uid: number | undefined }): Promise<Given>;
  /** Keeps what a program has left, when it has ended well. */
  take(
    kept: KeptFiles,
    from: { work: string; uid: number | undefined; given: Given | undefined; signal: AbortSignal },
  ): Promise<void>;
}

/**
 * Keeps files of programs in a folder that only this server can enter. They are copied in and out, as each run is
 * somebody else's; what a run leaves is read as that of somebody who is not trusted (left-files.ts).
 */
export function createKeeper(base: string): Keeper {
  /** One at a time may give or take files of a name. */
  const busy = new Map<string, Promise<void>>();
  const alone = <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    const done = (busy.get(name) ?? Promise.resolve()).then(work);
    const settled = done.then(
      () => undefined,
      () => undefined,
    );
    busy.set(name, settled);
    return done;
  };
  /** Another set lies in another folder. */
  const setIn = async (place: string): Promise<Given> => {
    try {
      const { ino, mtimeNs } = await stat(place, { bigint: true });
      return `${ino} ${mtimeNs}` as Given;
    } catch (error) {
      if (isMissing(error)) return "" as Given;
      throw error;
    }
  };
  return {
    give: ({ name, folder }, { work, uid }) =>
      alone(name, async () => {
        const own = (path: string) => (uid === undefined ? undefined : chown(path, uid, uid));
        const made = new Set<string>([work]);
        const makeFolder = async (path: string): Promise<void> => {
          if (made.has(path)) return;
          await makeFolder(dirname(path));
          await mkdir(path, { mode: 0o700 });
          await own(path);
          made.add(path);
        };
        for await (const { path, found } of filesIn(join(base, name), "")) {
          const target = join(work, folder, path);
          await makeFolder(dirname(target));
          await copyFile(join(base, name, path), target, constants.COPYFILE_FICLONE);
          await chmod(target, 0o600);
          // By which it is known whether the program has changed it.
          await utimes(target, found.atime, found.mtime);
          await own(target);
        }
        return setIn(join(base, name));
      }),
    take: ({ name, folder, most }, { work, uid, given, signal }) =>
      alone(name, async () => {
        const place = join(base, name);
        /** Each can be read only until the next is asked for. */
        const left = async function* (): AsyncGenerator<LocalLeftFile> {
          const wanted = { root: folder, matches: () => true };
          for await (const one of leftFiles(work, wanted, { owner: uid, signal }))
            if ("read" in one) yield { ...one, path: one.path.slice(folder.length + 1) };
        };
        const kept = new Map<string, Kept>();
        const isOurs = given !== undefined && given === (await setIn(place));
        // Of a set that another run has left meanwhile nothing is the same.
        if (isOurs) for await (const one of filesIn(place, "")) kept.set(one.path, one);
        const isSame = ({ path, size, modifiedMs = 0 }: LocalLeftFile) => {
          const known = kept.get(path)?.found;
          // Not every file system keeps parts of a millisecond.
          return known?.size === size && Math.abs((known?.mtimeMs ?? 0) - modifiedMs) < 1;
        };
        let [files, bytes, same] = [0, 0, 0];
        for await (const one of left()) {
          files += 1;
          bytes += one.size ?? 0;
          if (isSame(one)) same += 1;
          if (files > mostFiles || bytes > most) return rm(place, { recursive: true, force: true });
        }
        if (isOurs && files === same && files === kept.size) return;
        await removeStale(base, name);
        const next = `${place}.${randomBytes(8).toString("hex")}`;
        try {
          await mkdir(next, { recursive: true, mode: 0o700 });
          for await (const one of left()) {
            const target = join(next, one.path);
            await mkdir(dirname(target), { recursive: true, mode: 0o700 });
            if (isSame(one)) await link(join(place, one.path), target);
            else await one.copyTo(target);
          }
          const old = `${next}.old`;
          await rename(place, old).catch((error: unknown) => {
            if (!isMissing(error)) throw error;
          });
          await rename(next, place);
          await rm(old, { recursive: true, force: true });
        } catch (error) {
          await rm(next, { recursive: true, force: true });
          throw error;
        }
      }),
  };
}

interface Kept {
  path: string;
  found: { size: number; mtimeMs: number; atime: Date; mtime: Date };
}

const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === "ENOENT";

/** Files of our own, by their paths below a folder; none where there is no such folder. */
async function* filesIn(base: string, below: string): AsyncGenerator<Kept> {
  let folder;
  try {
    folder = await opendir(join(base, below));
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  for await (const entry of folder) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) yield* filesIn(base, path);
    else yield { path, found: await stat(join(base, path)) };
  }
}

async function removeStale(base: string, name: string): Promise<void> {
  await mkdir(base, { recursive: true, mode: 0o700 });
  for await (const entry of await opendir(base)) {
    if (!entry.name.startsWith(`${name}.`)) continue;
    const path = join(base, entry.name);
    const { mtimeMs } = await lstat(path);
    if (Date.now() - mtimeMs > staleMs) await rm(path, { recursive: true, force: true });
  }
}
