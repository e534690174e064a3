import { compareText } from "../functions/go-format.ts";
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
import type { Meter } from "./meter.ts";

const INT_MIN = -(2n ** 63n);
const INT_MAX = 2n ** 63n - 1n;
const UINT_MAX = 2n ** 64n - 1n;
const TIME_MIN = -62_135_596_800_000_000_000n;
const TIME_MAX = 253_402_300_799_999_999_999n;

export function int(value: bigint): bigint {
  if (value < INT_MIN || value > INT_MAX) throw new Mistake("the number is too large for an int");
  return value;
}

export function uint(value: bigint): Uint {
  if (value < 0n || value > UINT_MAX)
    throw new Mistake("the number is negative or too large for a uint");
  return new Uint(value);
}

export function duration(nanoseconds: bigint): Duration {
  if (nanoseconds < INT_MIN || nanoseconds > INT_MAX)
    throw new Mistake("the duration is longer than 290 years");
  return new Duration(nanoseconds);
}

export function timestamp(nanoseconds: bigint): Timestamp {
  if (nanoseconds < TIME_MIN || nanoseconds > TIME_MAX)
    throw new Mistake("the time is outside of the years 1 to 9999");
  return new Timestamp(nanoseconds);
}

export const noOverload = (name: string, ...operands: CelValue[]): Mistake =>
  new Mistake(`no such overload: ${name} of ${operands.map(typeName).join(" and ")}`);

/** What a number is counted with, in comparisons across kinds of numbers. */
function numeric(value: CelValue): number | bigint | undefined {
  if (typeof value === "bigint" || typeof value === "number") return value;
  if (value instanceof Whole || value instanceof Uint) return value.value;
  return undefined;
}

export function equal(left: CelValue, right: CelValue): boolean {
  if (left === right) return typeof left !== "number" || !Number.isNaN(left);
  const number = numeric(left);
  if (number !== undefined) {
    const other = numeric(right);
    // Ints and doubles are equal when their values are, which `===` does not say.
    // oxlint-disable-next-line eqeqeq -- a bigint equals a number only by ==
    return other !== undefined && number == other;
  }
  if (typeof left !== "object" || left === null || typeof right !== "object" || right === null)
    return false;
  if (isList(left))
    return (
      isList(right) &&
      left.length === right.length &&
      left.every((item, place) => equal(item, right[place]!))
    );
  if (left instanceof CelMap) {
    if (!(right instanceof CelMap) || left.size !== right.size) return false;
    return left.entries().every(([key, value]) => {
      const other = right.get(key);
      return other !== undefined && equal(value, other);
    });
  }
  if (left instanceof Uint8Array)
    return right instanceof Uint8Array && compareBytes(left, right) === 0;
  if (left instanceof Timestamp)
    return right instanceof Timestamp && left.nanoseconds === right.nanoseconds;
  if (left instanceof Duration)
    return right instanceof Duration && left.nanoseconds === right.nanoseconds;
  if (left instanceof CelType) return right instanceof CelType && left.name === right.name;
  if (left instanceof Optional) {
    if (!(right instanceof Optional)) return false;
    if (left.value === undefined || right.value === undefined) return left.value === right.value;
    return equal(left.value, right.value);
  }
  return false;
}

/** As `==` is: null, which a missing key is, equals what is empty. */
export function equalOrEmpty(left: CelValue, right: CelValue): boolean {
  if (left === null && right !== null) return isZero(right);
  if (right === null && left !== null) return isZero(left);
  return equal(left, right);
}

const isZero = (value: CelValue): boolean =>
  // oxlint-disable-next-line eqeqeq -- a bigint equals a number only by ==
  value === "" || value === false || numeric(value) == 0;

/** What null stands for beside a value. */
function zeroLike(value: CelValue): CelValue {
  if (typeof value === "string") return "";
  if (typeof value === "boolean") return false;
  if (typeof value === "bigint") return 0n;
  if (typeof value === "number") return 0;
  if (value instanceof Whole) return new Whole(0);
  if (value instanceof Uint) return new Uint(0n);
  if (value instanceof Duration) return new Duration(0n);
  if (isList(value)) return [];
  if (value instanceof Uint8Array) return new Uint8Array();
  return null;
}

function compareBytes(left: Uint8Array, right: Uint8Array): number {
  return Buffer.compare(left, right);
}

/** NaN when the two have no order between them. */
export function compare(name: string, left: CelValue, right: CelValue): number {
  if (left === null && right !== null) return compare(name, zeroOf(name, left, right), right);
  if (right === null && left !== null) return compare(name, left, zeroOf(name, right, left));
  const number = numeric(left);
  if (number !== undefined) {
    const other = numeric(right);
    if (other === undefined) throw noOverload(name, left, right);
    // oxlint-disable-next-line eqeqeq -- a bigint equals a number only by ==
    return number < other ? -1 : number > other ? 1 : number == other ? 0 : Number.NaN;
  }
  if (typeof left === "string" && typeof right === "string") return compareText(left, right);
  if (typeof left === "boolean" && typeof right === "boolean") return Number(left) - Number(right);
  if (
    (left instanceof Timestamp && right instanceof Timestamp) ||
    (left instanceof Duration && right instanceof Duration)
  ) {
    const difference = left.nanoseconds - right.nanoseconds;
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }
  if (left instanceof Uint8Array && right instanceof Uint8Array) return compareBytes(left, right);
  throw noOverload(name, left, right);
}

