import { parseFloating, parseInteger, toFloat, toInteger } from "../functions/conversions.ts";
import { round, sequence } from "../functions/math.ts";
import type { Value } from "../values.ts";
import { type Callable, callable } from "./callable.ts";

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

const any = Infinity;
const mostItems = 100_000;

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
  Seq: callable("seq", [1, 3], (values) => sequence(values.map(toInteger), mostItems)),
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
