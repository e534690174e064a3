import { Duration, isMapping, type Value } from "../values.ts";
import { formatFloat } from "./go-float.ts";

/**
 * Values as Go's package fmt writes them. An integer is a bigint; a number stands for a float64, except that whole ones
 * are also taken as integers, since numbers of JSON documents do not say which they are.
 */

export class TooMuch extends Error {
  constructor(what: string) {
    super(what);
    this.name = "TooMuch";
  }
}

const maxCharacters = 10_000_000;
const maxDepth = 1000;

/** Go's name for the type of a value, as its messages show it. */
export function goType(value: Value): string {
  if (value === null) return "<nil>";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "bigint") return "int";
  if (typeof value === "number") return Number.isSafeInteger(value) ? "int" : "float64";
  if (typeof value === "string") return "string";
  if (Array.isArray(value)) return "[]interface {}";
  if (value instanceof Uint8Array) return "[]uint8";
  if (value instanceof Date) return "time.Time";
  if (value instanceof Duration) return "time.Duration";
  return "map[string]interface {}";
}

/** Go sorts by bytes of UTF-8, which is by code points. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    if (a.charCodeAt(i) !== b.charCodeAt(i)) {
      return (a.codePointAt(i) ?? 0) < (b.codePointAt(i) ?? 0) ? -1 : 1;
    }
  }
  return a.length < b.length ? -1 : 1;
}

export const sortedKeys = (mapping: object): string[] => Object.keys(mapping).sort(compareText);

const encoder = new TextEncoder();
export const utf8 = (text: string): Uint8Array => encoder.encode(text);
export const fromUtf8 = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

export interface Flags {
  plus: boolean;
  minus: boolean;
  sharp: boolean;
  space: boolean;
  zero: boolean;
  width: number | undefined;
  precision: number | undefined;
}

const plainFlags: Flags = {
  plus: false,
  minus: false,
  sharp: false,
  space: false,
  zero: false,
  width: undefined,
  precision: undefined,
};

/** As `fmt.Sprint` writes one operand. */
export const goText = (value: Value): string => new Formatter(plainFlags, "v").value(value, "v", 0);

/** As `fmt.Sprint`: a space between operands when neither is a string. */
export function goPrint(values: readonly Value[]): string {
  let text = "";
  values.forEach((value, i) => {
    if (i > 0 && typeof value !== "string" && typeof values[i - 1] !== "string") text += " ";
    text += goText(value);
    if (text.length > maxCharacters) throw new TooMuch("too much text");
  });
  return text;
}

export const goPrintln = (values: readonly Value[]): string => `${values.map(goText).join(" ")}\n`;

const isDigit = (c: string | undefined): c is string => c !== undefined && c >= "0" && c <= "9";
const largestWidth = 1_000_000;

