import { type CelValue, isList, typeName, Uint, Whole } from "./cel-values.ts";
import { Mistake } from "./mistake.ts";
import { compare, int, uint } from "./operators.ts";
import type { FunctionTable } from "./overloads.ts";

/** CEL's own extension for numbers; the functions with capitals are in `families.ts`. */
export function addMath(globals: FunctionTable): void {
  const extreme = (name: string, sign: number) => {
    const pick = (values: readonly CelValue[]): CelValue => {
      if (values.length === 0) throw new Mistake(`${name} wants a number at least`);
      for (const value of values)
        if (
          !(
            typeof value === "number" ||
            typeof value === "bigint" ||
            value instanceof Uint ||
            value instanceof Whole
          )
        )
          throw new Mistake(`${name} wants numbers, and there is a ${typeName(value)}`);
      return values.reduce((best, value) => (compare(name, value, best) * sign > 0 ? value : best));
    };
    globals.addVariadic(name, (args) =>
      pick(args.length === 1 && isList(args[0]!) ? args[0] : args),
    );
  };
  extreme("math.greatest", 1);
  extreme("math.least", -1);

  const halfAway = (value: number) =>
    Number.isInteger(value) ? value : Math.sign(value) * Math.round(Math.abs(value));
  globals
    .add("math.ceil", ["strictDouble"], Math.ceil)
    .add("math.floor", ["strictDouble"], Math.floor)
    .add("math.round", ["strictDouble"], halfAway)
    .add("math.trunc", ["strictDouble"], Math.trunc)
    .add("math.isNaN", ["strictDouble"], Number.isNaN)
    .add("math.isInf", ["strictDouble"], (value) => Math.abs(value) === Infinity)
    .add("math.isFinite", ["strictDouble"], Number.isFinite)
    .add("math.abs", ["int"], (value) => int(value < 0n ? -value : value))
    .add("math.abs", ["uint"], (value) => value)
    .add("math.abs", ["strictDouble"], Math.abs)
    .add("math.sign", ["int"], (value) => (value < 0n ? -1n : value > 0n ? 1n : 0n))
    .add("math.sign", ["uint"], ({ value }) => uint(value > 0n ? 1n : 0n))
    .add("math.sign", ["strictDouble"], Math.sign)
    .add("math.sqrt", ["double"], Math.sqrt)
    .add("math.sqrt", ["uint"], ({ value }) => Math.sqrt(Number(value)));

  const bits: Record<string, (left: bigint, right: bigint) => bigint> = {
    "math.bitOr": (left, right) => left | right,
    "math.bitAnd": (left, right) => left & right,
    "math.bitXor": (left, right) => left ^ right,
  };
  for (const [name, work] of Object.entries(bits))
    globals
      .add(name, ["int", "int"], work)
      .add(name, ["uint", "uint"], (left, right) => new Uint(work(left.value, right.value)));
  const shift = (by: bigint) => {
    if (by < 0n) throw new Mistake("a shift is not negative");
    return by > 63n ? undefined : by;
  };
  const left = (value: bigint, by: bigint) => {
    const bits = shift(by);
    return bits === undefined ? 0n : value << bits;
  };
  const right = (value: bigint, by: bigint) => {
    const bits = shift(by);
    return bits === undefined ? 0n : BigInt.asUintN(64, value) >> bits;
  };
  globals
    .add("math.bitNot", ["int"], (value) => ~value)
    .add("math.bitNot", ["uint"], ({ value }) => new Uint(BigInt.asUintN(64, ~value)))
    .add("math.bitShiftLeft", ["int", "int"], (value, by) => BigInt.asIntN(64, left(value, by)))
    .add(
      "math.bitShiftLeft",
      ["uint", "int"],
      ({ value }, by) => new Uint(BigInt.asUintN(64, left(value, by))),
    )
    .add("math.bitShiftRight", ["int", "int"], (value, by) => BigInt.asIntN(64, right(value, by)))
    .add("math.bitShiftRight", ["uint", "int"], ({ value }, by) => new Uint(right(value, by)));
}
