import { defaultEntries, type FileStore, nameWithin, type StoredFile } from "./file-store.ts";

export interface StoredObject {
  key: string;
  size: number;
  modified: Date;
}

/** How the objects of a bucket are had. */
export interface Objects {
  /** Those whose names begin so. */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** The bytes of one; nothing when it holds more than `most`. */
  read(key: string, most: number): Promise<Buffer | undefined>;
}

/**
 * A part of a bucket as files: objects lie in no folders, so that everything below the prefix is found, recursive or not.
 * Empty objects that end in a slash stand for folders in consoles, and are none of the files.
 */
export function objectFiles(place: string, prefix: string, { list, read }: Objects): FileStore {
  const folder = prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`;
  return {
    place,
    async *files({ note, mostEntries = defaultEntries }): AsyncIterable<StoredFile> {
      let entries = 0;
      for await (const { key, size, modified } of list(folder)) {
        entries += 1;
        if (entries > mostEntries) {
          note(`only the first ${mostEntries} objects were looked at`);
          return;
        }
        if (key.endsWith("/")) continue;
        yield { name: key.slice(folder.length), size, mode: "", modified };
      }
    },
    // Such names mean something else in an address, another bucket among it.
    read: (name, { most }) => read(nameWithin(`${folder}${name}`), most),
  };
}
