import { formatFloat } from "../functions/go-float.ts";
import { compareText, goDuration } from "../functions/go-format.ts";
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

/** A double as Go prints it: `1e+06`, `0.5`, `+Inf`. */
export const printDouble = (value: number): string =>
  value === Infinity ? "+Inf" : formatFloat(value, "g", undefined);

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
      .sort(([one], [other]) => compareText(one, other))
      .map((pair) => pair.join(":"))
      .join(" ")}]`;
  if (value instanceof Duration) return goDuration(value);
  if (value instanceof Timestamp)
    return printTimestamp(value).replace("T", " ").replace("Z", " +0000 UTC");
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (value instanceof Optional) return value.value === undefined ? "" : print(value.value);
  return value.name;
}

const printInside = (value: CelValue): string => (value === null ? "<nil>" : print(value));
