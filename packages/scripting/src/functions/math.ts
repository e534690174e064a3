/** Numbers that may be ints (bigint) or doubles. With one double among them, all are. */

export type Numeric = bigint | number;

const isAllInts = (values: readonly Numeric[]): values is readonly bigint[] =>
  values.every((one) => typeof one === "bigint");

const INT_MIN = -(2n ** 63n);
const INT_MAX = 2n ** 63n - 1n;

function fit(value: bigint): bigint {
  if (value < INT_MIN || value > INT_MAX) throw new Error("the number is too large for an int");
  return value;
}

export const add = (values: readonly Numeric[]): Numeric =>
  isAllInts(values)
    ? values.reduce((sum, one) => fit(sum + one), 0n)
    : values.reduce<number>((sum, one) => sum + Number(one), 0);

export const multiply = (values: readonly Numeric[]): Numeric =>
  isAllInts(values)
    ? values.reduce((product, one) => fit(product * one), 1n)
    : values.reduce<number>((product, one) => product * Number(one), 1);

export const subtract = (left: Numeric, right: Numeric): Numeric =>
  typeof left === "bigint" && typeof right === "bigint"
    ? fit(left - right)
    : Number(left) - Number(right);

/** Always a double. */
export function divide(left: Numeric, right: Numeric): number {
  if (Number(right) === 0) throw new Error("division by zero");
  return Number(left) / Number(right);
}

export function remainder(left: Numeric, right: Numeric): bigint {
  const [one, other] = [whole(left), whole(right)];
  if (other === 0n) throw new Error("division by zero");
  return one % other;
}

function whole(value: Numeric): bigint {
  if (typeof value === "bigint") return value;
  if (!Number.isFinite(value)) throw new Error("the number is too large for an int");
  return fit(BigInt(Math.trunc(value)));
}

export function power(base: Numeric, exponent: Numeric): Numeric {
  const value = Number(base) ** Number(exponent);
  return isAllInts([base, exponent]) && Number.isInteger(value) ? whole(value) : value;
}

/** Numbers from the first to the last of them, both included: `[last]`, `[first, last]` or `[first, last, step]`. */
export function sequence(values: readonly Numeric[], most = 10_000): bigint[] {
  if (values.length === 0 || values.length > 3)
    throw new Error("a sequence wants one to three numbers");
  const [first, last] =
    values.length === 1 ? [1n, whole(values[0]!)] : [whole(values[0]!), whole(values[1]!)];
  let step = values.length === 3 ? whole(values[2]!) : 1n;
  if (step === 0n) return [];
  // It counts towards its end, whatever the sign of the step.
  if (first > last === step > 0n) step = -step;
  const count = (last - first) / step + 1n;
  if (count > BigInt(most)) throw new Error(`a sequence of more than ${most} numbers`);
  return Array.from({ length: Number(count) }, (_, place) => first + BigInt(place) * step);
}

/** Halves away from zero. */
export const round = (value: number): number =>
  Number.isInteger(value) ? value : Math.sign(value) * Math.round(Math.abs(value));
