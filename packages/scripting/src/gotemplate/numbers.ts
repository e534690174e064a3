import {
  asList,
  parseFloating,
  parseInteger,
  toFloat,
  toInteger,
} from "../functions/conversions.ts";
import type { Value } from "../values.ts";
import { type Callable, callable, textArgument } from "./callable.ts";

/** Arithmetic of templates: of integers as long as all of them are, of floats otherwise; texts are read as numbers. */

function isInteger(value: Value): boolean {
  if (typeof value === "string") return parseInteger(value) !== undefined;
  return typeof value === "bigint" || (typeof value === "number" && Number.isSafeInteger(value));
}

function isFloat(value: Value): boolean {
  if (typeof value === "string") return parseFloating(value) !== undefined && !isInteger(value);
  return typeof value === "number" && !Number.isSafeInteger(value);
}

const wrap = (value: bigint): bigint => BigInt.asIntN(64, value);

function fold(
  values: readonly Value[],
  integers: (a: bigint, b: bigint) => bigint,
  floats: (a: number, b: number) => number,
): Value {
  if (values.some(isFloat)) return values.map(toFloat).reduce(floats);
  return values.map(toInteger).reduce((a, b) => wrap(integers(a, b)));
}

function power(a: Value, b: Value): Value {
  const result = toFloat(a) ** toFloat(b);
  if (isFloat(a)) return result;
  return toInteger(result);
}

const mostItems = 100_000;

function sequence(args: readonly Value[]): Value {
  const numbers = args.map(toInteger);
  const [start, end, step] =
    numbers.length === 1
      ? [1n, numbers[0] ?? 0n, 1n]
      : [numbers[0] ?? 0n, numbers[1] ?? 0n, numbers[2] ?? 1n];
  if (step === 0n) return [];
  const by = start <= end === step > 0n ? step : -step;
  const length = (end - start) / by + 1n;
  if (length > BigInt(mostItems)) throw new Error(`a sequence has ${mostItems} numbers at most`);
  return Array.from({ length: Number(length) }, (_, i) => start + by * BigInt(i));
}

/** Half away from zero. */
const round = (value: number): number => Math.sign(value) * Math.round(Math.abs(value));

const any = Infinity;

export const numbers = {
  IsInt: callable("IsInt", 1, ([value = null]) => isInteger(value)),
  IsFloat: callable("IsFloat", 1, ([value = null]) => isFloat(value)),
  IsNum: callable("IsNum", 1, ([value = null]) => isInteger(value) || isFloat(value)),
  Abs: callable("Abs", 1, ([value = null]) => {
    if (isFloat(value)) return Math.abs(toFloat(value));
    const integer = toInteger(value);
    return integer < 0n ? -integer : integer;
  }),
  Add: callable("add", [0, any], (values) =>
    fold(
      [0n, ...values],
      (a, b) => a + b,
      (a, b) => a + b,
    ),
  ),
  Mul: callable("mul", [0, any], (values) =>
    fold(
      [1n, ...values],
      (a, b) => a * b,
      (a, b) => a * b,
    ),
  ),
  Sub: callable("sub", 2, (values) =>
    fold(
      values,
      (a, b) => a - b,
      (a, b) => a - b,
    ),
  ),
  Div: callable("div", 2, ([a = null, b = null]) => {
    const by = toFloat(b);
    if (by === 0) throw new Error("division by 0");
    return toFloat(a) / by;
  }),
  Rem: callable("rem", 2, ([a = null, b = null]) => {
    const by = toInteger(b);
    if (by === 0n) throw new Error("division by 0");
    return toInteger(a) % by;
  }),
  Pow: callable("pow", 2, ([a = null, b = null]) => power(a, b)),
  Seq: callable("seq", [1, 3], sequence),
  Max: callable("max", [1, any], (values) =>
    fold(
      values,
      (a, b) => (a > b ? a : b),
      (a, b) => Math.max(a, b),
    ),
  ),
  Min: callable("min", [1, any], (values) =>
    fold(
      values,
      (a, b) => (a < b ? a : b),
      (a, b) => Math.min(a, b),
    ),
  ),
  Ceil: callable("Ceil", 1, ([value = null]) => Math.ceil(toFloat(value))),
  Floor: callable("Floor", 1, ([value = null]) => Math.floor(toFloat(value))),
  Round: callable("Round", 1, ([value = null]) => round(toFloat(value))),
} satisfies Record<string, Callable>;

const mostCharacters = 10_000;

function randomText(count: Value, characters: readonly string[]): string {
  const length = Number(toInteger(count));
  if (length <= 0) throw new Error("count must be greater than 0");
  if (length > mostCharacters) throw new Error(`at most ${mostCharacters} characters`);
  if (characters.length === 0) throw new Error("there are no characters to choose from");
  return Array.from({ length }, () => characters[below(characters.length)] ?? "").join("");
}

/** These are passwords and keys to those who write templates, so they come of a generator fit for that. */
function below(limit: number): number {
  const words = crypto.getRandomValues(new Uint32Array(2));
  const unit = ((words[0] ?? 0) * 2 ** 21 + ((words[1] ?? 0) >>> 11)) / 2 ** 53;
  return Math.floor(unit * limit);
}

const characters = (from: number, to: number): string[] => {
  const out: string[] = [];
  for (let code = from; code <= Math.min(to, 0x10ffff) && out.length < 70_000; code++) {
    const c = String.fromCodePoint(code);
    if (/[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]/u.test(c)) out.push(c);
  }
  return out;
};

const letters = characters(65, 90).concat(characters(97, 122));
const digits = characters(48, 57);
const usual = ["-", ".", "_", ...digits, ...letters];

function bound(value: Value): number {
  if (typeof value !== "string") return Number(toInteger(value));
  const [first] = value;
  return Array.from(value).length === 1 ? (first?.codePointAt(0) ?? 0) : Number(toInteger(value));
}

/** Of the characters below U+0250 that an expression matches; all others would take too long to try. */
export const randomFamily = (
  matches: (expression: string, text: string) => boolean,
): Record<string, Callable> => ({
  ASCII: callable("ASCII", 1, ([count = null]) => randomText(count, characters(32, 126))),
  Alpha: callable("Alpha", 1, ([count = null]) => randomText(count, letters)),
  AlphaNum: callable("AlphaNum", 1, ([count = null]) => randomText(count, [...digits, ...letters])),
  String: callable("String", [1, 3], ([count = null, first, second]) => {
    if (first === undefined) return randomText(count, usual);
    if (second !== undefined) return randomText(count, characters(bound(first), bound(second)));
    return randomText(
      count,
      characters(0, 0x24f).filter((c) => matches(textArgument(first), c)),
    );
  }),
  Item: callable("Item", 1, ([list = null]) => {
    const items = asList(list);
    if (items.length === 0) throw new Error("expected a list that is not empty");
    return items[below(items.length)] ?? null;
  }),
  Number: callable("Number", [0, 2], (args) => {
    const [least, most] =
      args.length === 2
        ? [toInteger(args[0] ?? null), toInteger(args[1] ?? null)]
        : [0n, args.length === 1 ? toInteger(args[0] ?? null) : 100n];
    if (most < least) throw new Error(`${least} is greater than ${most}`);
    return least + BigInt(below(Number(most - least) + 1));
  }),
  Float: callable("Float", [0, 2], (args) => {
    const [least, most] =
      args.length === 2
        ? [toFloat(args[0] ?? null), toFloat(args[1] ?? null)]
        : [0, args.length === 1 ? toFloat(args[0] ?? null) : 1];
    return least + (below(2 ** 53) / 2 ** 53) * (most - least);
  }),
});
