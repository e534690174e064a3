import { lstat, opendir, realpath, statfs } from "node:fs/promises";
import { join } from "node:path";
import { leftFiles, Unreadable } from "../left-files.ts";
import {
  type FileStore,
  FolderError,
  type FolderEntry,
  nameWithin,
  type ReadOptions,
  type Space,
  unread,
  walkFolders,
} from "./file-store.ts";

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

async function open(path: string, isFirst: boolean) {
  try {
    return await opendir(path);
  } catch (error) {
    const code = codeOf(error);
    // A folder that is not there is an empty one: the counts say what is wrong with that.
    if (code === "ENOENT") return undefined;
    const why =
      code === "ENOTDIR" && isFirst
        ? `${path} is not a folder`
        : code === "EACCES" || code === "EPERM"
          ? `the folder ${path} may not be read by this server`
          : `the folder ${path} cannot be read (${code ?? String(error)})`;
    throw new FolderError("listing_error", why, { cause: error });
  }
}

async function* readFolder(path: string, isFirst: boolean): AsyncIterable<FolderEntry> {
  const folder = await open(path, isFirst);
  if (!folder) return;
  for await (const entry of folder) {
    if (entry.isDirectory()) {
      yield { name: entry.name, isFolder: true };
      continue;
    }
    try {
      const stats = await lstat(join(path, entry.name));
      const mode = (stats.mode & 0o7777).toString(8).padStart(4, "0");
      yield { name: entry.name, size: stats.size, mode, modified: stats.mtime };
    } catch (error) {
      // Gone since the folder was read.
      if (codeOf(error) !== "ENOENT") throw error;
    }
  }
}

async function spaceOf(path: string): Promise<Space | undefined> {
  try {
    const { bavail, blocks, bsize } = await statfs(path);
    return { available: bavail * bsize, total: blocks * bsize };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Each folder on the way is opened from the one above it, so that nobody leads the reader elsewhere meanwhile. */
async function readOne(
  root: string,
  name: string,
  { most, signal }: ReadOptions,
): Promise<Buffer | undefined> {
  const wanted = { root: nameWithin(name) };
  try {
    for await (const file of leftFiles(await realpath(root), wanted, { signal })) {
      if ("problem" in file) throw unread(name, `is not read: ${file.problem}`);
      if (file.path === name) return await file.read(most);
      throw unread(name, "is a folder");
    }
  } catch (error) {
    if (error instanceof Unreadable)
      throw unread(name, `is not read: ${error.message}`, { cause: error });
    if (codeOf(error) !== "ENOENT") throw error;
  }
  signal.throwIfAborted();
  throw unread(name, "is not there");
}

/** A folder of the machine that the server runs on. Links are not followed. */
export const localFiles = (root: string): FileStore => ({
  place: root,
  files: (options) =>
    walkFolders((path, isFirst) => readFolder(join(root, path), isFirst), options),
  read: (name, options) => readOne(root, name, options),
  space: () => spaceOf(root),
});
