import { createShares, type Share } from "#platform/http/shares.ts";

/** What one asker, and all together, may have of the database for answers about lines. */
export const logShares = (): Share =>
  createShares({
    // A page asks for its lines, their histogram and what completes a search at the same time.
    asker: { atOnce: 3, waiting: 30, longestWaitMs: 15_000 },
    everybody: { atOnce: 6, waiting: 200, longestWaitMs: 15_000 },
    budget: { mostMs: 120_000, perMinuteMs: 60_000, askers: 10_000 },
  });
