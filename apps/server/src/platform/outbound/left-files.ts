import { constants, type Dirent, type Stats } from "node:fs";
import { type FileHandle, lstat, open, opendir } from "node:fs/promises";

/**
 * The files that a program has left in its folder. Whoever wrote them is not trusted: every folder on the way is opened
 * from the one above it and no link is followed, so that no name leads out; what is not a plain file of the program's own
 * is never opened; and of a million names a part is read.
 */

export interface LeftFile {
  /** From the folder on. */
  path: string;
  /** As its folder says; undefined where only reading tells. */
  size?: number;
  /** When it was written last, in milliseconds since 1970. */
  modifiedMs?: number;
  /** All of it; undefined when it holds more than `most` bytes. @throws Unreadable */
  read(most: number): Promise<Buffer | undefined>;
}

/** A file that lies on this machine. */
export interface LocalLeftFile extends LeftFile {
  /** Writes what it holds, and when it was written last, to a file that is not there yet. @throws Unreadable */
  copyTo(target: string): Promise<void>;
}

/** A file that is not kept for another reason than its size; the message says which. */
export class Unreadable extends Error {}

/** What was asked for and cannot be read, and why. */
export interface UnreadFile {
  path: string;
  problem: string;
}

export type Left = LeftFile | UnreadFile;
type LocalLeft = LocalLeftFile | UnreadFile;

export interface WantedFiles {
  /** The file, or the folder to begin in, without wildcards and without `..`; empty for the program's whole folder. */
  root: string;
  /** Of a path below the root; all when absent. */
  matches?: (relative: string) => boolean;
}

/** Names that are looked at, wanted or not. */
const mostNames = 100_000;
const deepest = 32;
const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
// A pipe would wait for its writer.
const fileFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** A name in an open folder: what the kernel makes of it cannot be led elsewhere by renaming what is above. */
const inFolder = (folder: FileHandle, name: string) => `/proc/self/fd/${folder.fd}/${name}`;

const isCode = (error: unknown, ...codes: string[]) =>
  codes.includes((error as NodeJS.ErrnoException).code ?? "");

interface Walk {
  /** Whose they must be: a hard link may be to somebody else's. */
  owner: number | undefined;
  signal: AbortSignal;
  most: number;
  names: number;
}

/** In the order of their names. Ends when the signal does. */
export async function* leftFiles(
  folder: string,
  wanted: WantedFiles,
  {
    owner,
    signal,
    most = mostNames,
  }: { owner?: number; signal: AbortSignal; /** Names to look at. */ most?: number },
): AsyncGenerator<LocalLeft> {
  const walk: Walk = { owner, signal, most, names: 0 };
  const parts = wanted.root.split("/").filter((part) => part !== "" && part !== ".");
  const opened = [await open(folder, folderFlags)];
  try {
    for (const [index, name] of parts.entries()) {
      const at = opened.at(-1)!;
      const path = parts.slice(0, index + 1).join("/");
      const next = await openFolder(at, name);
      if (typeof next === "string") return yield { path, problem: next };
      if (next === undefined) {
        const isWhole = index === parts.length - 1 && !wanted.matches;
        if (isWhole) yield* oneFile(at, { name, path, walk });
        return;
      }
      opened.push(next);
    }
    const root = parts.join("/");
    yield* below(opened.at(-1)!, { wanted: { ...wanted, root }, walk, path: "", depth: 0 });
  } finally {
    await Promise.all(opened.map((handle) => handle.close()));
  }
}

/** Undefined where there is no such folder; a text where there is and it is not gone into. */
async function openFolder(
  above: FileHandle,
  name: string,
): Promise<FileHandle | string | undefined> {
  const place = inFolder(above, name);
  try {
    return await open(place, folderFlags);
  } catch (error) {
    if (isCode(error, "EACCES")) return "the server may not read it";
    if (!isCode(error, "ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG")) throw error;
    return (await stateOf(place))?.isSymbolicLink() ? linkProblem : undefined;
  }
}

const linkProblem = "a link, and links are not followed";

/** Undefined when it has gone, or its name is no text. */
async function stateOf(place: string): Promise<Stats | undefined> {
  try {
    return await lstat(place);
  } catch (error) {
    if (isCode(error, "ENOENT", "ENAMETOOLONG")) return undefined;
    throw error;
  }
}

interface Place {
  wanted: WantedFiles;
  walk: Walk;
  /** From the root on. */
  path: string;
  depth: number;
}

