import { posix } from "node:path";
import { openSftp, sftpCodes, type SftpFiles } from "../sftp/open-sftp.ts";
import type { SshTarget } from "../ssh/open-ssh.ts";
import type { Connector } from "../connector.ts";
import {
  type FileStore,
  FolderError,
  type FolderEntry,
  nameWithin,
  unread,
  walkFolders,
} from "./file-store.ts";

const FORMAT = 0o170_000;
const FOLDER = 0o040_000;

async function* readFolder(files: SftpFiles, path: string): AsyncIterable<FolderEntry> {
  try {
    for await (const { filename: name, attrs } of files.read(path)) {
      const { mode, size, mtime } = attrs;
      if ((mode & FORMAT) === FOLDER) yield { name, isFolder: true };
      else {
        const shown = (mode & 0o7777).toString(8).padStart(4, "0");
        yield { name, size, mode: shown, modified: new Date(mtime * 1000) };
      }
    }
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === sftpCodes.missing) return;
    if (code === sftpCodes.denied)
      throw new FolderError("listing_error", `the folder ${path} may not be read by this user`, {
        cause: error,
      });
    throw error;
  }
}

/** A folder of another machine, over SFTP. */
export async function sftpFiles(
  root: string,
  target: SshTarget,
  options: { signal: AbortSignal; connector: Connector },
): Promise<FileStore> {
  return sftpStore(await openSftp(target, options), root);
}

/** The same over a connection that is there already. */
export function sftpStore(files: SftpFiles, root: string): FileStore {
  const folder = root === "" ? "." : root;
  return {
    place: `${folder} at ${files.place}`,
    files: (walk) => walkFolders((path) => readFolder(files, posix.join(folder, path)), walk),
    async read(name, { most }) {
      const path = posix.join(folder, nameWithin(name));
      const found = await files.readFile(path, most).catch((error: unknown) => {
        const { code } = error as { code?: unknown };
        if (code === sftpCodes.missing) throw unread(path, "is not there", { cause: error });
        if (code === sftpCodes.denied)
          throw unread(path, "may not be read by this user", { cause: error });
        throw error;
      });
      if (found === "special") throw unread(path, "is not read: not a plain file");
      return found;
    },
    space: () => files.space(folder),
    close: () => files.close(),
  };
}
