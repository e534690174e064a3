import { compareText } from "../functions/go-format.ts";
import { Duration } from "../values.ts";
import {
  CelMap,
  type CelValue,
  isList,
  Optional,
  Timestamp,
  typeName,
  Uint,
  Whole,
} from "./cel-values.ts";
import { Mistake } from "./mistake.ts";
import { printDouble, printTimestamp } from "./print.ts";

/** `"%s is %d".format([a, b])`, as CEL's extension for strings has it. */
export function format(
  text: string,
  args: readonly CelValue[],
  produce: (size: number) => void,
): string {
  let place = 0;
  let size = text.length;
  const filled = text.replace(
    /%(?:%|(?:\.(\d*))?([\s\S]?))/g,
    (all, precision?: string, verb?: string) => {
      if (all === "%%") return "%";
      if (!verb) throw new Mistake("the format ends with a %");
      if (!"sdfebxXo".includes(verb)) throw new Mistake(`the format has an unknown %${verb}`);
      if (place >= args.length) throw new Mistake(`the format has more than ${args.length} places`);
      const digits = precision === undefined ? 6 : Number(precision);
      if (digits > 100) throw new Mistake("a number has at most 100 digits after its point");
      const part = one(verb, args[place++]!, digits);
      size += part.length;
      produce(size);
      return part;
    },
  );
  return filled;
}

function one(verb: string, value: CelValue, digits: number): string {
  switch (verb) {
    case "s":
      return printCel(value);
    case "d": {
      const number = integer(value);
      if (number !== undefined) return String(number);
      if (typeof value === "number" && !Number.isFinite(value)) return infinity(value);
      break;
    }
    case "f":
    case "e": {
      const number = double(value);
      if (number === undefined) break;
      if (!Number.isFinite(number)) return infinity(number);
      return verb === "e"
        ? number.toExponential(digits).replace(/([-+])(\d)$/, "$10$2")
        : fixed(number, digits);
    }
    case "b":
      if (typeof value === "boolean") return value ? "1" : "0";
      return based(verb, value, 2);
    case "o":
      return based(verb, value, 8);
    default: {
      // x and X
      const hex =
        typeof value === "string" || value instanceof Uint8Array
          ? Buffer.from(value as string).toString("hex")
          : based(verb, value, 16);
      return verb === "X" ? hex.toUpperCase() : hex;
    }
  }
  throw new Mistake(`%${verb} cannot print a ${typeName(value)}`);
}

const infinity = (value: number): string =>
  Number.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";

const roundings = new Map<number, Intl.NumberFormat>();

/** Halves to the even neighbour, as IEEE 754 has it. */
function fixed(number: number, digits: number): string {
  let rounding = roundings.get(digits);
  if (!rounding) {
    const options = {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
      roundingMode: "halfEven",
      useGrouping: false,
    };
    // The types of this library do not know how numbers are rounded.
    rounding = new Intl.NumberFormat("en-US", options as Intl.NumberFormatOptions);
    roundings.set(digits, rounding);
  }
  return rounding.format(number);
}

function integer(value: CelValue): bigint | undefined {
  if (typeof value === "bigint") return value;
  if (value instanceof Uint) return value.value;
  return value instanceof Whole ? BigInt(value.value) : undefined;
}

function double(value: CelValue): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Whole) return value.value;
  return value instanceof Uint ? Number(value.value) : undefined;
}

function based(verb: string, value: CelValue, base: number): string {
  const number = integer(value);
  if (number === undefined) throw new Mistake(`%${verb} cannot print a ${typeName(value)}`);
  return number.toString(base);
}

/** A value as CEL writes it in texts: `[1, 2]`, `{a: 1}`, `5400s`. */
export function printCel(value: CelValue): string {
  if (typeof value === "number")
    return Number.isFinite(value) ? printDouble(value) : infinity(value);
  if (typeof value !== "object") return String(value);
  if (value === null) return "null";
  if (value instanceof Whole || value instanceof Uint) return String(value.value);
  if (isList(value)) return `[${value.map(printCel).join(", ")}]`;
  if (value instanceof CelMap)
    return `{${value
      .entries()
      .map(([key, item]) => [printCel(key), printCel(item)] as const)
      .sort(([left], [right]) => compareText(left, right))
      .map((pair) => pair.join(": "))
      .join(", ")}}`;
  if (value instanceof Duration) {
    const sign = value.nanoseconds < 0n ? "-" : "";
    const all = value.nanoseconds < 0n ? -value.nanoseconds : value.nanoseconds;
    const fraction = `.${String(all % 1_000_000_000n).padStart(9, "0")}`.replace(/\.?0+$/, "");
    return `${sign}${all / 1_000_000_000n}${fraction}s`;
  }
  if (value instanceof Timestamp) return printTimestamp(value);
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (value instanceof Optional)
    return value.value === undefined ? "optional.none()" : `optional.of(${printCel(value.value)})`;
  return value.name;
}
