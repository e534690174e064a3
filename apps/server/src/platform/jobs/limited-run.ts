/** How long a run may take to stop after its signal was aborted, before it is counted as failed without it. */
export const STOP_GRACE_MS = 5_000;

/**
 * Runs `work` with a signal that is aborted after `timeoutMs` or when `stop` is. A run that does not stop then is
 * abandoned: it counts as failed, and whatever it still does must not matter (jobs may run twice anyway).
 */
export async function runLimited<Result>(
  options: { name: string; timeoutMs: number; stop: AbortSignal; graceMs?: number },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { name, timeoutMs, stop, graceMs = STOP_GRACE_MS } = options;
  const timeout = new AbortController();
  const timer = setTimeout(
    () =>
      timeout.abort(new Error(`${name} did not finish within ${timeoutMs} ms and was stopped.`)),
    timeoutMs,
  );
  const signal = AbortSignal.any([timeout.signal, stop]);
  let grace: NodeJS.Timeout | undefined;
  const { promise: abandoned, reject: abandon } = Promise.withResolvers<never>();
  const onAbort = () => {
    grace = setTimeout(() => abandon(signal.reason as Error), graceMs);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    const result = await Promise.race([work(signal), abandoned]);
    // A run that returns although it was told to stop has not done all its work.
    if (timeout.signal.aborted) throw timeout.signal.reason as Error;
    return result;
  } catch (error) {
    // The reason says more than the "operation was aborted" of whatever was interrupted.
    throw timeout.signal.aborted ? timeout.signal.reason : error;
  } finally {
    signal.removeEventListener("abort", onAbort);
    clearTimeout(timer);
    clearTimeout(grace);
  }
}

/** Resolves to whether `promise` settled within `ms`. */
export async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([
      promise.then(
        () => true as const,
        () => true as const,
      ),
      late,
    ]);
  } finally {
    clearTimeout(timer);
  }
}
