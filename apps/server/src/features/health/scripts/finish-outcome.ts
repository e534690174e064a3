import { type PlacedScript, scriptsOfCheck } from "@mainstay/contract";
import type { Context, Evaluator, Value } from "@mainstay/scripting";
import { ScriptMistake } from "#platform/scripts/evaluate-script.ts";
import type { TimedOutcome } from "../runner/run-check.ts";
import { contextOf, type RunContext, type Subject } from "./context.ts";
import { isUntried } from "../check-types/check-type.ts";
import { evaluateOfCheck } from "./evaluate.ts";
import {
  evaluateMetrics,
  type MetricSample,
  type MetricSpec,
  readMetrics,
  readSamples,
} from "./metrics.ts";
import { type MadeCanary, type MadeResult, readTransformed, updated } from "./transform.ts";

/*
 * What becomes of an outcome after the check has run (spec formats, section 5.3): `transform` makes other results of it,
 * `display` writes its message, `test` may fail it. Where the target was not tried there is nothing to evaluate. A script
 * that does not compile or is over its limits leaves the state of the target open; one that breaks on what the target said
 * fails the check.
 */

/** What is evaluated with the results of a check; found once, when its document is read. */
export interface OutcomeScripts {
  transform?: PlacedScript;
  display?: PlacedScript;
  test?: PlacedScript;
  metrics: readonly MetricSpec[];
  isFailedWhenEmpty: boolean;
}

export interface FinishedOutcome extends TimedOutcome {
  /** Results of checks that the transform made of this one; absent when there is no transform. */
  made?: readonly MadeResult[];
  /** Canaries that it made; absent where it made none. */
  canaries?: readonly MadeCanary[];
  metrics?: readonly MetricSample[];
  /** What `display` wrote; absent where there is none, and where it wrote nothing. */
  shown?: string;
}

/** Undefined for most: they pay nothing. */
export function readOutcomeScripts(
  spec: Readonly<Record<string, unknown>>,
): OutcomeScripts | undefined {
  const scripts = scriptsOfCheck(spec);
  const named = (name: string) => scripts.find((script) => script.name === name);
  const metrics = readMetrics(spec.metrics);
  const isFailedWhenEmpty = spec.markFailOnEmpty === true;
  const [transform, display, test] = [named("transform"), named("display"), named("test")];
  if (!transform && !display && !test && metrics.length === 0 && !isFailedWhenEmpty)
    return undefined;
  return {
    ...(transform && { transform }),
    ...(display && { display }),
    ...(test && { test }),
    metrics,
    isFailedWhenEmpty,
  };
}

export interface FinishParts {
  evaluator: Evaluator;
  subject: Subject;
  /** Evaluated with the results of every run. */
  scripts: OutcomeScripts;
}

export async function finishOutcome(
  parts: FinishParts,
  run: TimedOutcome,
  context: RunContext,
): Promise<FinishedOutcome> {
  if (isUntried(run) || run.isWaiting) return run;
  const { scripts, evaluator } = parts;
  const see = (outcome: TimedOutcome): Context => contextOf(parts.subject, outcome, context);
  const give = (script: PlacedScript, outcome: TimedOutcome) =>
    evaluateOfCheck(evaluator, script, see(outcome), context.lastResult);

  let outcome: FinishedOutcome = judged(run, scripts);
  if (scripts.isFailedWhenEmpty && outcome.pass && isEmpty(see(outcome).results))
    outcome = withError(outcome, "There are no results, and the check fails without any.");
  if (scripts.transform) outcome = await transformed(parts, outcome, give);
  if (outcome.invalid) return outcome;
  let shown: string | undefined;
  if (scripts.display) {
    try {
      shown = (await give(scripts.display, outcome)).text.trim() || undefined;
      if (shown !== undefined) outcome = { ...outcome, message: shown, shown };
    } catch (error) {
      outcome = withMistake(outcome, error);
    }
  }
  if (scripts.test && outcome.pass) {
    const { test } = scripts;
    try {
      const { text } = await give(test, outcome);
      const isTrue = readBoolean(text);
      if (isTrue === undefined) throw new ScriptMistake(notBoolean(test, text));
      if (!isTrue) outcome = withError(outcome, shown ?? said(run) ?? testFailed(test));
    } catch (error) {
      outcome = withMistake(outcome, error);
    }
  }
  if (scripts.metrics.length === 0) return outcome;
  const { samples, mistakes } = await evaluateMetrics(scripts.metrics, (script) =>
    give(script, outcome),
  );
  return {
    ...outcome,
    metrics: [...(outcome.metrics ?? []), ...samples],
    ...(mistakes.length > 0 && {
      message: [outcome.message, ...mistakes].filter(Boolean).join("; "),
    }),
  };
}

