import { deleteStrategies } from "@mainstay/contract";
import { isMapping, type Mapping, type Value } from "@mainstay/scripting";
import { ScriptMistake } from "#platform/scripts/evaluate-script.ts";
import type { TimedOutcome } from "../runner/run-check.ts";
import type { MetricSample } from "./metrics.ts";
import { readSamples } from "./metrics.ts";

/** Checks that the transform of one may make in a run. */
export const MOST_MADE = 1000;
const LONGEST_NAME = 256;
const LONGEST_TEXT = 4096;

export type DeleteStrategy = (typeof deleteStrategies)[number];

/** A check that a transform made, with its result. */
export interface MadeResult {
  type: string;
  name: string;
  namespace?: string;
  description?: string;
  icon?: string;
  severity?: string;
  endpoint?: string;
  labels: Record<string, string>;
  outcome: TimedOutcome;
  /** When it began, where the transform says. */
  start?: Date;
  /** It is there no more, and says so itself. */
  isDeleted: boolean;
  deleteStrategy?: DeleteStrategy;
  metrics: readonly MetricSample[];
}

/** A canary that a transform made. */
export interface MadeCanary {
  name: string;
  namespace?: string;
  labels: Record<string, string>;
  spec: Mapping;
}

export interface Transformed {
  /** What the result itself becomes. */
  own?: Mapping;
  made: readonly MadeResult[];
  canaries: readonly MadeCanary[];
}

/** Source: spec formats, section 5.4. @throws ScriptMistake */
export function readTransformed(
  { value, text }: { value: Value; text: string },
  parent: { type: string; name: string },
  name: string,
): Transformed {
  const given = elementsOf(value, text, name);
  if (given.length > MOST_MADE)
    throw new ScriptMistake(`${name}: gives ${given.length} results, at most ${MOST_MADE} fit.`);
  const isCanary = ({ spec }: Mapping) => spec !== undefined && spec !== null;
  const canaries = given.filter(isCanary).map((one) => canaryOf(one, name));
  const elements = given.filter((one) => !isCanary(one));
  const isOwn = (element: Mapping) =>
    textOf(element.name) === undefined ||
    (element.name === parent.name && (textOf(element.type) ?? parent.type) === parent.type);
  const [own, another] = elements.filter(isOwn);
  if (another)
    throw new ScriptMistake(
      `${name}: gives several results without a name of their own; at most one may change the check's own.`,
    );
  const made = elements.filter((element) => !isOwn(element)).map((one) => madeOf(one, parent));
  const seen = new Set<string>();
  for (const one of made) {
    const key = `${one.type}/${one.name}`;
    if (seen.has(key))
      throw new ScriptMistake(
        `${name}: gives two results of type ${one.type} with the name "${one.name}".`,
      );
    seen.add(key);
  }
  return { ...(own && { own }), made, canaries };
}

function canaryOf(element: Mapping, name: string): MadeCanary {
  const { spec } = element;
  const own = textOf(element.name);
  if (own === undefined || spec === undefined || !isMapping(spec))
    throw new ScriptMistake(`${name}: gives a canary without a name, or whose spec is no object.`);
  return {
    name: own,
    ...optional("namespace", textOf(element.namespace), LONGEST_NAME),
    labels: labelsOf(element.labels),
    spec,
  };
}

function elementsOf(value: Value, text: string, name: string): Mapping[] {
  const found = typeof value === "object" && value !== null ? value : parsed(text, name);
  if (found === null) return [];
  const list: readonly Value[] = Array.isArray(found) ? found : [found];
  const wrong = list.find((element) => !isMapping(element));
  if (wrong !== undefined)
    throw new ScriptMistake(`${name}: gives ${kindOf(wrong)} where a result (an object) belongs.`);
  return list as Mapping[];
}

function parsed(text: string, name: string): Value {
  if (text.trim() === "") return null;
  try {
    return JSON.parse(text) as Value;
  } catch {
    throw new ScriptMistake(`${name}: gives "${text.slice(0, 100)}", which is no JSON.`);
  }
}

const kindOf = (value: Value) =>
  value === null
    ? "null"
    : Array.isArray(value)
      ? "a list"
      : typeof value === "object"
        ? "an object"
        : `the ${typeof value} ${value}`;

