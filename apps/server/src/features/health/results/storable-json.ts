import { types } from "node:util";
import { storableText } from "#platform/db/storable-text.ts";

/**
 * What a target has made of its answer may be anything: 24,000 levels deep, a million keys, halves of characters. This
 * walks it without recursion and writes JSON that PostgreSQL can hold and everybody can read, within limits; what had to
 * be left out is said in the JSON itself. Nothing of the value is called but getters, and those only guarded.
 */

export interface JsonLimits {
  /** Characters of the whole JSON. */
  length: number;
  depth: number;
  values: number;
  keysPerObject: number;
  keyLength: number;
  textLength: number;
}

export const detailsLimits: JsonLimits = {
  length: 131_072,
  depth: 64,
  values: 10_000,
  keysPerObject: 1_000,
  keyLength: 256,
  textLength: 65_536,
};

/** The key under which an object says what was left out of it. */
export const CUT = "cut";
/** Kept free of the whole for what closes it and says what was left out. */
const RESERVE = 1_024;
/** No whole number above is written out. */
const LARGEST = 10n ** 100n;

interface Level {
  source: object;
  close: "]" | "}";
  /** What comes next; a key is undefined in a list. */
  next(): { key?: string; value: unknown } | undefined;
  isEmpty: boolean;
  /** Keys that are taken, and the last number that kept one of that text apart. */
  keys: Map<string, number>;
}

/** A value as the text of a JSON object. What is no object stands under the key `value`. */
export function storableJson(value: unknown, limits: JsonLimits = detailsLimits): string {
  return new Walk(limits).write(value);
}

class Walk {
  readonly #limits: JsonLimits;
  #text = "";
  #values = 0;
  readonly #levels: Level[] = [];
  readonly #ancestors = new Set<object>();
  /** In the order in which they came up, each once. */
  readonly #cuts = new Set<string>();
  #isFull = false;

  constructor(limits: JsonLimits) {
    this.#limits = limits;
  }

  write(value: unknown): string {
    const nested = nestedIn(value);
    this.#open(nested && !isList(nested) ? nested : { value });
    while (this.#levels.length > 1 || !this.#isFull) {
      const level = this.#levels.at(-1)!;
      const entry = this.#isFull ? undefined : level.next();
      if (entry) this.#add(level, entry);
      else if (this.#levels.length > 1) this.#close();
      else break;
    }
    const level = this.#levels[0]!;
    if (this.#cuts.size > 0) {
      const note = `Not all of it is kept: ${[...this.#cuts].join(", ")}.`;
      this.#text += `${level.isEmpty ? "" : ","}${JSON.stringify(freeKey(level.keys, CUT))}:${JSON.stringify(note)}`;
    }
    return `${this.#text}}`;
  }

  #add(level: Level, { key, value }: { key?: string; value: unknown }): void {
    const limits = this.#limits;
    if (this.#values >= limits.values) {
      this.#cut(`at most ${limits.values} values`);
      this.#isFull = true;
      return;
    }
    let name = "";
    if (key !== undefined) {
      if (level.keys.size >= limits.keysPerObject) {
        this.#cut(`at most ${limits.keysPerObject} keys of an object`);
        level.next = () => undefined;
        return;
      }
      if (key.length > limits.keyLength) this.#cut(`at most ${limits.keyLength} letters of a key`);
      name = `${JSON.stringify(freeKey(level.keys, storableText(key, limits.keyLength)))}:`;
    }
    const lead = `${level.isEmpty ? "" : ","}${name}`;
    const nested = nestedIn(value);
    if (nested && this.#ancestors.has(nested)) return this.#put(level, `${lead}"(as above)"`);
    if (nested && this.#levels.length >= limits.depth) {
      this.#cut(`at most ${limits.depth} levels`);
      return this.#put(level, `${lead}"…"`);
    }
    if (!nested) return this.#put(level, `${lead}${this.#plain(value)}`);
    // As long as the levels above it may need to be closed.
    this.#put(level, lead);
    if (this.#isFull) return;
    this.#open(nested);
  }

  /** Appends, unless that would be too much: then this and all that follows is left out. */
  #put(level: Level, text: string): void {
    if (this.#text.length + text.length > this.#limits.length - RESERVE) {
      this.#cut(`at most ${this.#limits.length} characters of JSON`);
      this.#isFull = true;
      return;
    }
    this.#text += text;
    this.#values += 1;
    level.isEmpty = false;
  }

  #open(source: object): void {
    const [start, close] = isList(source) ? (["[", "]"] as const) : (["{", "}"] as const);
    this.#text += start;
    this.#ancestors.add(source);
    this.#levels.push({
      source,
      close,
      next: entriesOf(source),
      isEmpty: true,
      keys: new Map(),
    });
  }

  #close(): void {
    const level = this.#levels.pop()!;
    this.#ancestors.delete(level.source);
    this.#text += level.close;
  }

  #plain(value: unknown): string {
    if (typeof value === "string") {
      if (value.length > this.#limits.textLength)
        this.#cut(`at most ${this.#limits.textLength} letters of a text`);
      return JSON.stringify(storableText(value, this.#limits.textLength));
    }
    // JSON has no word for some; null would not say which.
    if (typeof value === "number")
      return Number.isFinite(value) ? JSON.stringify(value) : `"${value}"`;
    if (typeof value === "boolean") return value ? "true" : "false";
    return typeof value === "bigint" ? bigText(value) : JSON.stringify(otherText(value));
  }

  #cut(what: string): void {
    this.#cuts.add(what);
  }
}

