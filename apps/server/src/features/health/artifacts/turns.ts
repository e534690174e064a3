/** So many at once, the others in their order. */
export interface Turns {
  /** Resolves with what gives the turn back; rejects when the signal ends before. */
  take(signal: AbortSignal): Promise<() => void>;
}

export function createTurns(atOnce: number): Turns {
  let free = atOnce;
  const waiting = new Set<() => void>();
  const giveBack = () => {
    const [next] = waiting;
    if (next) next();
    else free += 1;
  };
  return {
    async take(signal) {
      signal.throwIfAborted();
      if (free > 0) free -= 1;
      else
        await new Promise<void>((resolve, reject) => {
          const settle = () => {
            waiting.delete(come);
            signal.removeEventListener("abort", leave);
          };
          const come = () => {
            settle();
            resolve();
          };
          const leave = () => {
            settle();
            reject(signal.reason as Error);
          };
          waiting.add(come);
          signal.addEventListener("abort", leave, { once: true });
        });
      return giveBack;
    },
  };
}