function madeOf(element: Mapping, parent: { type: string; name: string }): MadeResult {
  const strategy = deleteStrategies.find((one) => one === element.transformDeleteStrategy);
  const start = timeOf(element.start);
  return {
    type: cut(textOf(element.type) ?? parent.type, LONGEST_NAME),
    name: cut(textOf(element.name)!, LONGEST_NAME),
    ...optional("namespace", textOf(element.namespace), LONGEST_NAME),
    ...optional("description", textOf(element.description), LONGEST_TEXT),
    ...optional("icon", textOf(element.icon), LONGEST_NAME),
    ...optional("severity", textOf(element.severity)?.toLowerCase(), 64),
    ...optional("endpoint", textOf(element.endpoint), LONGEST_TEXT),
    labels: labelsOf(element.labels),
    outcome: {
      pass: element.pass === true,
      invalid: element.invalid === true,
      durationMs: numberOf(element.duration) ?? 0,
      message: textOf(element.message),
      error: textOf(element.error),
      details: detailsOf(element.detail),
      data: () => dataOf(element),
    },
    ...(start && { start }),
    isDeleted: element.deletedAt !== undefined && element.deletedAt !== null,
    ...(strategy && { deleteStrategy: strategy }),
    metrics: readSamples(element.metrics),
  };
}

/** The result itself with what the transform says of it; what it does not name stays. */
export function updated<Outcome extends TimedOutcome>(outcome: Outcome, own: Mapping): Outcome {
  const changed = { ...outcome };
  if (typeof own.pass === "boolean") {
    changed.pass = own.pass;
    if (own.pass) changed.error = undefined;
  }
  if (typeof own.invalid === "boolean") changed.invalid = own.invalid;
  if (typeof own.message === "string") changed.message = own.message;
  if (typeof own.error === "string" && own.error !== "") {
    changed.error = own.error;
    changed.pass = false;
  }
  const durationMs = numberOf(own.duration);
  if (durationMs !== undefined) changed.durationMs = durationMs;
  if (own.detail === "$delete") {
    changed.details = undefined;
    changed.data = () => ({ results: {} });
  } else if (own.detail !== undefined && own.detail !== null) {
    changed.details = detailsOf(own.detail);
    // What is kept is the detail alone; the scripts that follow judge what was found, too.
    const before = outcome.data;
    const detail: Value = own.detail;
    changed.data = () => {
      const { results = null, ...data } = before?.() ?? {};
      const isBoth = isMapping(results) && isMapping(detail);
      return { ...data, results: isBoth ? { ...results, ...detail } : detail };
    };
  }
  if (own.data !== undefined && isMapping(own.data)) {
    const before = changed.data ?? (() => ({ results: (changed.details ?? {}) as Mapping }));
    changed.data = () => ({ ...before(), ...(own.data as Mapping) });
  }
  return changed;
}

const textOf = (value: Value | undefined): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined;
const numberOf = (value: Value | undefined): number | undefined =>
  typeof value === "number" || typeof value === "bigint" ? Number(value) : undefined;
const cut = (text: string, longest: number) => text.slice(0, longest);

const optional = (key: string, text: string | undefined, longest: number) =>
  text === undefined ? {} : { [key]: cut(text, longest) };

function timeOf(value: Value | undefined): Date | undefined {
  const time = value instanceof Date ? value : new Date(typeof value === "string" ? value : "");
  return Number.isNaN(time.getTime()) ? undefined : time;
}

function labelsOf(value: Value | undefined): Record<string, string> {
  if (value === undefined || !isMapping(value)) return {};
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, 100)
      .map(([key, label]) => [
        cut(key, LONGEST_NAME),
        cut(typeof label === "object" ? JSON.stringify(label) : String(label), LONGEST_NAME),
      ]),
  );
}

/** Results hold objects; what is none has a name in one. */
function detailsOf(detail: Value | undefined): Record<string, unknown> | undefined {
  if (detail === undefined || detail === null) return undefined;
  return isMapping(detail) ? detail : { detail };
}

function dataOf({ data, detail }: Mapping): Record<string, Value> {
  const found = data !== undefined && isMapping(data) ? data : {};
  return { results: detail ?? {}, ...found };
}
