import type { CanaryCheck } from "@mainstay/contract";
import { type Context, isMapping, type Value } from "@mainstay/scripting";
import type { Connector } from "#platform/outbound/connector.ts";
import { awaitingTypes } from "../check-types/index.ts";
import { dataOf } from "../scripts/context.ts";
import type { FinishedOutcome } from "../scripts/finish-outcome.ts";
import { readOutcomeScripts } from "../scripts/finish-outcome.ts";
import { readChecks } from "./read-checks.ts";
import { runCheck } from "./run-check.ts";
import { runnableCheck, type RunnableParts } from "./runnable-check.ts";

/*
 * A lookup: checks of another kind of document that are run for what they find, and whose results are not stored.
 */

export interface LookupInput {
  /** A canary spec, as it was written; its secrets are opened. */
  spec: Readonly<Record<string, unknown>>;
  /** The document that holds it. */
  document: {
    id: string;
    name: string;
    namespace: string;
    labels: Readonly<Record<string, string>>;
  };
  /** What its templates and scripts see beside the results. */
  given: Context;
  connector: Connector;
  signal: AbortSignal;
}

export interface LookupAnswer {
  /** What `display` wrote, as text, or else what the checks found: rows, items, objects. */
  values: Value[];
  /** What went wrong: then what is there may not be all. */
  errors: string[];
}

/** Runs the checks of a lookup one after another. @throws when the signal is aborted */
export async function runLookup(
  { spec, document, given, connector, signal }: LookupInput,
  parts: RunnableParts,
): Promise<LookupAnswer> {
  const read = readChecks(spec, document.namespace);
  if ("error" in read) return { values: [], errors: [`${read.name}: ${read.error}`] };
  const answer: LookupAnswer = { values: [], errors: [] };
  const canary = { ...document, labels: { ...document.labels } };
  for (const check of read.checks) {
    const held = awaitingTypes.includes(check.type)
      ? "A check that waits to be called finds nothing."
      : check.held;
    if (held !== undefined) {
      answer.errors.push(`${check.type} ${check.name}: ${held}`);
      continue;
    }
    const outcome = await runCheck({
      check: runnableCheck(check, { canary, intervalMs: undefined }, parts),
      connector,
      stop: signal,
      context: { given },
    });
    if (outcome.pass) answer.values.push(...foundBy(check, outcome));
    else
      answer.errors.push(
        `${check.type} ${check.name}: ${outcome.error ?? outcome.message ?? "failed"}`,
      );
  }
  return answer;
}

/** Each of what was found. Without a `display` that is what scripts see as `results`. */
function foundBy(check: CanaryCheck, outcome: FinishedOutcome): Value[] {
  if (readOutcomeScripts(check.spec)?.display) return [outcome.shown ?? ""];
  const { results = null } = dataOf(outcome);
  if (results === null) return [];
  if (Array.isArray(results)) return [...(results as readonly Value[])];
  if (!isMapping(results)) return [results];
  const { rows, stdout } = results;
  if (Array.isArray(rows)) return [...(rows as readonly Value[])];
  return [typeof stdout === "string" ? stdout.trim() : results];
}
