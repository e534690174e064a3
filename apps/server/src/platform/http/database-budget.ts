import { tooMuch } from "./turns.ts";

/** What one asker may have of the database's time. */
export interface BudgetLimits {
  /** Spent at once at most. */
  mostMs: number;
  /** Given back in a minute. */
  perMinuteMs: number;
  /** Askers that are remembered. */
  askers: number;
}

/** What is done within this time costs nothing: it is no burden, however much of it there is. */
const FREE_MS = 100;

export interface Budget {
  /** Throws 429, with the time after which there is some of it again, when it is spent. */
  require(asker: string): void;
  /** Takes what a statement took. */
  spend(asker: string, ms: number): void;
}

interface Spent {
  ms: number;
  at: number;
}

/**
 * A budget of the database's time for each asker, which fills up again as time goes by. Kept in this process: it is about
 * the connections of this process.
 */
export function createBudget(
  { mostMs, perMinuteMs, askers }: BudgetLimits,
  now: () => number = () => performance.now(),
): Budget {
  const spentBy = new Map<string, Spent>();
  const left = ({ ms, at }: Spent) => Math.max(0, ms - ((now() - at) * perMinuteMs) / 60_000);

  /** Those who have all of theirs again need not be remembered; then whoever has asked for nothing the longest. */
  function forget(): void {
    for (const [asker, spent] of spentBy) if (left(spent) === 0) spentBy.delete(asker);
    for (const asker of spentBy.keys()) {
      if (spentBy.size <= askers) return;
      spentBy.delete(asker);
    }
  }

  return {
    require(asker) {
      const spent = spentBy.get(asker);
      const ms = spent ? left(spent) : 0;
      if (ms < mostMs) return;
      const seconds = Math.ceil((((ms - mostMs) / perMinuteMs) * 60_000) / 1000) + 1;
      throw tooMuch(
        "Your requests have taken too much of the database's time.",
        `At most ${perMinuteMs / 1000} seconds of it are yours in a minute.`,
        seconds,
      );
    },
    spend(asker, ms) {
      if (ms <= FREE_MS) return;
      const spent = spentBy.get(asker);
      spentBy.delete(asker);
      spentBy.set(asker, { ms: (spent ? left(spent) : 0) + ms - FREE_MS, at: now() });
      if (spentBy.size > askers) forget();
    },
  };
}
