import { randomUUID } from "node:crypto";
import { type PlannedRead, mayGuessCount } from "./answering.ts";
import type { Pair } from "./parse/query-string.ts";
import type { Statement } from "./connection.ts";
import type { PlanScope } from "./plan/scope.ts";
import { type DataApiRequest, header } from "./request.ts";

/**
 * Remembers what reads were planned to, and the statements of inserts, so that one that differs in values alone is asked
 * at once.
 *
 * Two reads are alike when everything that parsing and planning look at is: the table, the headers, the names of the
 * parameters and all of their texts but values that only ever become parameters of the statement. That a value is such
 * a one is not believed but seen: the read is planned once more with marks in place of its values, and remembered only
 * if the marks are parameters, and what they stand for in their place gives the very statement that was planned without.
 *
 * Who may read is asked again each time, in the same words as when it was planned. What depends on the asker otherwise
 * or on the time is not remembered.
 */
export interface Recall {
  read<Context, Planned extends PlannedRead>(
    request: DataApiRequest<Context>,
    scope: PlanScope<Context>,
    target: Target,
    plan: (asked: Asked<Context>) => Planned,
  ): Planned;
  /** The statement that is made of such values; `parts` say all else that it is made of. */
  statement(
    parts: readonly string[],
    values: readonly string[],
    make: (values: readonly string[]) => Statement,
  ): Statement;
}

/** What is planned. */
interface Asked<Context> {
  request: DataApiRequest<Context>;
  scope: PlanScope<Context>;
  pairs: readonly Pair[];
}

interface Target {
  /** What is read, as it is addressed. */
  name: string;
  pairs: readonly Pair[];
  /** Parameters that are no filters are arguments of a function. */
  takesArguments?: boolean;
}

interface Known {
  planned: PlannedRead;
  needs: (readonly [resource: string, action: "read" | "write"])[];
  form: Form;
}

/** A statement without the values of one request. */
interface Form {
  text: string;
  /** For each parameter of the statement the value that it is, or the number of the request's value. */
  places: readonly ({ value: unknown } | number)[];
}

/** Forms of reads that are remembered, in the order in which they came. */
const mostForms = 1_000;
/** What is longer, headers and all, is not asked over and over. */
const longestKey = 4_000;
/** Longer statements are not kept, so that all of them together are some megabytes. */
const longestText = 16_000;
/** So that nobody can send one. */
const secret = randomUUID();

export function createRecall(): Recall {
  /** One that has come once is there without a form; one that cannot be remembered is `false`. */
  const reads = new Map<string, Known | false | undefined>();
  const statements = new Map<string, Form | false | undefined>();

  return {
    read(request, scope, target, plan) {
      const { pairs } = target;
      const { key, values } = readKey(request, target);
      if (key.length > longestKey) return plan({ request, scope, pairs });
      const known = reads.get(key);
      if (known && known.needs.every(([resource, action]) => scope.can(resource, action))) {
        request.mark?.("parse");
        const { planned, form } = known;
        // The key names the target, and each target is planned in one way only.
        return { ...planned, statement: filled(form, values) } as ReturnType<typeof plan>;
      }
      const planned = plan({ request, scope, pairs });
      // Planning again is worth it for what comes again.
      if (known === undefined)
        note(
          reads,
          key,
          reads.has(key)
            ? learn({ request, scope, pairs }, target, values, planned, plan)
            : undefined,
        );
      return planned;
    },
    statement(parts, values, make) {
      const key = keyOf(parts);
      const known = statements.get(key);
      if (known) return filled(known, values);
      const made = make(values);
      if (known === undefined)
        note(
          statements,
          key,
          statements.has(key) ? formOf(made, values, (marks) => make(marks)) : undefined,
        );
      return made;
    },
  };
}

function note<Kind>(known: Map<string, Kind>, key: string, one: Kind): void {
  const [oldest] = known.size >= mostForms && !known.has(key) ? known.keys() : [];
  if (oldest !== undefined) known.delete(oldest);
  known.set(key, one);
}

