/**
 * Calls once when a signal is aborted. @returns what ends that, and waits for a call that has begun: what it cancels is a
 * connection, which somebody else has next.
 */
export function onceAborted(signal: AbortSignal, call: () => Promise<void>): () => Promise<void> {
  let called: Promise<void> | undefined;
  const listener = () => {
    called = call();
  };
  signal.addEventListener("abort", listener, { once: true });
  return async () => {
    signal.removeEventListener("abort", listener);
    await called;
  };
}
