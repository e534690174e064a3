import { posix } from "node:path";
import type { Connector } from "../connector.ts";
import { statuses } from "../smb/messages.ts";
import { openSmb, type SmbFiles, type SmbTarget } from "../smb/open-smb.ts";
import { SmbRefusal } from "../smb/smb-session.ts";
import {
  type FileStore,
  FolderError,
  type FolderEntry,
  nameWithin,
  unread,
  walkFolders,
} from "./file-store.ts";

const isMissing = (error: unknown) =>
  error instanceof SmbRefusal &&
  (error.status === statuses.nameNotFound || error.status === statuses.pathNotFound);

async function* readFolder(
  files: SmbFiles,
  path: string,
  { shown, isFirst }: { shown: string; isFirst: boolean },
): AsyncIterable<FolderEntry> {
  try {
    for await (const { isFolder, ...file } of files.read(path))
      yield isFolder ? { name: file.name, isFolder } : { ...file, mode: "" };
  } catch (error) {
    if (isMissing(error)) return;
    if (!(error instanceof SmbRefusal)) throw error;
    const { status } = error;
    const why =
      status === statuses.accessDenied
        ? `the folder ${shown} may not be read by this user`
        : status === statuses.notAFolder && isFirst
          ? `${shown} is not a folder`
          : status === statuses.elsewhere
            ? `the folder ${shown} lies on another server, which is not asked`
            : error.message;
    throw new FolderError("listing_error", why, { cause: error });
  }
}

/** A folder of a share. Links are not followed. */
export async function smbFiles(
  root: string,
  target: SmbTarget,
  options: { signal: AbortSignal; connector: Connector },
): Promise<FileStore> {
  const files = await openSmb(target, options);
  // The server is told the way from the share on, which no name may leave.
  const inShare = (path: string) => posix.join("/", root, path).replace(/^\/|\/$/g, "");
  const shown = (path: string) =>
    `\\\\${target.host}\\${[target.share, inShare(path)].filter(Boolean).join("/").replaceAll("/", "\\")}`;
  return {
    place: shown(""),
    files: (walk) =>
      walkFolders(
        (path, isFirst) => readFolder(files, inShare(path), { shown: shown(path), isFirst }),
        walk,
      ),
    async read(name, { most }) {
      const path = nameWithin(name);
      try {
        return await files.readFile(inShare(path), most);
      } catch (error) {
        if (isMissing(error)) throw unread(shown(path), "is not there", { cause: error });
        if (!(error instanceof SmbRefusal)) throw error;
        const { status } = error;
        const why =
          status === statuses.accessDenied
            ? "may not be read by this user"
            : status === statuses.isAFolder
              ? "is a folder"
              : `is not read: ${error.message}`;
        throw unread(shown(path), why, { cause: error });
      }
    },
    async space() {
      try {
        return await files.space(inShare(""));
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    close: () => files.close(),
  };
}
