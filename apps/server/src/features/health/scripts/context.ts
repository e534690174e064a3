import type { Context, Mapping, Value } from "@mainstay/scripting";
import type { TimedOutcome } from "../runner/run-check.ts";
import { scriptValue } from "./values.ts";

/** What scripts of a check can name that is the same in every run. */
export interface Subject {
  check: {
    id: string;
    name: string;
    type: string;
    description: string;
    labels: Readonly<Record<string, string>>;
    endpoint: string;
  };
  canary: { id: string; name: string; namespace: string; labels: Readonly<Record<string, string>> };
}

/** What they can name of other runs. */
export interface RunContext {
  /** Of the checks that this one depends on, by name. */
  outputs?: Readonly<Record<string, Mapping>>;
  /** What `last_result()` answers; asked only where a script calls it. */
  lastResult?: Mapping;
  /** What the check that holds this one made. */
  given?: Context;
}

const emptyResult: Mapping = {};

/** What is asked for by every script of a check is made once. */
const asked = new WeakMap<object, Record<string, Value>>();

/** Everything that the type of the check found, by name. */
export function dataOf({ data, details }: TimedOutcome): Record<string, Value> {
  const key = data ?? details;
  const known = key && asked.get(key);
  if (known) return known;
  const found = scriptValue(data?.() ?? {}) as Record<string, Value>;
  const results = Object.hasOwn(found, "results") ? found.results! : scriptValue(details);
  const made = { ...found, results: results ?? emptyResult };
  if (key) asked.set(key, made);
  return made;
}

/** Source: spec formats, section 5.3. What is said of the run hides what the target answered under the same name. */
export function contextOf(
  subject: Subject,
  outcome: TimedOutcome,
  { outputs = {}, given }: RunContext,
): Context {
  const { pass, message = "", error = "", durationMs, labels } = outcome;
  return {
    ...given,
    ...dataOf(outcome),
    ...(subject as unknown as Mapping),
    ...(labels && { check: { ...subject.check, labels: { ...subject.check.labels, ...labels } } }),
    duration: Math.round(durationMs),
    pass,
    message,
    error,
    outputs,
  };
}

/** What other checks see of a run under `outputs`. */
export const outputOf = (outcome: TimedOutcome): Mapping => ({
  ...dataOf(outcome),
  pass: outcome.pass,
  message: outcome.message ?? "",
  error: outcome.error ?? "",
  duration: Math.round(outcome.durationMs),
});
