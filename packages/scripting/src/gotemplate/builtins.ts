import {
  compareText,
  goPrint,
  goPrintf,
  goPrintln,
  goText,
  goType,
  utf8,
} from "../functions/go-format.ts";
import { Duration, isMapping, type Value } from "../values.ts";
import { type Callable, callable, textArgument } from "./callable.ts";

/** Functions of Go's text/template itself; `and`, `or` and `call` are the interpreter's, which need not evaluate all. */

export function isTrue(value: Value): boolean {
  if (value === null || value === false || value === "") return false;
  if (typeof value === "bigint") return value !== 0n;
  if (typeof value === "number") return value !== 0;
  if (typeof value !== "object" || value instanceof Date) return true;
  if (value instanceof Duration) return value.nanoseconds !== 0n;
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length > 0;
  return Object.keys(value).length > 0;
}

type Basic = "bool" | "number" | "string" | "time" | "nil" | "other";

function basicKind(value: Value): Basic {
  if (value === null) return "nil";
  if (value instanceof Date) return "time";
  if (value instanceof Duration) return "number";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "bigint" || typeof value === "number") return "number";
  return typeof value === "string" ? "string" : "other";
}

const numeric = (value: Value): bigint | number =>
  value instanceof Duration ? value.nanoseconds : (value as bigint | number);

/** JavaScript compares a bigint with a number by their mathematical values, as one expects of `eq .code 200`. */
function equal(left: Value, right: Value): boolean {
  const kind = basicKind(left);
  const other = basicKind(right);
  if (kind === "nil" || other === "nil") return kind === other;
  if (kind !== other) throw new Error("incompatible types for comparison");
  switch (kind) {
    case "bool":
    case "string":
      return left === right;
    case "number": {
      const [a, b] = [numeric(left), numeric(right)];
      return !(a < b) && !(a > b) && !Number.isNaN(a) && !Number.isNaN(b);
    }
    case "time":
      return (left as Date).getTime() === (right as Date).getTime();
    case "other":
      throw new Error(`non-comparable type ${goText(left).slice(0, 100)}: ${goType(left)}`);
  }
}

function isLess(left: Value, right: Value): boolean {
  const kind = basicKind(left);
  if (kind === "nil" || kind === "other" || kind === "bool") {
    throw new Error("invalid type for comparison");
  }
  if (kind !== basicKind(right)) throw new Error("incompatible types for comparison");
  if (kind === "string") return compareText(left as string, right as string) < 0;
  if (kind === "time") return (left as Date).getTime() < (right as Date).getTime();
  return numeric(left) < numeric(right);
}

function isEqualToOneOf(args: readonly Value[]): boolean {
  const [first = null, ...others] = args;
  if (others.length === 0) throw new Error("missing argument for comparison");
  return others.some((other) => equal(first, other));
}

/** A place in a list: an integer, or a number of JSON that is whole. */
export function asIndex(index: Value, length: number): number {
  if (index === null) throw new Error("cannot index slice/array with nil");
  const place =
    typeof index === "bigint"
      ? Number(index)
      : typeof index === "number" && Number.isInteger(index)
        ? index
        : undefined;
  if (place === undefined) {
    throw new Error(`cannot index slice/array with type ${goType(index)}`);
  }
  if (place < 0 || place >= length) throw new Error(`index out of range: ${place}`);
  return place;
}

function indexOnce(item: Value, index: Value): Value {
  if (item === null) throw new Error("index of untyped nil");
  if (typeof item === "string") {
    const bytes = utf8(item);
    return BigInt(bytes[asIndex(index, bytes.length)] ?? 0);
  }
  if (item instanceof Uint8Array) return BigInt(item[asIndex(index, item.length)] ?? 0);
  if (Array.isArray(item)) return (item as readonly Value[])[asIndex(index, item.length)] ?? null;
  if (isMapping(item)) {
    if (index === null) throw new Error("value is nil; should be of type string");
    if (typeof index !== "string") {
      throw new Error(`value has type ${goType(index)}; should be string`);
    }
    return Object.hasOwn(item, index) ? (item[index] ?? null) : null;
  }
  throw new Error(`can't index item of type ${goType(item)}`);
}

function length(value: Value): bigint {
  if (typeof value === "string") return BigInt(utf8(value).length);
  if (Array.isArray(value) || value instanceof Uint8Array) return BigInt(value.length);
  if (isMapping(value)) return BigInt(Object.keys(value).length);
  if (value === null) throw new Error("len of nil pointer");
  throw new Error(`len of type ${goType(value)}`);
}

const htmlEscapes: Record<string, string> = {
  '"': "&#34;",
  "'": "&#39;",
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "\u0000": "\ufffd",
};

function scriptEscape(text: string): string {
  let out = "";
  for (const c of text) {
    const code = c.codePointAt(0) ?? 0;
    if (c === "\\") out += "\\\\";
    else if (c === "'") out += "\\'";
    else if (c === '"') out += '\\"';
    else if ("<>&=".includes(c)) out += `\\u00${code.toString(16).toUpperCase()}`;
    else if (code < 0x20 || (code >= 0x7f && !/[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(c))) {
      out += `\\u${code.toString(16).toUpperCase().padStart(4, "0")}`;
    } else out += c;
  }
  return out;
}

const queryEscape = (text: string): string =>
  encodeURIComponent(text.toWellFormed())
    .replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%20", "+");

const any = Infinity;
const printed = (args: readonly Value[]): string =>
  args.length === 1 && typeof args[0] === "string"
    ? args[0]
    : goPrint(args.map((value) => value ?? "<no value>"));

export const builtins: readonly Callable[] = [
  callable("eq", [1, any], isEqualToOneOf),
  callable("ne", 2, ([a = null, b = null]) => !equal(a, b)),
  callable("lt", 2, ([a = null, b = null]) => isLess(a, b)),
  callable("le", 2, ([a = null, b = null]) => isLess(a, b) || equal(a, b)),
  callable("gt", 2, ([a = null, b = null]) => !isLess(a, b) && !equal(a, b)),
  callable("ge", 2, ([a = null, b = null]) => !isLess(a, b)),
  callable("not", 1, ([value = null]) => !isTrue(value)),
  callable("len", 1, ([value = null]) => length(value)),
  callable("index", [1, any], ([item = null, ...indices]) => indices.reduce(indexOnce, item)),
  callable("html", [0, any], (args) =>
    printed(args).replace(/["'&<>\0]/g, (c) => htmlEscapes[c] ?? c),
  ),
  callable("js", [0, any], (args) => scriptEscape(printed(args))),
  callable("urlquery", [0, any], (args) => queryEscape(printed(args))),
  callable("print", [0, any], goPrint),
  callable("println", [0, any], goPrintln),
  callable("printf", [1, any], ([first = null, ...operands]) =>
    goPrintf(textArgument(first), operands),
  ),
];