function zeroOf(name: string, absent: CelValue, other: CelValue): CelValue {
  const zero = zeroLike(other);
  if (zero === null) throw noOverload(name, absent, other);
  return zero;
}

type Arithmetic = "+" | "-" | "*" | "/" | "%";

export function arithmetic(
  operator: Arithmetic,
  left: CelValue,
  right: CelValue,
  meter: Meter,
): CelValue {
  if (left === null && right === null) return null;
  if (left === null)
    return arithmetic(operator, zeroOf(`_${operator}_`, left, right), right, meter);
  if (right === null)
    return arithmetic(operator, left, zeroOf(`_${operator}_`, right, left), meter);

  if (typeof left === "bigint" && typeof right === "bigint") return ofInts(operator, left, right);
  if (left instanceof Whole) {
    if (right instanceof Whole) return ofWholes(operator, left, right);
    if (typeof right === "bigint") return ofInts(operator, BigInt(left.value), right);
    if (right instanceof Uint)
      return ofUints(operator, uint(BigInt(left.value)).value, right.value);
  } else if (right instanceof Whole) {
    if (typeof left === "bigint") return ofInts(operator, left, BigInt(right.value));
    if (left instanceof Uint) return ofUints(operator, left.value, uint(BigInt(right.value)).value);
  }
  if (typeof left === "number" || typeof right === "number") {
    const [one, other] = [asDouble(left), asDouble(right)];
    if (one !== undefined && other !== undefined && operator !== "%")
      return ofDoubles(operator, one, other);
  }
  if (left instanceof Uint && right instanceof Uint)
    return ofUints(operator, left.value, right.value);

  if (operator === "+") {
    if (typeof left === "string" && typeof right === "string") {
      meter.produce(left.length + right.length);
      return left + right;
    }
    if (isList(left) && isList(right)) {
      meter.produce(left.length + right.length);
      return [...left, ...right];
    }
    if (left instanceof Uint8Array && right instanceof Uint8Array) {
      meter.produce(left.length + right.length);
      return new Uint8Array(Buffer.concat([left, right]));
    }
    if (left instanceof Duration && right instanceof Duration)
      return duration(left.nanoseconds + right.nanoseconds);
    if (left instanceof Timestamp && right instanceof Duration)
      return timestamp(left.nanoseconds + right.nanoseconds);
    if (left instanceof Duration && right instanceof Timestamp)
      return timestamp(left.nanoseconds + right.nanoseconds);
  }
  if (operator === "-") {
    if (
      (left instanceof Duration && right instanceof Duration) ||
      (left instanceof Timestamp && right instanceof Timestamp)
    )
      return duration(left.nanoseconds - right.nanoseconds);
    if (left instanceof Timestamp && right instanceof Duration)
      return timestamp(left.nanoseconds - right.nanoseconds);
  }
  throw noOverload(`_${operator}_`, left, right);
}

/** A double, or a number that is taken for one beside a double. */
function asDouble(value: CelValue): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  return value instanceof Whole ? value.value : undefined;
}

function ofInts(operator: Arithmetic, left: bigint, right: bigint): bigint {
  switch (operator) {
    case "+":
      return int(left + right);
    case "-":
      return int(left - right);
    case "*":
      return int(left * right);
    case "/":
      if (right === 0n) throw new Mistake("division by zero");
      return int(left / right);
    case "%":
      if (right === 0n) throw new Mistake("modulus by zero");
      if (left === INT_MIN && right === -1n)
        throw new Mistake("the number is too large for an int");
      return left % right;
    default:
      return operator;
  }
}

function ofUints(operator: Arithmetic, left: bigint, right: bigint): Uint {
  if (operator === "-" || operator === "+" || operator === "*")
    return uint(operator === "-" ? left - right : operator === "+" ? left + right : left * right);
  return uint(ofInts(operator, left, right));
}

function ofDoubles(operator: Exclude<Arithmetic, "%">, left: number, right: number): number {
  switch (operator) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "/":
      return left / right;
    default:
      return operator;
  }
}

/** Both from one document, so as likely doubles as ints: what has a fraction is not cut. */
function ofWholes(operator: Arithmetic, left: Whole, right: Whole): CelValue {
  if (operator === "%") return ofInts(operator, BigInt(left.value), BigInt(right.value));
  if (operator === "/" && right.value === 0) throw new Mistake("division by zero");
  const value = ofDoubles(operator, left.value, right.value);
  return Number.isSafeInteger(value) ? new Whole(value) : value;
}

export function negate(value: CelValue): CelValue {
  if (typeof value === "bigint") return int(-value);
  if (typeof value === "number") return -value;
  if (value instanceof Whole) return new Whole(-value.value);
  if (value instanceof Duration) return duration(-value.nanoseconds);
  if (value === null) return 0n;
  throw noOverload("-_", value);
}

export function isIn(item: CelValue, container: CelValue): boolean {
  if (isList(container)) return container.some((one) => equal(one, item));
  if (container instanceof CelMap) return container.has(item);
  if (container === null) return false;
  throw noOverload("in", item, container);
}
