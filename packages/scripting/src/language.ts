import type { Context, Value } from "./values.ts";

export const languages = ["cel", "gotemplate", "javascript", "jsonpath", "expr"] as const;
export type Language = (typeof languages)[number];

/** A function that the caller adds, by the name under which scripts call it; pure, and quick. */
export type HostFunction = (...args: Value[]) => Value;

export interface CompileOptions {
  /** Beside those that every script has. */
  functions?: Readonly<Record<string, HostFunction>>;
  /** Of Go templates; `{{` and `}}` when absent. */
  delimiters?: readonly [left: string, right: string];
  /** Of Go templates: a part of a spec, in which `$( )` are replaced after `{{ }}`. */
  isSpec?: boolean;
  /** After which a script is given up. */
  limits?: Partial<Limits>;
}

export interface Limits {
  outputCharacters: number;
  /** Levels of nesting, of values as of calls. */
  depth: number;
  steps: number;
  /** Where a language cannot count its steps; the worker ends whatever takes longer. */
  milliseconds: number;
}

export const defaultLimits: Limits = {
  // As many as the values that a result may have: some 20 for each.
  outputCharacters: 4_000_000,
  depth: 100,
  steps: 10_000_000,
  milliseconds: 1000,
};

/** One language: texts become programs, which know nothing but what they are given. */
export interface Engine {
  /** @throws ScriptError when the text is none of the language. */
  compile(text: string, options?: CompileOptions): Program;
  /** What is awaited before a program is compiled or run, such as a fresh sandbox. */
  ready?(): Promise<void>;
}

export interface Program {
  /** @throws ScriptError */
  run(context: Context): Value;
  /** In a language whose text form of a result cannot be told from its value alone. */
  runWithText?(context: Context): Result;
}

export interface Result {
  value: Value;
  /** As the language itself turns the value into text. */
  text: string;
}
