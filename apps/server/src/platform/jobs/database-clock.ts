/** The database's time between two looks at it, carried on by this process's monotonic clock. */
export interface DatabaseClock {
  /** In milliseconds since the epoch, with fractions. Throws before the first look. */
  nowMs(): number;
  /**
   * A look: what the database said, and when it was asked (`performance.now()`); it has just answered. Returns by how
   * many milliseconds a clock was set since the look before, at least; negative when it went back, 0 when none was.
   */
  saw(said: Date, askedMs: number): number;
}

/** How far two clocks may part in one second, in milliseconds: what NTP slews at most (500 ppm), for each of them. */
const DRIFT = 1;
/** The database says whole milliseconds of its time, cut off. */
const CUT_MS = 1;

/**
 * The database answered at some moment between the question and the answer, so the difference of the clocks lies within
 * the time that took. Of all looks the narrowest counts, made wider by what the clocks may have parted since: how long
 * one answer took moves nothing. A look that does not agree with those before means that a clock was set: it counts.
 */
export function createDatabaseClock(monotonicMs = () => performance.now()): DatabaseClock {
  let known: { low: number; high: number; atMs: number } | undefined;
  return {
    nowMs() {
      if (!known) throw new Error("The database has not said yet what time it is.");
      return monotonicMs() + (known.low + known.high) / 2;
    },
    saw(said, askedMs) {
      const atMs = monotonicMs();
      const look = { low: said.getTime() - atMs, high: said.getTime() + CUT_MS - askedMs };
      const parted = known ? ((atMs - known.atMs) / 1000) * DRIFT : 0;
      const low = Math.max(look.low, (known?.low ?? look.low) - parted);
      const high = Math.min(look.high, (known?.high ?? look.high) + parted);
      if (low <= high) {
        known = { low, high, atMs };
        return 0;
      }
      known = { ...look, atMs };
      const wentBack = high === look.high;
      return wentBack ? high - low : low - high;
    },
  };
}
