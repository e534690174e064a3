import { Duration, type Mapping, type Value } from "../values.ts";
import { Mistake } from "./mistake.ts";

/**
 * Values inside CEL. An int is a bigint, a double is a number; what a script is given from outside as a whole number
 * is `Whole` until an operator decides what it is.
 */
export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint
  | Whole
  | Uint8Array
  | Timestamp
  | Duration
  | CelType
  | Optional
  | CelMap
  | readonly CelValue[];

export class Uint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/**
 * A whole number of the context. JSON does not say whether it is an int or a double, and documents were written for
 * both: `code / 100` with an int beside it divides ints, `used / total` of one body divides doubles.
 */
export class Whole {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** Nanoseconds since 1970. */
export class Timestamp {
  readonly nanoseconds: bigint;

  constructor(nanoseconds: bigint) {
    this.nanoseconds = nanoseconds;
  }
}

export class CelType {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** What may be absent: `a.?b`. A value of its own, as null is something that can be there. */
export class Optional {
  static readonly none = new Optional(undefined);
  readonly value: CelValue | undefined;

  constructor(value: CelValue | undefined) {
    this.value = value;
  }
}

export type Key = string | bigint | boolean;

/** A map, whose keys need not be strings. One of the context is read when asked, and only its own properties. */
export class CelMap {
  readonly #entries: Map<Key, CelValue>;
  /** Keys that were written as uint; they are found under the int they equal. */
  #uints: Set<Key> | undefined;
  #source: Mapping | undefined;
  readonly #size: number | undefined;

  constructor(entries: Map<Key, CelValue> = new Map(), source?: Mapping) {
    this.#entries = entries;
    this.#source = source;
    this.#size = source && Object.keys(source).length;
  }

  static of(entries: Iterable<readonly [CelValue, CelValue]>): CelMap {
    const map = new CelMap();
    for (const [key, value] of entries) map.add(key, value);
    return map;
  }

  /** Only while a map is being made. */
  add(key: CelValue, value: CelValue): void {
    const normal = keyOf(key);
    if (normal === undefined) throw new Mistake(`a ${typeName(key)} cannot be the key of a map`);
    if (key instanceof Uint) (this.#uints ??= new Set()).add(normal);
    this.#entries.set(normal, value);
  }

  get size(): number {
    return this.#size ?? this.#entries.size;
  }

  get(key: CelValue): CelValue | undefined {
    const normal = keyOf(key);
    if (normal === undefined) return undefined;
    const known = this.#entries.get(normal);
    if (known !== undefined || !this.#source) return known;
    if (typeof normal !== "string" || !Object.hasOwn(this.#source, normal)) return undefined;
    const value = fromValue(this.#source[normal]!);
    this.#entries.set(normal, value);
    return value;
  }

  has(key: CelValue): boolean {
    return this.get(key) !== undefined;
  }

  entries(): [CelValue, CelValue][] {
    if (this.#source) {
      for (const key of Object.keys(this.#source)) {
        // In the order of the source, whatever was asked for first.
        const value = this.get(key)!;
        this.#entries.delete(key);
        this.#entries.set(key, value);
      }
      this.#source = undefined;
    }
    return [...this.#entries].map(([key, value]) => [
      this.#uints?.has(key) ? new Uint(key as bigint) : key,
      value,
    ]);
  }

  keys(): CelValue[] {
    return this.entries().map(([key]) => key);
  }

  values(): CelValue[] {
    return this.entries().map(([, value]) => value);
  }
}

/** Under what a map keeps a value; undefined of what is no key of any map. */
function keyOf(key: CelValue): Key | undefined {
  if (typeof key === "string" || typeof key === "bigint" || typeof key === "boolean") return key;
  if (key instanceof Uint) return key.value;
  if (key instanceof Whole) return BigInt(key.value);
  if (typeof key === "number") return Number.isInteger(key) ? BigInt(key) : undefined;
  return undefined;
}

export const isList = (value: CelValue): value is readonly CelValue[] => Array.isArray(value);

export const typeNames = {
  timestamp: "google.protobuf.Timestamp",
  duration: "google.protobuf.Duration",
} as const;

/** The name of its type, as `type()` answers. */
export function typeName(value: CelValue): string {
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "bigint") return "int";
  if (typeof value === "number") return "double";
  if (value === null) return "null_type";
  if (isList(value)) return "list";
  if (value instanceof CelMap) return "map";
  if (value instanceof Whole) return "int";
  if (value instanceof Uint) return "uint";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof Timestamp) return typeNames.timestamp;
  if (value instanceof Duration) return typeNames.duration;
  if (value instanceof Optional) return "optional_type";
  return "type";
}

export function fromValue(value: Value): CelValue {
  if (typeof value === "number") return Number.isSafeInteger(value) ? new Whole(value) : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(fromValue);
  if (value instanceof Uint8Array || value instanceof Duration) return value;
  if (value instanceof Date) return new Timestamp(BigInt(value.getTime()) * 1_000_000n);
  return new CelMap(new Map(), value as Mapping);
}

/** As `fromValue`, but whole numbers are ints: what functions answer, and JSON that a script itself reads. */
export function fromAnswer(value: Value): CelValue {
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  if (Array.isArray(value)) return value.map(fromAnswer);
  if (
    typeof value === "object" &&
    value !== null &&
    !(value instanceof Uint8Array || value instanceof Date || value instanceof Duration)
  )
    return new CelMap(new Map(Object.entries(value).map(([key, one]) => [key, fromAnswer(one)])));
  return fromValue(value);
}

/** An int becomes a number again where a number can hold it. */
export function toValue(value: CelValue, depth = 100): Value {
  if (depth === 0) throw new Mistake("the result is nested too deeply", { fatal: true });
  if (typeof value === "bigint") return toNumber(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array || value instanceof Duration) return value;
  if (isList(value)) return value.map((item) => toValue(item, depth - 1));
  if (value instanceof CelMap)
    return Object.fromEntries(
      value.entries().map(([key, one]) => [textOfKey(key), toValue(one, depth - 1)]),
    );
  if (value instanceof Whole) return value.value;
  if (value instanceof Uint) return toNumber(value.value);
  if (value instanceof Timestamp) return dateOf(value);
  if (value instanceof Optional)
    return value.value === undefined ? null : toValue(value.value, depth);
  return value.name;
}

const textOfKey = (key: CelValue): string =>
  typeof key === "string"
    ? key
    : String(key instanceof Uint ? key.value : (key as bigint | boolean));

const toNumber = (value: bigint): number | bigint => {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
};

export const dateOf = (value: Timestamp): Date => {
  const { nanoseconds } = value;
  const remainder = nanoseconds % 1_000_000n;
  return new Date(Number((nanoseconds - remainder) / 1_000_000n) - (remainder < 0n ? 1 : 0));
};
