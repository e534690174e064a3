import { timePassed } from "@mainstay/contract";

/** Results that wait longer are not just slow: something keeps them from being written. */
const LONGEST_WAIT_MS = 30_000;

/** Why a server whose results wait for so long does not do its work; undefined while they are written in time. */
export function lateResults(oldestMs: number): string | undefined {
  if (oldestMs <= LONGEST_WAIT_MS) return undefined;
  return `results of checks have waited for ${timePassed(oldestMs)} to be written to the database`;
}
