/** Numbers as Go's package strconv writes them. */

/** A number as `strconv.FormatFloat` writes it: verbs e, E, f, g and G; no precision means as few digits as tell it. */
export function formatFloat(value: number, verb: string, precision: number | undefined): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "Inf" : "-Inf";
  const negative = value < 0 || Object.is(value, -0);
  const sign = negative ? "-" : "";
  const size = Math.abs(value);
  switch (verb) {
    case "f":
      return sign + (precision === undefined ? shortestFixed(size) : exactFixed(size, precision));
    case "e":
    case "E": {
      const [digits, exponent] =
        precision === undefined ? shortestDigits(size) : exactDigits(size, precision + 1);
      return sign + exponential(digits, exponent, verb);
    }
    default: {
      const [all, exponent] =
        precision === undefined ? shortestDigits(size) : exactDigits(size, precision || 1);
      const digits = all.replace(/0+$/, "") || "0";
      let threshold = precision === undefined ? 6 : precision || 1;
      if (precision !== undefined && threshold > digits.length && digits.length >= exponent + 1) {
        threshold = digits.length;
      }
      if (exponent < -4 || exponent >= threshold) {
        return sign + exponential(digits, exponent, verb === "G" ? "E" : "e");
      }
      if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
      const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
      const rest = digits.slice(exponent + 1);
      return sign + whole + (rest === "" ? "" : `.${rest}`);
    }
  }
}

function exponential(digits: string, exponent: number, letter: string): string {
  const rest = digits.slice(1);
  const mark = exponent < 0 ? "-" : "+";
  const power = String(Math.abs(exponent)).padStart(2, "0");
  return `${digits[0]}${rest === "" ? "" : `.${rest}`}${letter}${mark}${power}`;
}

function shortestDigits(size: number): [digits: string, exponent: number] {
  const [mantissa = "0", exponent = "0"] = size.toExponential().split("e");
  return [mantissa.replace(".", ""), Number(exponent)];
}

function shortestFixed(size: number): string {
  const [digits, exponent] = shortestDigits(size);
  if (exponent < 0) return `0.${"0".repeat(-exponent - 1)}${digits}`;
  const rest = digits.slice(exponent + 1);
  return digits.slice(0, exponent + 1).padEnd(exponent + 1, "0") + (rest === "" ? "" : `.${rest}`);
}

/** The number is the fraction exactly, so that halves are seen and go to the even digit as in Go. */
function fraction(size: number): [numerator: bigint, denominator: bigint] {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, size);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const mantissa = (bits & 0xfffffffffffffn) | (exponent === 0 ? 0n : 1n << 52n);
  const power = (exponent === 0 ? 1 : exponent) - 1075;
  return power >= 0 ? [mantissa << BigInt(power), 1n] : [mantissa, 1n << BigInt(-power)];
}

function divideToEven(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const twice = (numerator % denominator) * 2n;
  if (twice > denominator || (twice === denominator && quotient % 2n === 1n)) return quotient + 1n;
  return quotient;
}

function exactFixed(size: number, wanted: number): string {
  const precision = Math.min(wanted, 1100);
  const [numerator, denominator] = fraction(size);
  const digits = divideToEven(numerator * 10n ** BigInt(precision), denominator)
    .toString()
    .padStart(precision + 1, "0");
  const padding = "0".repeat(wanted - precision);
  if (precision === 0) return digits;
  return `${digits.slice(0, -precision)}.${digits.slice(-precision)}${padding}`;
}

function exactDigits(size: number, wanted: number): [digits: string, exponent: number] {
  const count = Math.min(wanted, 1100);
  if (size === 0) return ["0".repeat(count), 0];
  const [numerator, denominator] = fraction(size);
  let exponent = shortestDigits(size)[1];
  const shift = count - 1 - exponent;
  const rounded =
    shift >= 0
      ? divideToEven(numerator * 10n ** BigInt(shift), denominator)
      : divideToEven(numerator, denominator * 10n ** BigInt(-shift));
  let digits = rounded.toString();
  if (digits.length > count) {
    exponent++;
    digits = digits.slice(0, count);
  }
  return [digits, exponent];
}