/** A text under which nothing stands yet: two keys that are the same once they are storable stay two. */
function freeKey(taken: Map<string, number>, key: string): string {
  let free = key;
  for (let number = taken.get(key) ?? 0; taken.has(free); free = `${key} (${number})`) {
    number = Math.max(number, 1) + 1;
    taken.set(key, number);
  }
  taken.set(free, 0);
  return free;
}

const isList = (value: object) => Array.isArray(value) || types.isSet(value);

/** The value when it holds others; everything else is written as one. A proxy may answer anything, and for ever. */
function nestedIn(value: unknown): object | undefined {
  if (typeof value !== "object" || value === null || types.isProxy(value)) return undefined;
  const isOne =
    types.isDate(value) ||
    types.isNativeError(value) ||
    types.isBoxedPrimitive(value) ||
    types.isRegExp(value) ||
    types.isAnyArrayBuffer(value) ||
    ArrayBuffer.isView(value);
  return isOne ? undefined : value;
}

const { getTime } = Date.prototype;

/** What is no JSON of itself, in words. Undefined and functions are null, as in any JSON list. */
function otherText(value: unknown): string | null {
  if (typeof value === "symbol") return storableText(value.toString(), 256);
  if (typeof value !== "object" || value === null) return null;
  if (types.isProxy(value)) return "(cannot be read)";
  if (types.isDate(value)) {
    const time = getTime.call(value);
    return Number.isNaN(time) ? null : new Date(time).toISOString();
  }
  if (types.isAnyArrayBuffer(value) || ArrayBuffer.isView(value))
    return `(${value.byteLength} bytes)`;
  const text = guarded(() => {
    if (types.isNativeError(value)) return `${value.name}: ${value.message}`;
    if (types.isRegExp(value)) return RegExp.prototype.toString.call(value);
    return String(unboxed(value));
  });
  return typeof text === "string" ? storableText(text, 4_096) : "(cannot be read)";
}

function unboxed(value: object): unknown {
  if (types.isNumberObject(value)) return Number.prototype.valueOf.call(value);
  if (types.isStringObject(value)) return String.prototype.valueOf.call(value);
  if (types.isBooleanObject(value)) return Boolean.prototype.valueOf.call(value);
  return Object.prototype.toString.call(value);
}

function bigText(value: bigint): string {
  if (value > LARGEST || value < -LARGEST) return '"(a whole number of more than 100 digits)"';
  const isExact = value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER;
  return isExact ? String(value) : `"${value}"`;
}

const isSkipped = (value: unknown) => value === undefined || typeof value === "function";

function entriesOf(source: object): Level["next"] {
  if (Array.isArray(source)) {
    let index = 0;
    return () =>
      index < source.length ? { value: guarded(() => source[index++] as unknown) } : undefined;
  }
  if (types.isSet(source)) {
    const values = Set.prototype.values.call(source);
    return () => {
      const { done, value } = values.next();
      return done ? undefined : { value: value as unknown };
    };
  }
  if (types.isMap(source)) {
    const entries = Map.prototype.entries.call(source);
    return () => {
      for (;;) {
        const { done, value } = entries.next();
        if (done) return undefined;
        const [key, inner] = value as [unknown, unknown];
        if (isSkipped(inner)) continue;
        return { key: nameOf(key), value: inner };
      }
    };
  }
  const found = guarded(() => Object.keys(source));
  const keys = Array.isArray(found) ? (found as string[]) : [];
  let at = 0;
  return () => {
    while (at < keys.length) {
      const key = keys[at++]!;
      const value = guarded(() => (source as Record<string, unknown>)[key]);
      if (!isSkipped(value)) return { key, value };
    }
    return undefined;
  };
}

function nameOf(key: unknown): string {
  if (typeof key === "string") return key;
  return typeof key === "number" || typeof key === "bigint" ? key.toString() : `(${typeof key})`;
}

/** A getter may throw whatever it likes. */
function guarded(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return "(cannot be read)";
  }
}
