import { performance } from "node:perf_hooks";
import { abortMessage, type CheckOutcome, failed } from "../check-types/check-type.ts";
import type { Connector } from "#platform/outbound/connector.ts";
import type { RunnableCheck } from "./runnable-check.ts";

/** How long a check may take to heed its signal before it is left behind. */
const DEAF_MS = 1_000;

export interface RunCheckOptions {
  check: Pick<RunnableCheck, "run" | "timeoutMs">;
  connector: Connector;
  /** Ends the run without a result: the server stops, or nobody waits any more. */
  stop: AbortSignal;
}

/** The run was ended from outside; nothing is known about the target. */
export class StoppedRun extends Error {
  constructor() {
    super("The run was stopped before it was finished.");
    this.name = "StoppedRun";
  }
}

export interface TimedOutcome extends CheckOutcome {
  durationMs: number;
}

/**
 * Runs one check once, within its time. Whatever happens in it becomes an outcome; only an end from outside throws
 * `StoppedRun`. A check that does not heed its signal is left behind and counts as timed out.
 */
export async function runCheck({ check, connector, stop }: RunCheckOptions): Promise<TimedOutcome> {
  if (stop.aborted) throw new StoppedRun();
  const { timeoutMs } = check;
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(new Error("timed out")), timeoutMs);
  const signal = AbortSignal.any([timeout.signal, stop]);
  let deaf: NodeJS.Timeout | undefined;
  const leftBehind = new Promise<CheckOutcome>((resolve) => {
    signal.addEventListener(
      "abort",
      () => {
        deaf = setTimeout(() => resolve(failed(abortMessage({ signal, timeoutMs }))), DEAF_MS);
      },
      { once: true },
    );
  });
  const started = performance.now();
  try {
    const run = check
      .run({ signal, timeoutMs, connector })
      .catch((error: unknown): CheckOutcome => {
        if (signal.aborted) return failed(abortMessage({ signal, timeoutMs }));
        return failed(error instanceof Error ? error.message : String(error));
      });
    const outcome = await Promise.race([run, leftBehind]);
    if (stop.aborted) throw new StoppedRun();
    const elapsed = performance.now() - started;
    return { ...outcome, durationMs: outcome.durationMs ?? elapsed };
  } finally {
    clearTimeout(timer);
    clearTimeout(deaf);
  }
}
