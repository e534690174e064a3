/*
 * By when a check must have its next result. That is said with each result and when a document is saved, so that every
 * reader can tell by the database's clock alone that results have stopped: nobody has to be alive to notice.
 */

/** Checks of one canary that run at the same time. */
export const CHECKS_AT_ONCE = 16;
/** For what lies between a run and its row: the start after the slot, the writer, another server taking over. */
export const GRACE_MS = 15_000;

export interface RunTimes {
  /** The longest that a run of all checks takes. */
  longestMs: number;
  /** How long after a slot the result of each check may be there, in the order of the checks. */
  allowancesMs: number[];
}

/** A check waits at most as long for its turn as the others take, shared by those that run at once. */
export function runTimes(timeoutsMs: readonly number[]): RunTimes {
  const sum = timeoutsMs.reduce((all, ms) => all + ms, 0);
  const takes = timeoutsMs.map((ms) =>
    timeoutsMs.length <= CHECKS_AT_ONCE ? ms : Math.ceil((sum - ms) / CHECKS_AT_ONCE) + ms,
  );
  return {
    longestMs: takes.reduce((longest, ms) => Math.max(longest, ms), 0),
    allowancesMs: takes.map((ms) => ms + GRACE_MS),
  };
}