const filled = ({ text, places }: Form, values: readonly string[]): Statement => ({
  text,
  values: places.map((place) => (typeof place === "number" ? values[place] : place.value)),
});

/** The form of a statement, by what comes of marks in place of its values. False where that is another statement. */
function formOf(
  { text, values: made }: Statement,
  values: readonly string[],
  make: (marks: readonly string[]) => Statement,
): Form | false {
  const marks = values.map((_value, index) => `${secret}/${index}`);
  const numbers = new Map(marks.map((mark, index) => [mark, index]));
  const marked = make(marks);
  const places = marked.values.map((value) => {
    const number = typeof value === "string" ? numbers.get(value) : undefined;
    return number ?? { value };
  });
  const form = { text, places };
  const again = filled(form, values).values;
  const isSame =
    marked.text === text &&
    again.length === made.length &&
    again.every((value, index) => value === made[index]) &&
    new Set(places.filter((place) => typeof place === "number")).size === values.length;
  return isSame && form;
}

/** Plans the read with marks for its values. False where that gives no other statement's form. */
function learn<Context, Planned extends PlannedRead>(
  { request, scope, pairs }: Asked<Context>,
  { takesArguments }: Target,
  values: readonly string[],
  planned: Planned,
  plan: (asked: Asked<Context>) => Planned,
): Known | false {
  // What is asked besides the statement would hold the marks.
  if (planned.shape.plan || mayGuessCount(planned)) return false;
  // What is looked up is put where the very statement holds it.
  if ((planned.plan?.lookUps?.length ?? 0) > 0) return false;
  if (planned.statement.text.length > longestText) return false;
  const needs: Known["needs"] = [];
  let isPersonal = false;
  const watched: PlanScope<Context> = {
    ...scope,
    can(resource, action) {
      needs.push([resource, action]);
      return scope.can(resource, action);
    },
    now() {
      isPersonal = true;
      return scope.now();
    },
    get asker() {
      isPersonal = true;
      return scope.asker;
    },
  };
  let marked = planned;
  const form = formOf(planned.statement, values, (marks) => {
    let next = 0;
    const given = pairs.map(([name, text]): Pair => {
      const at = valueAt(name, text, takesArguments);
      return at < 0 ? [name, text] : [name, `${text.slice(0, at)}${marks[next++]}`];
    });
    // The stages of the request are told once.
    marked = plan({ request: { ...request, mark: undefined }, scope: watched, pairs: given });
    return marked.statement;
  });
  return !isPersonal && form !== false && { planned: marked, needs, form };
}

/** What two reads that are alike have in common, and the values in which they may differ. */
function readKey<Context>(
  request: DataApiRequest<Context>,
  { name, pairs, takesArguments }: Target,
): { key: string; values: string[] } {
  const values: string[] = [];
  const headers = ["accept", "prefer", "range"].map((one) => header(request, one) ?? "");
  const parts = [request.method, name, ...headers];
  for (const [parameter, text] of pairs) {
    const at = valueAt(parameter, text, takesArguments);
    parts.push(parameter, at < 0 ? `=${text}` : `~${text.slice(0, at)}`);
    if (at >= 0) values.push(text.slice(at));
  }
  return { key: keyOf(parts), values };
}

/** Each part with its length before it, so that no text can pass for the end of one. */
function keyOf(parts: readonly string[]): string {
  let key = "";
  for (const part of parts) key += `${part.length}:${part}`;
  return key;
}

const comparison = /^(?:not\.)?(?:eq|neq|gte?|lte?)\./;
/** Parameters that mean something by themselves, or by the last word of their name. */
const words = /(?:^|\.)(?:select|columns|on_conflict|order|limit|offset|and|or|filter)$/;

/** Where a parameter's text begins to be a value that is compared with or given; -1 where all of it is grammar. */
function valueAt(parameter: string, text: string, takesArguments = false): number {
  if (words.test(parameter)) return -1;
  const operator = comparison.exec(text)?.[0];
  if (operator !== undefined) return operator.length;
  // Without a dot it is no filter.
  return takesArguments && !text.includes(".") ? 0 : -1;
}
