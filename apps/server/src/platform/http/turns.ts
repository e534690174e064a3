import { ApiError } from "@mainstay/data-api";

/** What one asker may have under way and waiting at once. */
export interface TurnLimits {
  atOnce: number;
  waiting: number;
  /** Who waits longer for his turn is refused. */
  longestWaitMs: number;
}

export interface Turns {
  /**
   * Runs the work when it is its asker's turn. Rejects with 429 when too much of his waits already or waits too long, and
   * when the signal ends before his turn has come.
   */
  take<T>(asker: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

interface Line {
  running: number;
  waiting: Set<() => void>;
}

/** How soon to try again, in seconds. */
const RETRY_AFTER = 1;

export const tooMuch = (message: string, details: string, retryAfter: number = RETRY_AFTER) =>
  new ApiError(429, "53400", message, {
    details,
    hint: "Try again in a moment, with fewer requests at once.",
    headers: { "retry-after": String(retryAfter) },
  });

/** Lets each asker do so much at once, so that one alone cannot keep the others from the database. */
export function createTurns({ atOnce, waiting, longestWaitMs }: TurnLimits): Turns {
  const lines = new Map<string, Line>();

  /** Resolves when a place is given over. */
  function placeIn(line: Line, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (reason: Error) => {
        settle();
        reject(reason);
      };
      const gone = () => leave(signal?.reason as Error);
      const come = () => {
        settle();
        resolve();
      };
      const timer = setTimeout(
        () =>
          leave(
            tooMuch(
              "Too many requests of yours are under way.",
              `This one has waited for ${longestWaitMs / 1000} seconds.`,
            ),
          ),
        longestWaitMs,
      );
      const settle = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", gone);
        line.waiting.delete(come);
      };
      line.waiting.add(come);
      signal?.addEventListener("abort", gone, { once: true });
    });
  }

  return {
    async take(asker, work, signal) {
      signal?.throwIfAborted();
      const line = lines.get(asker) ?? { running: 0, waiting: new Set() };
      lines.set(asker, line);
      if (line.running < atOnce) line.running += 1;
      else {
        if (line.waiting.size >= waiting)
          throw tooMuch(
            "Too many requests of yours are under way.",
            `At most ${atOnce} run at once and ${waiting} wait.`,
          );
        await placeIn(line, signal);
      }
      try {
        return await work();
      } finally {
        // Whoever waits longest takes the place over.
        const [next] = line.waiting;
        if (next) next();
        else line.running -= 1;
        if (line.running === 0) lines.delete(asker);
      }
    },
  };
}
