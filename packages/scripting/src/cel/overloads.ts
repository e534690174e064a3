import { Duration } from "../values.ts";
import {
  CelMap,
  CelType,
  type CelValue,
  isList,
  Optional,
  Timestamp,
  typeName,
  Uint,
  Whole,
} from "./cel-values.ts";
import { Mistake } from "./mistake.ts";
import type { Run } from "./run.ts";

/** What the operands of a function are, by the name of each kind; what comes after `*` may be any number of them. */
interface Kinds {
  any: CelValue;
  bool: boolean;
  int: bigint;
  uint: Uint;
  /** Ints are taken for doubles where a double is meant. */
  double: number;
  /** Only what is one. */
  strictDouble: number;
  string: string;
  bytes: Uint8Array;
  /** Text, or the text that bytes are. */
  text: string;
  list: readonly CelValue[];
  map: CelMap;
  timestamp: Timestamp;
  duration: Duration;
  type: CelType;
  optional: Optional;
  null: null;
}

export type Kind = keyof Kinds;

export interface Overload {
  kinds: readonly Kind[];
  rest: boolean;
  run: (args: readonly CelValue[], run: Run) => CelValue;
}

/** Functions by name; the first overload that fits is called. */
export type Functions = Map<string, Overload[]>;

/** Adds an overload: `add("size", ["string"], (text) => …)`. */
export class FunctionTable {
  readonly functions: Functions = new Map();

  add<const K extends readonly Kind[]>(
    names: string | readonly string[],
    kinds: K,
    run: (...args: { -readonly [I in keyof K]: Kinds[K[I]] }) => CelValue,
  ): this {
    return this.addWithRun(names, kinds, (_, ...args) => run(...args));
  }

  /** For functions that make much: they count it. */
  addWithRun<const K extends readonly Kind[]>(
    names: string | readonly string[],
    kinds: K,
    run: (run: Run, ...args: { -readonly [I in keyof K]: Kinds[K[I]] }) => CelValue,
  ): this {
    return this.#set(names, {
      kinds,
      rest: false,
      run: (args, current) =>
        // The kinds of the operands were looked at before.
        run(current, ...(args as unknown as { -readonly [I in keyof K]: Kinds[K[I]] })),
    });
  }

  /** Of any number of operands. */
  addVariadic(
    names: string | readonly string[],
    run: (args: readonly CelValue[], run: Run) => CelValue,
  ): this {
    return this.#set(names, { kinds: [], rest: true, run });
  }

  #set(names: string | readonly string[], overload: Overload): this {
    for (const name of typeof names === "string" ? [names] : names) {
      const known = this.functions.get(name);
      if (known) known.push(overload);
      else this.functions.set(name, [overload]);
    }
    return this;
  }
}

const nothing = Symbol();

/** The operand as the kind wants it, or `nothing` when it is none. */
function fit(value: CelValue, kind: Kind): CelValue | typeof nothing {
  switch (kind) {
    case "any":
      return value instanceof Whole ? BigInt(value.value) : value;
    case "bool":
      return typeof value === "boolean" ? value : nothing;
    case "int":
      if (typeof value === "bigint") return value;
      return value instanceof Whole ? BigInt(value.value) : nothing;
    case "uint":
      return value instanceof Uint ? value : nothing;
    case "double":
      if (typeof value === "number") return value;
      if (typeof value === "bigint") return Number(value);
      return value instanceof Whole ? value.value : nothing;
    case "strictDouble":
      if (typeof value === "number") return value;
      return value instanceof Whole ? value.value : nothing;
    case "string":
      return typeof value === "string" ? value : nothing;
    case "bytes":
      return value instanceof Uint8Array ? value : nothing;
    case "text":
      if (typeof value === "string") return value;
      return value instanceof Uint8Array ? new TextDecoder().decode(value) : nothing;
    case "list":
      return isList(value) ? value : nothing;
    case "map":
      return value instanceof CelMap ? value : nothing;
    case "timestamp":
      return value instanceof Timestamp ? value : nothing;
    case "duration":
      return value instanceof Duration ? value : nothing;
    case "type":
      return value instanceof CelType ? value : nothing;
    case "optional":
      return value instanceof Optional ? value : nothing;
    case "null":
      return value === null ? value : nothing;
    default:
      return kind;
  }
}

/** What reading the operands may cost. */
function sizeOf(args: readonly CelValue[]): number {
  let size = 0;
  for (const arg of args)
    if (typeof arg === "string" || isList(arg) || arg instanceof Uint8Array) size += arg.length;
    else if (arg instanceof CelMap) size += arg.size;
  return size >> 5;
}

export function call(
  name: string,
  overloads: readonly Overload[],
  args: readonly CelValue[],
  run: Run,
): CelValue {
  run.meter.step(1 + sizeOf(args));
  candidates: for (const { kinds, rest, run: work } of overloads) {
    if (rest ? args.length < kinds.length : args.length !== kinds.length) continue;
    const fitting: CelValue[] = [];
    for (let place = 0; place < args.length; place += 1) {
      const arg = fit(args[place]!, kinds[place] ?? "any");
      if (arg === nothing) continue candidates;
      fitting.push(arg);
    }
    const found = work(fitting, run);
    if (typeof found === "string") run.meter.produce(found.length);
    else if (isList(found)) run.meter.produce(found.length);
    else if (found instanceof CelMap) run.meter.produce(found.size);
    return found;
  }
  const given = args.map(typeName).join(", ");
  throw new Mistake(`no such overload: ${name}(${given})`);
}
