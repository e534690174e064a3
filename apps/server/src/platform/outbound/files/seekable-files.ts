import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { Connector } from "../connector.ts";
import { openSftp, type OpenedFile, sftpCodes } from "../sftp/open-sftp.ts";
import type { SshTarget } from "../ssh/open-ssh.ts";
import { type FileStore, type StoredFile, unread } from "./file-store.ts";
import { localFiles } from "./local-files.ts";
import { readPathPattern } from "./path-pattern.ts";
import { sftpStore } from "./sftp-files.ts";

/** Files of a machine that are read here and there, not from their beginning to their end. */
export interface SeekableFiles {
  /** For messages. */
  readonly place: string;
  /** Those that a path means, with `*` and `**`; their names are whole paths. */
  find(
    path: string,
    options: { signal: AbortSignal; note: (text: string) => void },
  ): AsyncIterable<StoredFile>;
  /** Links are not followed. @throws FolderError */
  open(path: string): Promise<OpenedFile>;
  close(): void;
}

const join = (root: string, name: string) => `${root === "/" ? "" : root}/${name}`;

async function* findIn(
  storeOf: (root: string) => FileStore,
  path: string,
  { signal, note }: { signal: AbortSignal; note: (text: string) => void },
): AsyncIterable<StoredFile> {
  const pattern = readPathPattern(path, false);
  const root = pattern.matches ? pattern.root : dirname(path);
  const isMeant = pattern.matches ?? ((name: string) => name === basename(path));
  for await (const file of storeOf(root).files({ signal, levels: pattern.levels, note }))
    if (isMeant(file.name)) yield { ...file, name: join(root, file.name) };
}

/** Of the machine that the server runs on. */
export const localSeekable = (): SeekableFiles => ({
  place: "this machine",
  find: (path, options) => findIn(localFiles, path, options),
  open: openLocal,
  close: () => undefined,
});

async function openLocal(path: string): Promise<OpenedFile> {
  const handle = await open(
    path,
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  ).catch((error: NodeJS.ErrnoException) => {
    const why =
      error.code === "ENOENT"
        ? "is not there"
        : error.code === "ELOOP"
          ? "is not read: it is a link"
          : error.code === "EACCES" || error.code === "EPERM"
            ? "may not be read by this server"
            : `cannot be read (${error.code ?? error.message})`;
    throw unread(path, why, { cause: error });
  });
  const close = () => void handle.close().catch(() => undefined);
  const about = await handle.stat();
  if (!about.isFile()) {
    close();
    throw unread(path, "is not read: not a plain file");
  }
  return {
    size: about.size,
    modified: about.mtime,
    async read(from, length) {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, from);
      return buffer.subarray(0, bytesRead);
    },
    close,
  };
}

/** Of another machine, over SFTP. */
export async function remoteSeekable(
  target: SshTarget,
  options: { signal: AbortSignal; connector: Connector },
): Promise<SeekableFiles> {
  const files = await openSftp(target, options);
  return {
    place: files.place,
    find: (path, walk) => findIn((root) => sftpStore(files, root), path, walk),
    async open(path) {
      const opened = await files.open(path).catch((error: Error & { code?: number }) => {
        if (error.code === sftpCodes.missing) throw unread(path, "is not there", { cause: error });
        if (error.code === sftpCodes.denied)
          throw unread(path, "may not be read by this user", { cause: error });
        throw error;
      });
      if (opened === "special") throw unread(path, "is not read: not a plain file");
      return opened;
    },
    close: () => files.close(),
  };
}
