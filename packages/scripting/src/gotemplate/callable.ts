import { goType } from "../functions/go-format.ts";
import type { Value } from "../values.ts";

/** A function of templates. Its errors say what is wrong; the interpreter adds where. */
export interface Callable {
  name: string;
  least: number;
  /** Infinity where there is no limit. */
  most: number;
  run(args: readonly Value[]): Value;
}

export function callable(
  name: string,
  arity: number | readonly [least: number, most: number],
  run: (args: readonly Value[]) => Value,
): Callable {
  const [least, most] = typeof arity === "number" ? [arity, arity] : arity;
  return { name, least, most, run };
}

/** What a function was given that it cannot take, for the interpreter to say where that stands. */
export class WrongArgument extends Error {
  readonly value: Value;

  constructor(message: string, value: Value) {
    super(message);
    this.name = "WrongArgument";
    this.value = value;
  }
}

/** What must be text already, as with Go's own functions of strings. */
export function textArgument(value: Value | undefined): string {
  if (typeof value === "string") return value;
  throw new WrongArgument(
    value === null || value === undefined
      ? "invalid value; expected string"
      : `wrong type for value; expected string; got ${goType(value)}`,
    value ?? null,
  );
}

/** What `strings` is in `strings.Split`. */
export class Namespace {
  readonly name: string;
  readonly members: ReadonlyMap<string, Callable>;

  constructor(name: string, members: Readonly<Record<string, Callable>>) {
    this.name = name;
    this.members = new Map(Object.entries(members));
  }
}

export type Item = Value | Namespace;
export type FunctionSet = ReadonlyMap<string, Callable | Namespace>;
