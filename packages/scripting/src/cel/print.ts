import { Duration } from "../values.ts";
import {
  CelMap,
  type CelValue,
  dateOf,
  isList,
  Optional,
  Timestamp,
  Uint,
  Whole,
} from "./cel-values.ts";
import { compareStrings } from "./operators.ts";

/** A double as Go prints it: `1e+06`, `0.5`, `+Inf`. */
export function printDouble(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  const [digits, exponent] = value.toExponential().split("e") as [string, string];
  const power = Number(exponent);
  if (value !== 0 && (power < -4 || power >= 6))
    return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  return Object.is(value, -0) ? "-0" : String(value);
}

/** A duration as Go prints it: `1h30m0s`, `1.5ms`. */
export function printDuration(value: Duration): string {
  const { nanoseconds } = value;
  if (nanoseconds === 0n) return "0s";
  const sign = nanoseconds < 0n ? "-" : "";
  const all = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const decimal = (unit: bigint, rest: bigint) => {
    const digits = String(rest % unit).padStart(String(unit).length - 1, "0");
    return `${rest / unit}${`.${digits}`.replace(/\.?0+$/, "")}`;
  };
  if (all < 1_000n) return `${sign}${all}ns`;
  if (all < 1_000_000n) return `${sign}${decimal(1_000n, all)}µs`;
  if (all < 1_000_000_000n) return `${sign}${decimal(1_000_000n, all)}ms`;
  const minutes = all / 60_000_000_000n;
  const seconds = `${decimal(1_000_000_000n, all % 60_000_000_000n)}s`;
  if (minutes === 0n) return `${sign}${seconds}`;
  if (minutes < 60n) return `${sign}${minutes}m${seconds}`;
  return `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

/** RFC 3339, with as many digits of a second as it has. */
export function printTimestamp(value: Timestamp): string {
  const nanoseconds = ((value.nanoseconds % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  const seconds = dateOf(value).toISOString().slice(0, 19);
  const fraction = `.${String(nanoseconds).padStart(9, "0")}`.replace(/\.?0+$/, "");
  return `${seconds}${fraction}Z`;
}

/** What a result reads as: as Go prints it, except null, which is nothing, and bytes, which are text. */
export function print(value: CelValue): string {
  if (typeof value === "number") return printDouble(value);
  if (typeof value !== "object") return String(value);
  if (value === null) return "";
  if (value instanceof Whole || value instanceof Uint) return String(value.value);
  if (isList(value)) return `[${value.map(printInside).join(" ")}]`;
  if (value instanceof CelMap)
    return `map[${value
      .entries()
      .map(([key, one]) => [print(key), printInside(one)] as const)
      .sort(([one], [other]) => compareStrings(one, other))
      .map((pair) => pair.join(":"))
      .join(" ")}]`;
  if (value instanceof Duration) return printDuration(value);
  if (value instanceof Timestamp)
    return printTimestamp(value).replace("T", " ").replace("Z", " +0000 UTC");
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (value instanceof Optional) return value.value === undefined ? "" : print(value.value);
  return value.name;
}

const printInside = (value: CelValue): string => (value === null ? "<nil>" : print(value));