/** A verdict that the type gives only where nobody else does. */
function judged(run: TimedOutcome, { test }: OutcomeScripts): TimedOutcome {
  if (!test || run.pass || !run.isDefaultVerdict) return run;
  return { ...run, pass: true, error: undefined };
}

async function transformed(
  { scripts, subject }: FinishParts,
  outcome: FinishedOutcome,
  give: (script: PlacedScript, outcome: TimedOutcome) => Promise<{ value: Value; text: string }>,
): Promise<FinishedOutcome> {
  try {
    const { own, made, canaries } = readTransformed(
      await give(scripts.transform!, outcome),
      subject.check,
      "transform",
    );
    const updatedOwn = own && { ...updated(outcome, own), metrics: readSamples(own.metrics) };
    const changed = withCanaries(updatedOwn ?? outcome, canaries);
    if (made.length > 0) return { ...changed, details: undefined, made };
    if (own || canaries.length > 0 || !scripts.isFailedWhenEmpty || !changed.pass)
      return { ...changed, made };
    return {
      ...withError(changed, "The transform made no results, and the check fails without any."),
      made,
    };
  } catch (error) {
    return withMistake(outcome, error);
  }
}

function withCanaries(outcome: FinishedOutcome, canaries: readonly MadeCanary[]): FinishedOutcome {
  const { length } = canaries;
  if (length === 0) return outcome;
  const said = `makes ${length === 1 ? "a canary" : `${length} canaries`}`;
  return { ...outcome, canaries, message: [outcome.message, said].filter(Boolean).join("; ") };
}

/** A result that has failed already keeps what it failed with. */
function withMistake(outcome: FinishedOutcome, error: unknown): FinishedOutcome {
  if (!outcome.pass && outcome.error !== undefined) return outcome;
  const failure = withError(outcome, error instanceof Error ? error.message : String(error));
  return error instanceof ScriptMistake && error.saysNothing
    ? { ...failure, untried: true }
    : failure;
}

const withError = (outcome: FinishedOutcome, error: string): FinishedOutcome => ({
  ...outcome,
  pass: false,
  error,
});

/** What a script of the machine wrote says more than that a test was false. */
function said({ data }: TimedOutcome): string | undefined {
  const { results } = (data?.() ?? {}) as { results?: { stderr?: unknown; stdout?: unknown } };
  const texts = [results?.stderr, results?.stdout].filter((text) => typeof text === "string");
  return texts.join("\n").trim() || undefined;
}

const LONGEST_QUOTE = 200;
const quoted = (text: string) =>
  text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text;

const testFailed = ({ text }: PlacedScript) => `The test is false: ${quoted(text.trim())}`;
const notBoolean = ({ language }: PlacedScript, text: string) =>
  `test: ${language}: gives "${quoted(text)}", which is neither true nor false`;

/** As Go reads one. */
function readBoolean(text: string): boolean | undefined {
  const word = text.trim();
  if (/^(1|t|T|TRUE|true|True)$/.test(word)) return true;
  return /^(0|f|F|FALSE|false|False)$/.test(word) ? false : undefined;
}

function isEmpty(results: Value | undefined): boolean {
  if (results === undefined || results === null || results === "") return true;
  if (Array.isArray(results)) return results.length === 0;
  if (typeof results !== "object" || results instanceof Date) return false;
  const { rows } = results as { rows?: Value };
  return Array.isArray(rows) ? rows.length === 0 : Object.keys(results).length === 0;
}
