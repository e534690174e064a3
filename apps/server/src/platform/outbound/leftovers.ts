import { lstat, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { folderAt, folderPrefix, removeAs } from "./private-folder.ts";
import { runHelper } from "./run-as.ts";

/** Where everybody may leave files, on the systems we know. */
const places = [...new Set([tmpdir(), "/tmp", "/var/tmp", "/dev/shm", "/run/lock", "/dev/mqueue"])];
const ipcrmMs = 2000;
/** Tables of System V IPC, the column with the id, and the option of `ipcrm` that removes one. */
const ipcTables = [
  ["shm", "shmid", "-m"],
  ["sem", "semid", "-s"],
  ["msg", "msqid", "-q"],
] as const;

/**
 * Removes what scripts have left under user numbers of their own: the next one with the same number must find nothing.
 * No process of these numbers may be alive.
 */
export async function removeLeftovers(uids: ReadonlySet<number>): Promise<void> {
  await Promise.all([...places.map((place) => removeFiles(place, uids)), removeIpc(uids)]);
}

async function removeFiles(place: string, uids: ReadonlySet<number>): Promise<void> {
  for (const name of await namesIn(place)) {
    const path = join(place, name);
    const found = await lstat(path).catch(() => undefined);
    if (!found) continue;
    if (uids.has(found.uid)) await removeAs(found.uid, [path]);
    // The folder of a run whose server was killed.
    else if (found.uid === 0 && uids.has(found.gid) && name.startsWith(folderPrefix))
      await folderAt(path, found.gid).remove();
  }
}

async function namesIn(place: string): Promise<string[]> {
  try {
    return await readdir(place);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code!)) return [];
    throw error;
  }
}

async function removeIpc(uids: ReadonlySet<number>): Promise<void> {
  for (const [table, idColumn, option] of ipcTables) {
    const text = await readFile(`/proc/sysvipc/${table}`, "utf8").catch(() => "");
    const [head = [], ...rows] = text.split("\n").map((line) => line.trim().split(/\s+/));
    const at = (row: string[], column: string) => Number(row[head.indexOf(column)]);
    for (const row of rows) {
      if (!uids.has(at(row, "uid")) && !uids.has(at(row, "cuid"))) continue;
      await runHelper(["ipcrm", option, String(at(row, idColumn))], { timeoutMs: ipcrmMs });
    }
  }
}