async function* below(
  folder: FileHandle,
  { wanted, walk, path, depth }: Place,
): AsyncGenerator<LocalLeft> {
  const { root, matches } = wanted;
  const shown = (relative: string) => [root, relative].filter((part) => part !== "").join("/");
  const { entries, isCut } = await entriesOf(folder, walk);
  for (const entry of entries) {
    if (walk.signal.aborted) return;
    const relative = path === "" ? entry.name : `${path}/${entry.name}`;
    if (entry.isDirectory()) {
      if (depth >= deepest) {
        yield { path: shown(relative), problem: `more than ${deepest} folders deep` };
        continue;
      }
      const inner = await openFolder(folder, entry.name);
      if (typeof inner === "string") yield { path: shown(relative), problem: inner };
      if (inner === undefined || typeof inner === "string") continue;
      try {
        yield* below(inner, { wanted, walk, path: relative, depth: depth + 1 });
      } finally {
        await inner.close();
      }
    } else if (matches?.(relative) ?? true)
      yield* oneFile(folder, { name: entry.name, path: shown(relative), walk });
  }
  if (isCut)
    yield { path: shown(path) || ".", problem: `beside more than ${walk.most} other names` };
}

async function entriesOf(
  folder: FileHandle,
  walk: Walk,
): Promise<{ entries: Dirent[]; isCut: boolean }> {
  const entries: Dirent[] = [];
  const directory = await opendir(inFolder(folder, "."), { bufferSize: 1024 });
  try {
    for (;;) {
      const entry = await directory.read();
      if (entry === null || walk.signal.aborted) break;
      if (walk.names >= walk.most) return { entries: [], isCut: true };
      walk.names += 1;
      entries.push(entry);
    }
  } finally {
    await directory.close();
  }
  return {
    entries: entries.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    isCut: false,
  };
}

async function* oneFile(
  folder: FileHandle,
  { name, path, walk }: { name: string; path: string; walk: Walk },
): AsyncGenerator<LocalLeft> {
  const place = inFolder(folder, name);
  const found = await stateOf(place);
  if (found === undefined) {
    if (name.includes("\uFFFD")) yield { path, problem: "its name is no text" };
    return;
  }
  const problem = found.isSymbolicLink() ? linkProblem : whyNot(found, walk.owner);
  if (problem !== undefined) return yield { path, problem };
  const { size, mtimeMs } = found;
  const { owner } = walk;
  yield {
    path,
    size,
    modifiedMs: mtimeMs,
    read: (most) => readFile(place, { most, owner }),
    copyTo: (target) => copyFile(place, target, owner),
  };
}

const whyNot = (found: { isFile(): boolean; uid: number }, owner: number | undefined) => {
  if (!found.isFile()) return "not a plain file";
  return owner !== undefined && found.uid !== owner ? "somebody else's file" : undefined;
};

/** Opens a file that is what it was when it was listed. @throws Unreadable */
async function openFile(
  place: string,
  owner: number | undefined,
): Promise<{ file: FileHandle; found: Stats }> {
  let file: FileHandle;
  try {
    file = await open(place, fileFlags);
  } catch (error) {
    if (isCode(error, "EACCES")) throw new Unreadable("the server may not read it");
    if (isCode(error, "ENOENT", "ELOOP", "ENXIO")) throw new Unreadable("it has changed meanwhile");
    throw error;
  }
  try {
    const found = await file.stat();
    const problem = whyNot(found, owner);
    if (problem !== undefined) throw new Unreadable(problem);
    return { file, found };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function copyFile(place: string, target: string, owner: number | undefined): Promise<void> {
  const { file, found } = await openFile(place, owner);
  try {
    const copy = await open(target, "wx", 0o600);
    try {
      const bytes = Buffer.alloc(1024 * 1024);
      for (let length = 0; ;) {
        const { bytesRead } = await file.read(bytes, 0, bytes.length, null);
        if (bytesRead === 0) break;
        length += bytesRead;
        if (length > found.size) throw new Unreadable("it was written to meanwhile");
        await copy.writeFile(bytes.subarray(0, bytesRead));
      }
      await copy.utimes(found.atime, found.mtime);
    } finally {
      await copy.close();
    }
  } finally {
    await file.close();
  }
}

async function readFile(
  place: string,
  { most, owner }: { most: number; owner: number | undefined },
): Promise<Buffer | undefined> {
  const { file, found } = await openFile(place, owner);
  try {
    if (found.size > most) return undefined;
    // One more than it says shows whether it grows.
    const bytes = Buffer.alloc(found.size + 1);
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length, null);
      if (bytesRead === 0) return bytes.subarray(0, length);
      length += bytesRead;
    }
    throw new Unreadable("it was written to meanwhile");
  } finally {
    await file.close();
  }
}
