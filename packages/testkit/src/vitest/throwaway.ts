import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";

/** In memory, on Linux. */
const inMemory = "/dev/shm";
/** More than all databases that tests have at a time. */
const roomWanted = 4 * 2 ** 30;
const prefix = "mainstay-tests-";

/**
 * Makes the folder for the databases of one run of tests, and says where it is: in memory where there is room, as a
 * file system on a disk makes copying a database twenty times as dear. What killed runs have left there is removed.
 */
export function makeThrowawayFolder(): string {
  const place = hasRoom() ? inMemory : "/tmp";
  for (const name of readdirSync(place))
    if (name.startsWith(prefix) && !isRunning(Number(name.slice(prefix.length))))
      rmSync(join(place, name), { recursive: true, force: true });
  const folder = join(place, `${prefix}${process.pid}`);
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Somebody else's runs as well.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function hasRoom(): boolean {
  if (!existsSync(inMemory)) return false;
  const { bavail, bsize } = statfsSync(inMemory);
  return Math.min(bavail * bsize, process.availableMemory()) > roomWanted;
}
