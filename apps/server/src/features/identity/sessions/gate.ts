/** Lets so many at a time through, and so many wait; more are turned away. */
export interface Gate {
  /** Runs the work when its turn has come, or throws `GateFull` at once. */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export class GateFull extends Error {
  constructor() {
    super("too many are waiting already");
    this.name = "GateFull";
  }
}

export function createGate(limits: { running: number; waiting: number }): Gate {
  let running = 0;
  const waiting: (() => void)[] = [];
  return {
    async run(work, signal) {
      if (running >= limits.running) {
        if (waiting.length >= limits.waiting) throw new GateFull();
        await new Promise<void>((resolve) => waiting.push(resolve));
      } else {
        running += 1;
      }
      try {
        signal?.throwIfAborted();
        return await work();
      } finally {
        // The place is handed on, so that nobody slips in between.
        const next = waiting.shift();
        if (next) next();
        else running -= 1;
      }
    },
  };
}
