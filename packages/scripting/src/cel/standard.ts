import { base64Decode, base64Encode } from "../functions/crypto.ts";
import { isMatch } from "../functions/regexp.ts";
import { parseDuration, parseTimestamp, zoneOffsetMinutes } from "../functions/time.ts";
import {
  CelMap,
  CelType,
  type CelValue,
  dateOf,
  isList,
  Optional,
  Timestamp,
  typeName,
  Uint,
} from "./cel-values.ts";
import { Duration } from "../values.ts";
import { format, printCel } from "./format.ts";
import { Mistake } from "./mistake.ts";
import { duration, equal, int, timestamp, uint } from "./operators.ts";
import type { FunctionTable } from "./overloads.ts";
import { printDouble, printTimestamp } from "./print.ts";

/** Functions of CEL itself and of its extensions for strings, optionals, sets and encodings. */

export function addStandard(globals: FunctionTable, methods: FunctionTable): void {
  addConversions(globals);
  addStrings(globals, methods);
  addTimes(methods);
  addOptionals(globals, methods);

  for (const table of [globals, methods]) {
    table
      .add("size", ["string"], (text) => BigInt(lengthOf(text)))
      .add("size", ["bytes"], (bytes) => BigInt(bytes.length))
      .add("size", ["list"], (list) => BigInt(list.length))
      .add("size", ["map"], (map) => BigInt(map.size))
      .add("matches", ["string", "string"], (text, pattern) => isMatch(pattern, text));
  }

  const contains = (list: readonly CelValue[], part: readonly CelValue[]) =>
    part.every((one) => list.some((other) => equal(one, other)));
  globals
    .add("sets.contains", ["list", "list"], contains)
    .add(
      "sets.equivalent",
      ["list", "list"],
      (one, other) => contains(one, other) && contains(other, one),
    )
    .add("sets.intersects", ["list", "list"], (one, other) =>
      one.some((item) => other.some((another) => equal(item, another))),
    );

  globals
    .add("base64.encode", ["bytes"], base64Encode)
    .add("base64.encode", ["string"], base64Encode)
    .add("base64.decode", ["text"], base64Decode);
}

const doubles = new Map([
  ["nan", Number.NaN],
  ["inf", Infinity],
  ["+inf", Infinity],
  ["-inf", -Infinity],
  ["infinity", Infinity],
  ["-infinity", -Infinity],
]);

function addConversions(globals: FunctionTable): void {
  const number = (text: string): bigint => {
    if (!/^[-+]?(?:\d+|0[xX][0-9a-fA-F]+)$/.test(text)) throw new Mistake(`"${text}" is no int`);
    return text.startsWith("-") ? -BigInt(text.slice(1)) : BigInt(text.replace("+", ""));
  };
  const whole = (value: number): bigint => {
    if (Number.isNaN(value) || value <= -(2 ** 63) || value >= 2 ** 63)
      throw new Mistake("the number is too large for an int");
    return BigInt(Math.trunc(value));
  };
  globals
    .add("int", ["int"], (value) => value)
    .add("int", ["uint"], ({ value }) => int(value))
    .add("int", ["double"], whole)
    .add("int", ["string"], (text) => int(number(text)))
    .add("int", ["timestamp"], ({ nanoseconds }) => floorDivide(nanoseconds, 1_000_000_000n))
    .add("int", ["duration"], ({ nanoseconds }) => nanoseconds / 1_000_000_000n)
    .add("int", ["null"], () => 0n)
    .add("uint", ["uint"], (value) => value)
    .add("uint", ["int"], uint)
    .add("uint", ["double"], (value) => {
      if (!(value >= 0 && value < 2 ** 64)) throw new Mistake("the number is too large for a uint");
      return uint(BigInt(Math.trunc(value)));
    })
    .add("uint", ["string"], (text) => uint(number(text)))
    .add("double", ["double"], (value) => value)
    .add("double", ["uint"], ({ value }) => Number(value))
    .add("double", ["string"], (text) => {
      const value = doubles.get(text.toLowerCase()) ?? Number(text);
      if (text.trim() !== text || text === "" || (Number.isNaN(value) && !/nan/i.test(text)))
        throw new Mistake(`"${text}" is no double`);
      return value;
    })
    .add("double", ["null"], () => 0)
    .add("bool", ["bool"], (value) => value)
    .add("bool", ["string"], (text) => {
      if (["true", "True", "TRUE", "t", "1"].includes(text)) return true;
      if (["false", "False", "FALSE", "f", "0"].includes(text)) return false;
      throw new Mistake(`"${text}" is neither true nor false`);
    })
    .add("bytes", ["bytes"], (value) => value)
    .add("bytes", ["string"], (text) => new Uint8Array(Buffer.from(text)))
    .add("string", ["string"], (value) => value)
    .add("string", ["bool"], String)
    .add("string", ["int"], String)
    .add("string", ["uint"], ({ value }) => String(value))
    .add("string", ["strictDouble"], printDouble)
    .add("string", ["bytes"], (bytes) => {
      try {
        return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      } catch (error) {
        throw new Mistake("these bytes are no text", { cause: error });
      }
    })
    .add("string", ["timestamp"], printTimestamp)
    .add("string", ["duration"], printCel)
    .add("string", ["null"], () => "")
    .add("string", ["type"], ({ name }) => name)
    .add("timestamp", ["timestamp"], (value) => value)
    .add("timestamp", ["int"], (value) => timestamp(value * 1_000_000_000n))
    .add("timestamp", ["string"], (text) => {
      const found = parseTimestamp(text);
      if (found === undefined) throw new Mistake(`"${text}" is no time: 2026-11-22T10:00:00Z`);
      return timestamp(found);
    })
    .add("duration", ["duration"], (value) => value)
    .add("duration", ["int"], (value) => duration(value * 1_000_000_000n))
    .add("duration", ["string"], (text) => {
      const found = parseDuration(text, { days: false });
      if (found === undefined)
        throw new Mistake(`"${text}" is no duration: 1h30m, 5s; days are Duration("7d")`);
      return duration(found);
    })
    .add("type", ["any"], (value) => new CelType(typeName(value)))
    .add("dyn", ["any"], (value) => value);
}

