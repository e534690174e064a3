import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Where the run of tests says, or on the disk. */
export const throwawayFolder = process.env["MAINSTAY_THROWAWAY"] ?? "/tmp";
const made: string[] = [];
const mounted: string[] = [];

/** A directory of the test's own that every account can pass through. */
export function makePlace(): string {
  const place = mkdtempSync(join(throwawayFolder, "mainstay-embedded-"));
  spawnSync("chmod", ["755", place]);
  made.push(place);
  return place;
}

/** A small disk at `directory`; false when this machine does not let us mount one. */
export function mountSmallDisk(directory: string, options: string): boolean {
  mkdirSync(directory, { recursive: true });
  const isMounted =
    spawnSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", directory]).status === 0;
  if (isMounted) mounted.push(directory);
  return isMounted;
}

export function removePlaces(): void {
  for (const directory of mounted.splice(0)) spawnSync("umount", ["-l", directory]);
  for (const place of made.splice(0)) rmSync(place, { recursive: true, force: true });
}
