import { ApiError } from "@mainstay/data-api";

/** What one asker may have under way and waiting at once. */
export interface TurnLimits {
  atOnce: number;
  waiting: number;
}

export interface Turns {
  /** Runs the work when it is its asker's turn. Rejects with 429 when too much of his waits already. */
  take<T>(asker: string, work: () => Promise<T>): Promise<T>;
}

interface Line {
  running: number;
  waiting: (() => void)[];
}

/** How soon to try again, in seconds. */
const RETRY_AFTER = "1";

/** Lets each asker do so much at once, so that one alone cannot keep the others from the database. */
export function createTurns({ atOnce, waiting }: TurnLimits): Turns {
  const lines = new Map<string, Line>();
  return {
    async take(asker, work) {
      const line = lines.get(asker) ?? { running: 0, waiting: [] };
      lines.set(asker, line);
      if (line.running >= atOnce) {
        if (line.waiting.length >= waiting) {
          throw new ApiError(429, "53400", "Too many requests of yours are under way.", {
            details: `At most ${atOnce} run at once and ${waiting} wait.`,
            hint: "Try again in a moment, with fewer requests at once.",
            headers: { "retry-after": RETRY_AFTER },
          });
        }
        await new Promise<void>((resolve) => line.waiting.push(resolve));
      } else line.running += 1;
      try {
        return await work();
      } finally {
        // Whoever waits longest takes the place over.
        const next = line.waiting.shift();
        if (next) next();
        else line.running -= 1;
        if (line.running === 0) lines.delete(asker);
      }
    },
  };
}