function addTimes(methods: FunctionTable): void {
  const fields: Record<string, (date: Date) => number> = {
    getFullYear: (date) => date.getUTCFullYear(),
    getMonth: (date) => date.getUTCMonth(),
    getDate: (date) => date.getUTCDate(),
    getDayOfMonth: (date) => date.getUTCDate() - 1,
    getDayOfWeek: (date) => date.getUTCDay(),
    getDayOfYear: (date) =>
      Math.floor((date.getTime() - new Date(date).setUTCMonth(0, 1)) / 86_400_000),
    getHours: (date) => date.getUTCHours(),
    getMinutes: (date) => date.getUTCMinutes(),
    getSeconds: (date) => date.getUTCSeconds(),
    getMilliseconds: (date) => date.getUTCMilliseconds(),
  };
  for (const [name, field] of Object.entries(fields))
    methods
      .add(name, ["timestamp"], (time) => BigInt(field(dateOf(time))))
      .add(name, ["timestamp", "string"], (time, zone) => {
        const date = dateOf(time);
        const offset = zoneOffsetMinutes(date.getTime(), zone);
        return BigInt(field(new Date(date.getTime() + offset * 60_000)));
      });
  // Of a duration they are the whole of it in that unit, milliseconds too, as documents mean it.
  const lengths = {
    getHours: 3_600_000_000_000n,
    getMinutes: 60_000_000_000n,
    getSeconds: 1_000_000_000n,
    getMilliseconds: 1_000_000n,
  };
  for (const [name, unit] of Object.entries(lengths))
    methods.add(name, ["duration"], ({ nanoseconds }) => nanoseconds / unit);
}

function addOptionals(globals: FunctionTable, methods: FunctionTable): void {
  globals
    .add("optional.of", ["any"], (value) => new Optional(value))
    .add("optional.none", [], () => Optional.none)
    .add("optional.ofNonZeroValue", ["any"], (value) =>
      isEmpty(value) ? Optional.none : new Optional(value),
    )
    .add("optional.unwrap", ["list"], unwrap);
  methods
    .add("hasValue", ["optional"], ({ value }) => value !== undefined)
    .add("hasValue", ["any"], (value) => value !== null)
    .add("value", ["optional"], ({ value }) => {
      if (value === undefined) throw new Mistake("the optional value is not there");
      return value;
    })
    .add("unwrapOpt", ["list"], unwrap);
}

const unwrap = (list: readonly CelValue[]) =>
  list.flatMap((item) => {
    if (!(item instanceof Optional)) return [item];
    return item.value === undefined ? [] : [item.value];
  });

export function isEmpty(value: CelValue): boolean {
  if (value === null || value === "" || value === false || value === 0n || value === 0) return true;
  if (isList(value) || value instanceof Uint8Array) return value.length === 0;
  if (value instanceof CelMap) return value.size === 0;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration || value instanceof Timestamp) return value.nanoseconds === 0n;
  return false;
}

const wide = /[\ud800-\udfff]/;

/** In code points, which positions in CEL count. */
export const lengthOf = (text: string): number =>
  wide.test(text) ? Array.from(text).length : text.length;

const sliceOf = (text: string, from: number, to?: number): string =>
  wide.test(text) ? Array.from(text).slice(from, to).join("") : text.slice(from, to);

/** Code points before a place that is counted in UTF-16, and the other way. */
const toPoints = (text: string, place: number) =>
  place <= 0 ? place : lengthOf(text.slice(0, place));
const toUnits = (text: string, place: number) =>
  wide.test(text) ? Array.from(text).slice(0, place).join("").length : place;

