import { diskFull } from "./data-directory.ts";

/** What PostgreSQL printed before it gave up, as one line that says what to do. */
export function explain(output: string, dataDir: string): string {
  if (/No space left on device|Disk quota exceeded/i.test(output)) return diskFull(dataDir).message;
  if (/lock file .* already exists/i.test(output)) {
    return `The data directory ${dataDir} is in use by another database server. Stop it, or choose another directory.`;
  }
  if (/incompatible with server/i.test(output)) {
    return `The data directory ${dataDir} was written by another major version of PostgreSQL.`;
  }
  if (/wrong ownership|Permission denied|could not access directory/i.test(output)) {
    return `The database cannot use ${dataDir}: its files belong to another user or are not accessible. Correct their owner and permissions.`;
  }
  const lines = output
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .slice(-5)
    .join(" | ");
  return `The embedded database did not start: ${lines || "no output"}`;
}