/** As `fmt.Sprintf`, what it writes for mistakes included. */
export function goPrintf(format: string, operands: readonly Value[]): string {
  let out = "";
  let next = 0;
  let reordered = false;
  let i = 0;
  while (i < format.length) {
    const percent = format.indexOf("%", i);
    if (percent < 0) {
      out += format.slice(i);
      break;
    }
    out += format.slice(i, percent);
    i = percent + 1;
    const flags = { ...plainFlags };
    for (; i < format.length; i++) {
      const c = format[i];
      if (c === "#") flags.sharp = true;
      else if (c === "0") flags.zero = true;
      else if (c === "+") flags.plus = true;
      else if (c === "-") flags.minus = true;
      else if (c === " ") flags.space = true;
      else break;
    }
    let goodIndex = true;
    let afterIndex = false;
    const argNumber = (): void => {
      if (format[i] !== "[") return;
      reordered = true;
      const close = format.indexOf("]", i);
      const number = close < 0 ? undefined : /^\d+$/.exec(format.slice(i + 1, close))?.[0];
      i = close < 0 ? i + 1 : close + 1;
      const wanted = number === undefined ? 0 : Number(number);
      if (wanted < 1 || wanted > operands.length) {
        goodIndex = false;
        return;
      }
      next = wanted - 1;
      afterIndex = true;
    };
    const number = (): number | undefined => {
      let digits = "";
      while (isDigit(format[i])) digits += format[i++];
      if (digits === "") return undefined;
      return Number(digits) > largestWidth ? undefined : Number(digits);
    };
    const star = (): number | undefined => {
      const operand = operands[next];
      if (next < operands.length) next++;
      const size =
        typeof operand === "bigint"
          ? Number(operand)
          : typeof operand === "number" && Number.isInteger(operand)
            ? operand
            : undefined;
      return size !== undefined && Math.abs(size) <= largestWidth ? size : undefined;
    };
    argNumber();
    if (format[i] === "*") {
      i++;
      flags.width = star();
      if (flags.width === undefined) out += "%!(BADWIDTH)";
      else if (flags.width < 0) {
        flags.width = -flags.width;
        flags.minus = true;
        flags.zero = false;
      }
      afterIndex = false;
    } else {
      flags.width = number();
      if (afterIndex && flags.width !== undefined) goodIndex = false;
    }
    if (format[i] === ".") {
      i++;
      if (afterIndex) goodIndex = false;
      argNumber();
      if (format[i] === "*") {
        i++;
        flags.precision = star();
        if (flags.precision !== undefined && flags.precision < 0) flags.precision = undefined;
        if (flags.precision === undefined) out += "%!(BADPREC)";
        afterIndex = false;
      } else flags.precision = number() ?? 0;
    }
    if (!afterIndex) argNumber();
    const verb = i < format.length ? String.fromCodePoint(format.codePointAt(i) ?? 0) : undefined;
    if (verb === undefined) {
      out += "%!(NOVERB)";
      break;
    }
    i += verb.length;
    if (verb === "%") out += "%";
    else if (!goodIndex) out += `%!${verb}(BADINDEX)`;
    else if (next >= operands.length) out += `%!${verb}(MISSING)`;
    else {
      const operand = operands[next] ?? null;
      next++;
      out += new Formatter(flags, verb).value(operand, verb, 0);
    }
    if (out.length > maxCharacters) throw new TooMuch("too much text");
  }
  if (!reordered && next < operands.length) {
    const extra = operands
      .slice(next)
      .map((operand) => (operand === null ? "<nil>" : `${goType(operand)}=${goText(operand)}`));
    out += `%!(EXTRA ${extra.join(", ")})`;
  }
  return out;
}

class Formatter {
  private readonly flags: Flags;
  /** `%#v`, which writes Go; in `%v` neither `#` nor `+` is about the values within. */
  private readonly writesGo: boolean;
  private written = 0;

  constructor(flags: Flags, verb: string) {
    this.writesGo = verb === "v" && flags.sharp;
    this.flags = verb === "v" ? { ...flags, sharp: false, plus: false } : flags;
  }

  value(value: Value, verb: string, depth: number): string {
    const text = this.shape(value, verb, depth);
    this.written += text.length;
    if (this.written > maxCharacters) throw new TooMuch("too much text");
    return text;
  }

  private shape(value: Value, verb: string, depth: number): string {
    if (depth > maxDepth) throw new TooMuch("values are nested too deeply");
    if (value === null) {
      if (depth > 0) return this.writesGo ? "interface {}(nil)" : "<nil>";
      return verb === "v" || verb === "T" ? this.pad("<nil>") : `%!${verb}(<nil>)`;
    }
    if (verb === "T") return this.pad(goType(value));
    if (typeof value === "boolean") {
      return verb === "v" || verb === "t" ? this.pad(String(value)) : this.bad(value, verb);
    }
    if (typeof value === "bigint") return this.integer(value, verb);
    if (typeof value === "number") return this.number(value, verb);
    if (typeof value === "string") return this.text(value, verb);
    if (value instanceof Uint8Array) {
      if (verb === "s" || verb === "q" || verb === "x" || verb === "X") {
        return this.text(fromUtf8(value), verb, value);
      }
      return `[${Array.from(value, (byte) => this.integer(BigInt(byte), verb)).join(" ")}]`;
    }
    if (value instanceof Duration) {
      return "vs".includes(verb)
        ? this.pad(goDuration(value))
        : this.integer(value.nanoseconds, verb);
    }
    if (value instanceof Date) return this.text(goTime(value), verb === "v" ? "s" : verb);
    const goSyntax = this.writesGo;
    if (Array.isArray(value)) {
      const items = value.map((item: Value) => this.value(item, verb, depth + 1));
      return goSyntax ? `[]interface {}{${items.join(", ")}}` : `[${items.join(" ")}]`;
    }
    if (!isMapping(value)) return "";
    const entries = sortedKeys(value).map(
      (key) =>
        `${this.value(key, verb, depth + 1)}:${this.value(value[key] ?? null, verb, depth + 1)}`,
    );
    return goSyntax
      ? `map[string]interface {}{${entries.join(", ")}}`
      : `map[${entries.join(" ")}]`;
  }

