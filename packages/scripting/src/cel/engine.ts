/**
 * CEL, the Common Expression Language: a text is read (`syntax.ts`), compiled into closures (`compile.ts`) and run over
 * values of its own (`cel-values.ts`), in which ints, uints and doubles differ. Ours, as the dialect of the documents
 * that people have is not the standard's: missing keys are null and null is empty beside anything, ints and doubles
 * mix, fields are optional (`a.?b`), and a script that takes too long is ended. The standard's conformance cases say
 * what else is as it should be.
 */
import {
  type CompileOptions,
  defaultLimits,
  type Engine,
  type Limits,
  type Program,
} from "../language.ts";
import { ScriptError } from "../script-error.ts";
import type { Context, Value } from "../values.ts";
import { type CelValue, fromAnswer, fromValue, toValue } from "./cel-values.ts";
import { compile, type Compiled } from "./compile.ts";
import { Meter } from "./meter.ts";
import { Mistake, mistakeAt } from "./mistake.ts";
import { print } from "./print.ts";
import { knownFunctions } from "./functions.ts";
import { parse } from "./syntax.ts";

export interface CelEngine extends Engine {
  compile(text: string, options?: CompileOptions): Required<Program>;
}

export const cel: CelEngine = {
  compile(text, { functions, limits } = {}) {
    const all = { ...defaultLimits, ...limits };
    const program = within(text, () => compileCel(text, { functions, limits: all }));
    const evaluate = (context: Context) => {
      const known = new Map<string, CelValue>();
      const names = Object.keys(context);
      return program((name) => {
        const before = known.get(name);
        if (before !== undefined) return before;
        if (!Object.hasOwn(context, name)) return undefined;
        const value = fromValue(context[name]!);
        known.set(name, value);
        return value;
      }, names);
    };
    return {
      run: (context) => within(text, () => toValue(evaluate(context), all.depth)),
      runWithText: (context) =>
        within(text, () => {
          const result = evaluate(context);
          // The text tells what a value does not: `1e+06` of a double, nothing of null.
          const printed = print(result);
          new Meter(all).produce(printed.length);
          return { value: toValue(result, all.depth), text: printed };
        }),
    };
  },
};

/** A value as text, as the text of a result is. */
export const stringOf = (value: Value): string => print(fromValue(value));

type Variables = (name: string) => CelValue | undefined;

/** @throws Mistake, as what it makes does. */
export function compileCel(
  text: string,
  { functions, limits }: { functions?: CompileOptions["functions"]; limits: Limits },
): (variables: Variables, names: readonly string[]) => CelValue {
  const known = knownFunctions(
    Object.entries(functions ?? {}).map(([name, work]) => [
      name,
      (args: readonly CelValue[]) =>
        fromAnswer(work(...args.map((arg) => toValue(arg, limits.depth)))),
    ]),
  );
  const compiled: Compiled = compile(parse(text, limits), known);
  return (variables, names) => {
    for (const [name, at] of compiled.free)
      if (variables(name) === undefined && !names.some((one) => one.startsWith(`${name}.`)))
        throw new Mistake(`undeclared reference to '${name}'`, { at });
    return compiled.evaluate({
      meter: new Meter(limits),
      slots: Array.from<CelValue>({ length: compiled.slots }).fill(null),
      variable: variables,
    });
  };
}

/** Says what went wrong, and where in the text as it was written. */
function within<T>(text: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const mistake = mistakeAt(error, 0);
    const at = mistake.at ?? 0;
    const lines = text.slice(0, at).split(/\r\n|\r|\n/);
    throw new ScriptError(mistake.message, {
      language: "cel",
      line: lines.length,
      column: lines.at(-1)!.length + 1,
      isLimit: mistake.fatal,
      cause: mistake.cause ?? mistake,
    });
  }
}
