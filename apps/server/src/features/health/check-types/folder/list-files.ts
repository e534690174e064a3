import { lstat, opendir } from "node:fs/promises";
import { join, relative } from "node:path";
import type { RE2JS } from "re2js";

export interface FileFilter {
  minAgeMs?: number;
  maxAgeMs?: number;
  since?: Date;
  minSize?: number;
  maxSize?: number;
  regex?: RE2JS;
}

/** A file as scripts see it. */
export interface FoundFile {
  name: string;
  size: number;
  mode: string;
  modified: Date;
  is_dir: boolean;
}

export interface Listing {
  count: number;
  /** Bytes of all files together. */
  size: number;
  oldest?: FoundFile;
  newest?: FoundFile;
  smallest?: FoundFile;
  largest?: FoundFile;
  /** The first ones, in the order of the file system. */
  files: FoundFile[];
  /** What was not looked at, and why. */
  notes: string[];
}

export interface ListOptions {
  path: string;
  recursive: boolean;
  filter: FileFilter;
  now: Date;
  signal: AbortSignal;
  /** Files that are described one by one. */
  kept: number;
  /** Entries looked at, in all folders together. */
  mostEntries?: number;
  /** Folders inside each other. */
  mostLevels?: number;
}

function isWanted(
  name: string,
  bytes: number,
  modified: Date,
  filter: FileFilter,
  now: Date,
): boolean {
  const ageMs = now.getTime() - modified.getTime();
  return !(
    (filter.minAgeMs !== undefined && ageMs < filter.minAgeMs) ||
    (filter.maxAgeMs !== undefined && ageMs > filter.maxAgeMs) ||
    (filter.since !== undefined && modified < filter.since) ||
    (filter.minSize !== undefined && bytes < filter.minSize) ||
    (filter.maxSize !== undefined && bytes > filter.maxSize) ||
    (filter.regex !== undefined && !filter.regex.matcher(name).find())
  );
}

function add(listing: Listing, file: FoundFile, kept: number): void {
  listing.count += 1;
  listing.size += file.size;
  if (!listing.oldest || file.modified < listing.oldest.modified) listing.oldest = file;
  if (!listing.newest || file.modified > listing.newest.modified) listing.newest = file;
  if (!listing.smallest || file.size < listing.smallest.size) listing.smallest = file;
  if (!listing.largest || file.size > listing.largest.size) listing.largest = file;
  if (listing.files.length < kept) listing.files.push(file);
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

async function open(path: string, isFirst: boolean) {
  try {
    return await opendir(path);
  } catch (error) {
    const code = codeOf(error);
    // A folder that is not there is an empty one: the counts say what is wrong with that.
    if (code === "ENOENT") return undefined;
    if (code === "ENOTDIR" && isFirst) throw new Error(`${path} is not a folder`, { cause: error });
    if (code === "EACCES" || code === "EPERM")
      throw new Error(`the folder ${path} may not be read by this server`, { cause: error });
    throw new Error(`the folder ${path} cannot be read (${code ?? String(error)})`, {
      cause: error,
    });
  }
}

/** Looks at the files of a folder, within bounds. Links are not followed; folders themselves do not count. */
export async function listFiles(options: ListOptions): Promise<Listing> {
  const {
    path: root,
    recursive,
    filter,
    now,
    signal,
    kept,
    mostEntries = 100_000,
    mostLevels = 64,
  } = options;
  const listing: Listing = { count: 0, size: 0, files: [], notes: [] };
  const waiting: { path: string; level: number }[] = [{ path: root, level: 1 }];
  let entries = 0;
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { path, level } = next;
    const folder = await open(path, level === 1);
    if (!folder) continue;
    for await (const entry of folder) {
      signal.throwIfAborted();
      entries += 1;
      if (entries > mostEntries) {
        listing.notes.push(`only the first ${mostEntries} entries were looked at`);
        return listing;
      }
      const full = join(path, entry.name);
      if (entry.isDirectory()) {
        if (!recursive) continue;
        if (level >= mostLevels)
          listing.notes.push(
            `${relative(root, full)} lies more than ${mostLevels} folders deep and was left out`,
          );
        else waiting.push({ path: full, level: level + 1 });
        continue;
      }
      let stats;
      try {
        stats = await lstat(full);
      } catch (error) {
        // Gone since the folder was read.
        if (codeOf(error) === "ENOENT") continue;
        throw error;
      }
      if (!isWanted(entry.name, stats.size, stats.mtime, filter, now)) continue;
      const mode = (stats.mode & 0o7777).toString(8).padStart(4, "0");
      add(
        listing,
        {
          name: relative(root, full),
          size: stats.size,
          mode,
          modified: stats.mtime,
          is_dir: false,
        },
        kept,
      );
    }
  }
  return listing;
}