  private bad(value: Value, verb: string): string {
    return `%!${verb}(${goType(value)}=${goText(value)})`;
  }

  private pad(text: string): string {
    const { width, minus, zero } = this.flags;
    if (width === undefined) return text;
    const missing = width - Array.from(text).length;
    if (missing <= 0) return text;
    if (minus) return text + " ".repeat(missing);
    return (zero ? "0" : " ").repeat(missing) + text;
  }

  private text(value: string, verb: string, bytes?: Uint8Array): string {
    const { flags } = this;
    let text = value;
    if (flags.precision !== undefined && "svq".includes(verb)) {
      text = Array.from(text).slice(0, flags.precision).join("");
    }
    if (this.writesGo) return this.pad(goQuote(text));
    switch (verb) {
      case "v":
      case "s":
        return this.pad(text);
      case "q":
        return this.pad(
          flags.sharp && !/[`\p{Cc}\ufeff]/u.test(text.replaceAll("\t", ""))
            ? `\`${text}\``
            : goQuote(text, flags.plus),
        );
      case "x":
      case "X": {
        let hex = Array.from((bytes ?? utf8(value)).slice(0, flags.precision), (byte) =>
          byte.toString(16).padStart(2, "0"),
        );
        if (verb === "X") hex = hex.map((pair) => pair.toUpperCase());
        const prefix = flags.sharp ? `0${verb}` : "";
        if (hex.length === 0) return this.pad("");
        return this.pad(
          flags.space ? hex.map((pair) => prefix + pair).join(" ") : prefix + hex.join(""),
        );
      }
      default:
        return this.bad(value, verb);
    }
  }

  private number(value: number, verb: string): string {
    const isWhole = Number.isSafeInteger(value);
    if (isWhole && "dboxXcUq".includes(verb)) return this.integer(BigInt(value), verb);
    const { flags } = this;
    switch (verb) {
      case "v":
        return isWhole && !Object.is(value, -0)
          ? this.integer(BigInt(value), "d")
          : this.float(value, "g", flags.precision);
      case "e":
      case "E":
      case "f":
      case "F":
        return this.float(value, verb, flags.precision ?? 6);
      case "g":
      case "G":
        return this.float(value, verb, flags.precision);
      default:
        return this.bad(value, verb);
    }
  }

  private float(value: number, verb: string, precision: number | undefined): string {
    const { flags } = this;
    let digits = formatFloat(Math.abs(value), verb === "F" ? "f" : verb, precision);
    const isFinite = Number.isFinite(value);
    let sign = value < 0 || Object.is(value, -0) ? "-" : flags.plus ? "+" : flags.space ? " " : "";
    if (value === Infinity && sign === "") sign = "+";
    if (Number.isNaN(value)) digits = "NaN";
    if (flags.zero && !flags.minus && isFinite && flags.width !== undefined) {
      return sign + digits.padStart(flags.width - sign.length, "0");
    }
    return this.padPlain(sign + digits);
  }

  private padPlain(text: string): string {
    const { width, minus } = this.flags;
    if (width === undefined) return text;
    return minus ? text.padEnd(width) : text.padStart(width);
  }

  private integer(value: bigint, verb: string): string {
    const { flags } = this;
    switch (verb) {
      case "v":
      case "d":
        return this.radix(value, 10, "");
      case "b":
        return this.radix(value, 2, flags.sharp ? "0b" : "");
      case "o":
        return this.radix(value, 8, flags.sharp ? "0" : "");
      case "O":
        return this.radix(value, 8, "0o");
      case "x":
        return this.radix(value, 16, flags.sharp ? "0x" : "");
      case "X":
        return this.radix(value, 16, flags.sharp ? "0X" : "").replace(/[a-f]/g, (c) =>
          c.toUpperCase(),
        );
      case "c":
        return this.pad(character(value));
      case "q": {
        const quoted = goQuote(character(value), flags.plus).slice(1, -1);
        return this.pad(`'${quoted === '\\"' ? '"' : quoted === "'" ? "\\'" : quoted}'`);
      }
      case "U":
        return this.padPlain(`U+${value.toString(16).toUpperCase().padStart(4, "0")}`);
      case "e":
      case "E":
      case "f":
      case "F":
      case "g":
      case "G":
      default:
        return this.bad(value, verb);
    }
  }

  private radix(value: bigint, radix: number, prefix: string): string {
    const { flags } = this;
    const sign = value < 0n ? "-" : flags.plus ? "+" : flags.space ? " " : "";
    let digits = (value < 0n ? -value : value).toString(radix);
    if (flags.precision !== undefined) {
      if (flags.precision === 0 && value === 0n) return this.padPlain("");
      digits = digits.padStart(flags.precision, "0");
    } else if (flags.zero && !flags.minus && flags.width !== undefined) {
      digits = digits.padStart(flags.width - sign.length, "0");
    }
    if (prefix === "0" && digits.startsWith("0")) return this.padPlain(sign + digits);
    return this.padPlain(sign + prefix + digits);
  }
}

const character = (value: bigint): string =>
  value >= 0n && value <= 0x10ffffn && !(value >= 0xd800n && value <= 0xdfffn)
    ? String.fromCodePoint(Number(value))
    : "\ufffd";

const shortEscapes: Record<string, string> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\u000b": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

/** As `strconv.Quote`. */
export function goQuote(text: string, onlyAscii = false): string {
  let out = '"';
  for (const c of text) {
    const escape = shortEscapes[c];
    const code = c.codePointAt(0) ?? 0;
    if (escape !== undefined) out += escape;
    else if (code < 0x20 || code === 0x7f) out += `\\x${code.toString(16).padStart(2, "0")}`;
    else if (code < 0x7f) out += c;
    else if (!onlyAscii && /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(c)) out += c;
    else if (code < 0x10000) out += `\\u${code.toString(16).padStart(4, "0")}`;
    else out += `\\U${code.toString(16).padStart(8, "0")}`;
  }
  return `${out}"`;
}

/** As Go writes a `time.Duration`: `1h30m0s`. */
export function goDuration({ nanoseconds }: Duration): string {
  if (nanoseconds === 0n) return "0s";
  const sign = nanoseconds < 0n ? "-" : "";
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const decimal = (unit: bigint): string => {
    const rest = (size % unit)
      .toString()
      .padStart(unit.toString().length - 1, "0")
      .replace(/0+$/, "");
    return `${size / unit}${rest === "" ? "" : `.${rest}`}`;
  };
  if (size < 1_000n) return `${sign}${size}ns`;
  if (size < 1_000_000n) return `${sign}${decimal(1_000n)}µs`;
  if (size < 1_000_000_000n) return `${sign}${decimal(1_000_000n)}ms`;
  const second = 1_000_000_000n;
  const seconds = size / second;
  const rest = (size % second).toString().padStart(9, "0").replace(/0+$/, "");
  const shown = `${seconds % 60n}${rest === "" ? "" : `.${rest}`}s`;
  const minutes = seconds / 60n;
  if (minutes === 0n) return sign + shown;
  if (minutes < 60n) return `${sign}${minutes}m${shown}`;
  return `${sign}${minutes / 60n}h${minutes % 60n}m${shown}`;
}

/** As Go writes a `time.Time` of UTC: `2024-01-02 03:04:05.5 +0000 UTC`. */
export function goTime(time: Date): string {
  if (Number.isNaN(time.getTime())) return "0001-01-01 00:00:00 +0000 UTC";
  const [day = "", rest = ""] = time.toISOString().split("T");
  const [clock = "", part = ""] = rest.replace("Z", "").split(".");
  const digits = part.replace(/0+$/, "");
  return `${day} ${clock}${digits === "" ? "" : `.${digits}`} +0000 UTC`;
}
