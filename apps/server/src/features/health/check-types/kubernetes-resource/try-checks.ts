import { setTimeout as pause } from "node:timers/promises";
import { type KubernetesResourceSpec, parseDuration } from "@mainstay/contract";
import type { Context } from "@mainstay/scripting";
import { type CheckInput, isUntried, type LentResult } from "../check-type.ts";

const defaultIntervalMs = 1000;
const defaultRetries = 3;

export interface TriedChecks {
  results: readonly LentResult[];
  /** Which failed, and why. */
  error?: string;
  /** None of them could try what it is about. */
  isUntried?: boolean;
}

const spanOf = (text: string | undefined, absent: number) =>
  text === undefined ? absent : parseDuration(text);

/** Runs the checks that the document holds for what was made, again while one of them fails and it says so. */
export async function tryChecks(
  {
    spec,
    signal,
    lent,
    connector,
  }: Pick<CheckInput<KubernetesResourceSpec>, "spec" | "signal" | "lent" | "connector">,
  seen: Context,
): Promise<TriedChecks> {
  const { checks = [], checkRetries } = spec;
  if (checks.length === 0) return { results: [] };
  if (!lent) return { results: [], error: "checks of a check cannot be run here", isUntried: true };
  const runAll = async (): Promise<LentResult[]> => {
    const results: LentResult[] = [];
    for (const one of checks)
      results.push(...(await lent.runChecks(one, seen, { signal, connector })));
    return results;
  };
  if (checkRetries?.delay) await pause(parseDuration(checkRetries.delay), undefined, { signal });
  const began = performance.now();
  let results = await runAll();
  if (checkRetries) {
    const longestMs = spanOf(checkRetries.timeout, Number.POSITIVE_INFINITY);
    const everyMs = spanOf(checkRetries.interval, defaultIntervalMs);
    const most =
      checkRetries.maxRetries ?? (checkRetries.timeout ? Number.POSITIVE_INFINITY : defaultRetries);
    for (let tries = 0; tries < most && results.some(isWorthTrying); tries += 1) {
      if (performance.now() + everyMs - began > longestMs) break;
      await pause(everyMs, undefined, { signal });
      results = await runAll();
    }
  }
  const bad = results.filter(({ pass }) => !pass);
  if (bad.length === 0) return { results };
  return {
    results,
    error: bad.map(({ name, error }) => `${name}: ${error ?? "failed"}`).join("; "),
    // One that has failed for certain is enough.
    ...(bad.every(isUntried) && { isUntried: true }),
  };
}

const isWorthTrying = ({ pass, invalid }: LentResult) => !pass && !invalid;