const ascii = (text: string, from: RegExp, change: (part: string) => string) =>
  text.replace(from, change);

function addStrings(globals: FunctionTable, methods: FunctionTable): void {
  const within = (text: string, place: bigint) => {
    const length = lengthOf(text);
    if (place < 0n || place > BigInt(length))
      throw new Mistake(`the position ${place} is outside of the ${length} characters`);
    return Number(place);
  };
  methods
    .add("contains", ["string", "string"], (text, part) => text.includes(part))
    .add("startsWith", ["string", "string"], (text, part) => text.startsWith(part))
    .add("endsWith", ["string", "string"], (text, part) => text.endsWith(part))
    .add("charAt", ["string", "int"], (text, place) => {
      const at = within(text, place);
      return sliceOf(text, at, at + 1);
    })
    .add("indexOf", ["string", "string"], (text, part) =>
      BigInt(toPoints(text, text.indexOf(part))),
    )
    .add("indexOf", ["string", "string", "int"], (text, part, from) =>
      BigInt(toPoints(text, text.indexOf(part, toUnits(text, within(text, from))))),
    )
    .add("lastIndexOf", ["string", "string"], (text, part) =>
      BigInt(toPoints(text, text.lastIndexOf(part))),
    )
    .add("lastIndexOf", ["string", "string", "int"], (text, part, from) =>
      BigInt(toPoints(text, text.lastIndexOf(part, toUnits(text, within(text, from))))),
    )
    .add("lowerAscii", ["string"], (text) => ascii(text, /[A-Z]+/g, (part) => part.toLowerCase()))
    .add("upperAscii", ["string"], (text) => ascii(text, /[a-z]+/g, (part) => part.toUpperCase()))
    .addWithRun("replace", ["string", "string", "string"], ({ meter }, text, from, to) =>
      replace(text, from, to, -1, (size) => meter.produce(size)),
    )
    .addWithRun(
      "replace",
      ["string", "string", "string", "int"],
      ({ meter }, text, from, to, count) =>
        replace(text, from, to, Number(count), (size) => meter.produce(size)),
    )
    .add("split", ["string", "string"], (text, separator) => split(text, separator, -1))
    .add("split", ["string", "string", "int"], (text, separator, count) =>
      split(text, separator, Number(count)),
    )
    .add("substring", ["string", "int"], (text, from) => sliceOf(text, within(text, from)))
    .add("substring", ["string", "int", "int"], (text, from, to) => {
      const [start, end] = [within(text, from), within(text, to)];
      if (start > end) throw new Mistake(`the position ${start} is after ${end}`);
      return sliceOf(text, start, end);
    })
    // What Unicode calls white space, and not what JavaScript does: no byte order mark.
    .add("trim", ["string"], (text) =>
      text.replace(
        /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+|[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/g,
        "",
      ),
    )
    .addWithRun("join", ["list"], ({ meter }, list) =>
      join(list, "", (size) => meter.produce(size)),
    )
    .addWithRun("join", ["list", "string"], ({ meter }, list, separator) =>
      join(list, separator, (size) => meter.produce(size)),
    )
    .add("reverse", ["string"], (text) => Array.from(text).toReversed().join(""))
    .addWithRun("format", ["string", "list"], ({ meter }, text, list) =>
      format(text, list, (size) => meter.produce(size)),
    );
  globals.add("strings.quote", ["string"], quote);
}

const quotes: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

const quote = (text: string) =>
  // oxlint-disable-next-line no-control-regex -- control characters are what is quoted
  `"${text.toWellFormed().replace(/[\u0007-\r\\"]/g, (char) => quotes[char]!)}"`;

function split(text: string, separator: string, count: number): string[] {
  if (count === 0) return [];
  const all = separator === "" ? Array.from(text) : text.split(separator);
  if (count < 0 || all.length <= count) return all;
  return [...all.slice(0, count - 1), all.slice(count - 1).join(separator)];
}

function replace(
  text: string,
  from: string,
  to: string,
  count: number,
  produce: (size: number) => void,
): string {
  const parts = from === "" ? ["", ...Array.from(text), ""] : text.split(from);
  const times = count < 0 ? parts.length - 1 : Math.min(count, parts.length - 1);
  produce(text.length + times * to.length);
  return (
    parts.slice(0, times + 1).join(to) +
    parts
      .slice(times + 1)
      .map((part) => from + part)
      .join("")
  );
}

function join(
  list: readonly CelValue[],
  separator: string,
  produce: (size: number) => void,
): string {
  let size = 0;
  for (const item of list) {
    if (typeof item !== "string")
      throw new Mistake(`join wants a list of strings, and there is a ${typeName(item)} in it`);
    size += item.length + separator.length;
  }
  produce(size);
  return (list as readonly string[]).join(separator);
}

function floorDivide(value: bigint, by: bigint): bigint {
  return value / by - (value % by < 0n ? 1n : 0n);
}
