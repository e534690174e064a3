/** Lets so many at a time through, and so many wait; more are turned away. */
export interface Gate {
  /** Runs the work when its turn has come. Throws `GateFull` at once, or the signal's reason when that ends before. */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export class GateFull extends Error {
  constructor() {
    super("too many are waiting already");
    this.name = "GateFull";
  }
}

/** However many may wait, unless said. */
export function createGate({
  running: most,
  waiting: longest = Number.POSITIVE_INFINITY,
}: {
  running: number;
  waiting?: number;
}): Gate {
  let running = 0;
  const waiting = new Set<() => void>();

  function turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        waiting.delete(come);
        signal?.removeEventListener("abort", leave);
      };
      const come = () => {
        settle();
        resolve();
      };
      const leave = () => {
        settle();
        reject(signal?.reason as Error);
      };
      waiting.add(come);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }

  return {
    async run(work, signal) {
      signal?.throwIfAborted();
      if (running < most) running += 1;
      else {
        if (waiting.size >= longest) throw new GateFull();
        await turn(signal);
      }
      try {
        return await work();
      } finally {
        // The place is handed on, so that nobody slips in between.
        const [next] = waiting;
        if (next) next();
        else running -= 1;
      }
    },
  };
}
