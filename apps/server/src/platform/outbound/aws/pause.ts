/** Waits, unless it is told to stop. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((fulfil, reject) => {
    signal.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      fulfil();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}
