import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { abortMessage, type CheckOutcome, failed, failedBy } from "../check-types/check-type.ts";
import type { Connector } from "#platform/outbound/connector.ts";
import type { RunArtifacts } from "../artifacts/run-artifacts.ts";
import type { RunContext } from "../scripts/context.ts";
import type { FinishedOutcome } from "../scripts/finish-outcome.ts";
import type { CheckRun, RunnableCheck } from "./runnable-check.ts";

/** How long a check may take to heed its signal before it is left behind. */
const DEAF_MS = 1_000;

export interface RunCheckOptions {
  check: Pick<RunnableCheck, "begin" | "timeoutMs" | "retries">;
  connector: Connector;
  /** Ends the run without a result: the server stops, or nobody waits any more. */
  stop: AbortSignal;
  context?: RunContext;
  /** Where files that the run leaves go. */
  artifacts?: RunArtifacts;
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
 * Runs one check, within its time, and again where it failed and its document says so. Whatever happens in it becomes an
 * outcome; only an end from outside throws `StoppedRun`.
 */
export async function runCheck(options: RunCheckOptions): Promise<FinishedOutcome> {
  const outcome = await runWithRetries(options);
  const note = options.artifacts?.note();
  if (note === undefined) return outcome;
  return { ...outcome, message: [outcome.message, note].filter(Boolean).join("; ") };
}

async function runWithRetries(options: RunCheckOptions): Promise<FinishedOutcome> {
  const { retries } = options.check;
  const began = performance.now();
  let outcome = await runOnce(options);
  if (!retries) return outcome;
  for (let tries = 0; tries < retries.most && !outcome.pass && !outcome.invalid; tries += 1) {
    const waitMs = tries === 0 ? retries.delayMs : retries.everyMs;
    if (performance.now() + waitMs - began > retries.longestMs) break;
    await delay(waitMs, undefined, { signal: options.stop }).catch(() => undefined);
    await options.artifacts?.forget();
    outcome = await runOnce(options);
  }
  return outcome;
}

async function runOnce({
  check,
  connector,
  stop,
  context = {},
  artifacts,
}: RunCheckOptions): Promise<FinishedOutcome> {
  if (stop.aborted) throw new StoppedRun();
  const begun = check.begin(context);
  const { timeoutMs } = check;
  const outcome = await runInTime(begun, { timeoutMs, connector, stop, artifacts });
  if (!begun.finish) return outcome;
  try {
    return await begun.finish(outcome);
  } catch (error) {
    // The thread of scripts ends with the server.
    if (stop.aborted) throw new StoppedRun();
    throw error;
  }
}

/** A check that does not heed its signal is left behind and counts as timed out. */
async function runInTime(
  begun: CheckRun,
  {
    timeoutMs,
    connector,
    stop,
    artifacts,
  }: Pick<RunCheckOptions, "connector" | "stop" | "artifacts"> & { timeoutMs: number },
): Promise<TimedOutcome> {
  // No `AbortSignal.any`: Node keeps one that is listened to as long as its sources live, and what listens with it.
  const ending = new AbortController();
  const { signal } = ending;
  const onStop = () => ending.abort(stop.reason);
  stop.addEventListener("abort", onStop, { once: true });
  const timer = setTimeout(() => ending.abort(new Error("timed out")), timeoutMs);
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
    const run = begun
      .run({ signal, timeoutMs, connector, ...(artifacts && { artifacts }) })
      .catch((error: unknown): CheckOutcome => {
        if (signal.aborted) return failed(abortMessage({ signal, timeoutMs }));
        return failedBy(error);
      });
    const outcome = await Promise.race([run, leftBehind]);
    if (stop.aborted) throw new StoppedRun();
    const elapsed = performance.now() - started;
    return { ...outcome, durationMs: outcome.durationMs ?? elapsed };
  } finally {
    stop.removeEventListener("abort", onStop);
    clearTimeout(timer);
    clearTimeout(deaf);
  }
}
