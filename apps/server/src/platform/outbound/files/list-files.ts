import type { RE2JS } from "re2js";
import type { FileStore, FilesOptions } from "./file-store.ts";

export interface FileFilter {
  minAgeMs?: number | undefined;
  maxAgeMs?: number | undefined;
  since?: Date | undefined;
  minSize?: number | undefined;
  maxSize?: number | undefined;
  regex?: RE2JS | undefined;
  /** Of a path with wildcards. */
  matches?: ((relative: string) => boolean) | undefined;
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
  /** The first ones, in the order of the store. */
  files: FoundFile[];
  /** What was not looked at, and why. */
  notes: string[];
}

interface Sized {
  name: string;
  size: number;
  modified: Date;
}

function isWanted({ name, size, modified }: Sized, filter: FileFilter, now: Date): boolean {
  const ageMs = now.getTime() - modified.getTime();
  const own = name.slice(name.lastIndexOf("/") + 1);
  return !(
    (filter.minAgeMs !== undefined && ageMs < filter.minAgeMs) ||
    (filter.maxAgeMs !== undefined && ageMs > filter.maxAgeMs) ||
    (filter.since !== undefined && modified < filter.since) ||
    (filter.minSize !== undefined && size < filter.minSize) ||
    (filter.maxSize !== undefined && size > filter.maxSize) ||
    filter.matches?.(name) === false ||
    // Patterns are written for the name of a file as well as for the way to it.
    (filter.regex !== undefined &&
      !filter.regex.matcher(own).find() &&
      !filter.regex.matcher(name).find())
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

export interface ListOptions extends Omit<FilesOptions, "note"> {
  store: FileStore;
  filter: FileFilter;
  now: Date;
  /** Files that are described one by one. */
  kept: number;
}

/** The files of a store that are wanted, counted; folders themselves do not count. */
export async function listFiles({
  store,
  filter,
  now,
  kept,
  ...options
}: ListOptions): Promise<Listing> {
  const listing: Listing = { count: 0, size: 0, files: [], notes: [] };
  const note = (text: string) => listing.notes.push(text);
  for await (const file of store.files({ ...options, note })) {
    options.signal.throwIfAborted();
    if (isWanted(file, filter, now)) add(listing, { ...file, is_dir: false }, kept);
  }
  return listing;
}
