import { isMapping, type Value } from "../values.ts";
import { toJson } from "./data.ts";
import { goPrint, goType } from "./go-format.ts";

/** Any value as text, the way functions that want text take it: a missing one is `nil`, a mapping is JSON. */
export function toText(value: Value): string {
  if (value === null) return "nil";
  if (typeof value === "string") return value;
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (isMapping(value)) return toJson(value, { escapesHtml: true });
  return goPrint([value]);
}

const wrap = (value: bigint): bigint => BigInt.asIntN(64, value);

/** What `strconv.ParseInt` reads with base 0; undefined for anything else. */
export function parseInteger(text: string): bigint | undefined {
  const match = /^([+-]?)(0[xX][0-9a-fA-F_]+|0[oO]?[0-7_]+|0[bB][01_]+|[1-9][0-9_]*|0)$/.exec(text);
  if (match === null || /__|_$/.test(text)) return undefined;
  const digits = (match[2] ?? "").replaceAll("_", "").toLowerCase();
  const size = BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits);
  const value = match[1] === "-" ? -size : size;
  return value === wrap(value) ? value : undefined;
}

/** What `strconv.ParseFloat` reads. */
export function parseFloating(text: string): number | undefined {
  if (/^[+-]?(?:inf|infinity)$/i.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  if (/^[+-]?nan$/i.test(text)) return NaN;
  if (!/^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

function truncate(value: number): bigint {
  return Number.isFinite(value) ? wrap(BigInt(Math.trunc(value))) : 0n;
}

/** An integer out of anything: commas are dropped, fractions cut, and what is no number is 0. */
export function toInteger(value: Value): bigint {
  if (typeof value === "bigint") return wrap(value);
  if (typeof value === "number") return truncate(value);
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (typeof value !== "string") return 0n;
  const text = value.replaceAll(",", "");
  return parseInteger(text) ?? truncate(parseFloating(text) ?? 0);
}

/** A number out of anything, 0 for what is none. */
export function toFloat(value: Value): number {
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value !== "string") return 0;
  const text = value.replaceAll(",", "");
  const integer = parseInteger(text);
  return integer === undefined ? (parseFloating(text) ?? 0) : Number(integer);
}

/** True for true, 1 and texts that say so. */
export function toBool(value: Value): boolean {
  if (typeof value === "boolean") return value;
  if (typeof value === "string") {
    return ["1", "t", "true", "yes"].includes(value.toLowerCase()) || toFloat(value) === 1;
  }
  return (typeof value === "number" || typeof value === "bigint") && Number(value) === 1;
}

/** The stricter reading of `bool`: what Go takes for true, and nothing else. */
export const parsesAsTrue = (value: Value): boolean =>
  ["1", "t", "T", "true", "TRUE", "True"].includes(toText(value));

function digitsIn(text: string, base: number): bigint | undefined {
  const match = /^([+-]?)([0-9a-zA-Z]+)$/.exec(text);
  if (match === null || base < 2 || base > 36) return undefined;
  let value = 0n;
  for (const c of (match[2] ?? "").toLowerCase()) {
    const digit = parseInt(c, 36);
    if (digit >= base) return undefined;
    value = value * BigInt(base) + BigInt(digit);
  }
  return match[1] === "-" ? -value : value;
}

/** Numbers out of range become the nearest that fits; what is none becomes 0. */
export function parseIntOf(value: Value, base: Value, bits: Value): bigint {
  const size = toInteger(bits) || 64n;
  const text = toText(value);
  const radix = Number(toInteger(base));
  const number = radix === 0 ? parseInteger(text) : digitsIn(text, radix);
  if (number === undefined) return 0n;
  const largest = (1n << (size - 1n)) - 1n;
  return number > largest ? largest : number < -largest - 1n ? -largest - 1n : number;
}

export function parseUintOf(value: Value, base: Value, bits: Value): bigint {
  const size = toInteger(bits) || 64n;
  const text = toText(value);
  const radix = Number(toInteger(base));
  const number = radix === 0 ? parseInteger(text) : digitsIn(text, radix);
  if (number === undefined || /^[+-]/.test(text)) return 0n;
  const largest = (1n << size) - 1n;
  return number > largest ? largest : number;
}

/** The list that a value is. */
export function asList(value: Value): readonly Value[] {
  if (Array.isArray(value)) return value as readonly Value[];
  if (value instanceof Uint8Array) return Array.from(value, BigInt);
  throw new Error(`expected a list, got ${goType(value)}`);
}

const maxCharacters = 10_000_000;

export function join(list: Value, separator: string): string {
  const texts = asList(list).map(toText);
  const length = texts.reduce((sum, text) => sum + text.length + separator.length, 0);
  if (length > maxCharacters) throw new Error("the text gets too long");
  return texts.join(separator);
}

/** A mapping of keys and values that take turns; the last key, without a value, gets an empty one. */
export function dict(items: readonly Value[]): Value {
  const entries: [string, Value][] = [];
  for (let i = 0; i < items.length; i += 2) {
    entries.push([toText(items[i] ?? null), i + 1 < items.length ? (items[i + 1] ?? null) : ""]);
  }
  return Object.fromEntries(entries);
}

export interface UrlParts {
  [key: string]: Value;
}

/** The parts of an address under Go's names for them. */
export function urlParse(text: string): UrlParts {
  const match =
    /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/(?:([^/?#@]*)@)?([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(
      text,
    );
  if (match === null) throw new Error(`parse ${JSON.stringify(text)}: no address`);
  const [, scheme = "", user = "", host = "", path = "", query = "", fragment = ""] = match;
  const redacted =
    user === "" || !user.includes(":")
      ? text
      : text.replace(`${user}@`, `${user.slice(0, user.indexOf(":"))}:xxxxx@`);
  const port = /:(\d*)$/.exec(host)?.[1] ?? "";
  return {
    Scheme: scheme.toLowerCase(),
    User: user,
    Host: host,
    Hostname: host.replace(/:\d*$/, "").replace(/^\[(.*)\]$/, "$1"),
    Port: port,
    Path: decode(path),
    RawQuery: query,
    Fragment: decode(fragment),
    Redacted: redacted,
    String: text,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    throw new Error(`invalid URL escape in ${JSON.stringify(text)}`, { cause: error });
  }
}
