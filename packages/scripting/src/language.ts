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
  /** Characters of output, levels of nesting and steps after which a script is given up. */
  limits?: Partial<Limits>;
}

export interface Limits {
  outputCharacters: number;
  depth: number;
  steps: number;
}

/** One language: texts become programs, which know nothing but what they are given. */
export interface Engine {
  /** @throws ScriptError when the text is none of the language. */
  compile(text: string, options?: CompileOptions): Program;
}

export interface Program {
  /** @throws ScriptError */
  run(context: Context): Value;
}
