/** A file as a store lists it. */
export interface StoredFile {
  /** Below the folder that was asked for, with slashes. */
  name: string;
  size: number;
  /** Octal, where the store knows one. */
  mode: string;
  modified: Date;
}

/** What is in one folder. */
export type FolderEntry =
  | { name: string; isFolder: true }
  | { name: string; isFolder?: false; size: number; mode: string; modified: Date };

export interface Space {
  available: number;
  total: number;
}

/** Somewhere files are kept. */
export interface FileStore {
  /** As it is named in messages. */
  place: string;
  /**
   * Its files, in any order, down to so many folders inside each other; what was left out is a note. A folder that is
   * not there is an empty one.
   */
  files(options: FilesOptions): AsyncIterable<StoredFile>;
  /**
   * The bytes of one of its files, by the name that it is listed with; nothing when it holds more than `most`. Links are
   * not followed. @throws FolderError, or what the store refuses
   */
  read(name: string, options: ReadOptions): Promise<Buffer | undefined>;
  /** Of the file system; nothing where the folder is not there. */
  space?(): Promise<Space | undefined>;
  /** Lets go of connections. */
  close?(): void;
}

export interface ReadOptions {
  /** Bytes. */
  most: number;
  signal: AbortSignal;
}

export interface FilesOptions {
  signal: AbortSignal;
  levels: number;
  note: (text: string) => void;
  /** Entries looked at, in all folders together. */
  mostEntries?: number;
  /** Folders inside each other. */
  mostLevels?: number;
}

/** What failed: what was asked for cannot be meant, nobody answered, or the files are not handed out. */
export type StoreErrorType = "configuration_error" | "connection_error" | "listing_error";

/** Why the files are not known; the message is fit for a result. */
export class FolderError extends Error {
  readonly errorType: StoreErrorType;
  constructor(errorType: StoreErrorType, message: string, options?: ErrorOptions) {
    super(message, options);
    this.errorType = errorType;
  }
}

/** A name below the folder that leads nowhere else. @throws FolderError */
export function nameWithin(name: string): string {
  const parts = name.split("/");
  if (name !== "" && !name.includes("\0") && !parts.some((part) => part === "." || part === ".."))
    return name;
  throw new FolderError(
    "listing_error",
    `"${name.slice(0, 200)}" is no name of a file in a folder`,
  );
}

/** Why a file that is there is not read. */
export const unread = (name: string, why: string, options?: ErrorOptions): FolderError =>
  new FolderError("listing_error", `the file ${name} ${why}`, options);

export const defaultEntries = 100_000;
const defaultLevels = 64;

/** Walks folders inside each other, within bounds. */
export async function* walkFolders(
  read: (path: string, isFirst: boolean) => AsyncIterable<FolderEntry>,
  { signal, levels, note, mostEntries = defaultEntries, mostLevels = defaultLevels }: FilesOptions,
): AsyncIterable<StoredFile> {
  const waiting = [{ path: "", level: 0 }];
  let entries = 0;
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { path, level } = next;
    for await (const entry of read(path, level === 0)) {
      signal.throwIfAborted();
      entries += 1;
      if (entries > mostEntries) {
        note(`only the first ${mostEntries} entries were looked at`);
        return;
      }
      const name = path === "" ? entry.name : `${path}/${entry.name}`;
      if (!entry.isFolder) {
        const { size, mode, modified } = entry;
        yield { name, size, mode, modified };
      } else if (level + 1 > levels) continue;
      else if (level + 1 >= mostLevels)
        note(`${name} lies more than ${mostLevels} folders deep and was left out`);
      else waiting.push({ path: name, level: level + 1 });
    }
  }
}
