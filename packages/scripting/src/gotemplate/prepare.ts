import { type CompileOptions, defaultLimits, type HostFunction, type Limits } from "../language.ts";
import type { Context } from "../values.ts";
import { type Callable, callable, type FunctionSet, type Namespace } from "./callable.ts";
import { execute } from "./execute.ts";
import type { Stretch } from "./execution.ts";
import { functionSet } from "./function-set.ts";
import { findHeader } from "./header.ts";
import { parse } from "./parser.ts";
import { mistake, type Source, sourceOf, withoutPart } from "./source.ts";

type Delimiters = readonly [left: string, right: string];
export const standard: Delimiters = ["{{", "}}"];
const mostCharacters = 1_000_000;

export const joined = (stretches: readonly Stretch[]): string =>
  stretches.map(({ text }) => text).join("");

/** The text without its header, and the delimiters that the header sets. */
export function read(text: string): { source: Source; delimiters: Delimiters | undefined } {
  const source = sourceOf(text);
  if (text.length > mostCharacters) {
    throw mistake(source, 0, `a template has ${mostCharacters} characters at most`);
  }
  const header = findHeader(text);
  if (header === undefined) return { source, delimiters: undefined };
  return {
    source: withoutPart(source, header.start, header.end),
    delimiters: header.delimiters,
  };
}

export function prepare(
  source: Source,
  delimiters: Delimiters,
  { functions = {}, limits = {} }: CompileOptions,
  restore?: (text: string) => string,
): (context: Context) => Stretch[] {
  const [left, right] = delimiters;
  if (left === "" || right === "") throw mistake(source, 0, "a delimiter cannot be empty");
  const template = parse(source, delimiters, restore);
  const set = withHostFunctions(functions);
  const allLimits: Limits = { ...defaultLimits, ...limits };
  return (context) => execute({ source, template, functions: set, context, limits: allLimits });
}

function withHostFunctions(functions: Readonly<Record<string, HostFunction>>): FunctionSet {
  const names = Object.entries(functions);
  if (names.length === 0) return functionSet;
  return new Map<string, Callable | Namespace>([
    ...functionSet,
    ...names.map(
      ([name, run]) => [name, callable(name, [0, Infinity], (args) => run(...args))] as const,
    ),
  ]);
}
