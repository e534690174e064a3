import type { DataApiRequest } from "@mainstay/data-api";
import { createBudget } from "./database-budget.ts";
import { createTurns } from "./turns.ts";

type InTurn = NonNullable<DataApiRequest<unknown>["inTurn"]>;
type Need = Parameters<InTurn>[0];

/** Connections that the shares are of: for reads, and for writes that are one statement. */
export const READ_CONNECTIONS = 8;
export const WRITE_CONNECTIONS = 8;

/** Requests of one person, or of one address of nobody, at once and waiting: for reads and for writes each. */
const TURNS = { atOnce: 2, waiting: 64, longestWaitMs: 10_000 };
/** Of those, requests that may take long. */
const COSTLY_TURNS = { atOnce: 1, waiting: 64, longestWaitMs: 10_000 };
/** Those of everybody together, so that some connections are always for what is done at once. */
const EVERYBODYS_COSTLY_TURNS = { atOnce: 4, waiting: 200, longestWaitMs: 10_000 };
/** A third of one connection in the long run. */
const BUDGET = { mostMs: 20_000, perMinuteMs: 20_000, askers: 10_000 };

export interface Shares {
  /** Runs what needs the database when it is the asker's turn and he has some of its time left. */
  inTurn<T>(asker: string, need: Need, work: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Takes from the asker's share of the database's time. */
  spend(asker: string, ms: number): void;
}

/** What one asker may have of the data API's connections and of the database's time. */
export function createShares(): Shares {
  const reads = createTurns(TURNS);
  const writes = createTurns(TURNS);
  const costly = createTurns(COSTLY_TURNS);
  const everybodysCostly = createTurns(EVERYBODYS_COSTLY_TURNS);
  const budget = createBudget(BUDGET);
  return {
    async inTurn(asker, { of, isCostly }, work, signal) {
      budget.require(asker);
      const turns = of === "read" ? reads : writes;
      const taken = () =>
        turns.take(
          asker,
          async () => {
            // Others of his may have spent it while this one waited.
            budget.require(asker);
            return isCostly ? everybodysCostly.take("everybody", work, signal) : work();
          },
          signal,
        );
      return isCostly ? costly.take(asker, taken, signal) : taken();
    },
    spend: (asker, ms) => budget.spend(asker, ms),
  };
}
