import { Duration, type Value } from "./values.ts";

/** A value for people to read and programs to parse: integers of any size, times as RFC 3339, durations as Go's. */
export function valueAsJson(value: Value): string {
  if (typeof value === "bigint") return `${value}`;
  // JSON has no word for the others.
  if (typeof value === "number" && !Number.isFinite(value)) return `"${value}"`;
  if (typeof value !== "object") return JSON.stringify(value);
  if (value === null) return "null";
  if (value instanceof Date) return JSON.stringify(value);
  if (value instanceof Duration) return `"${durationText(value)}"`;
  if (value instanceof Uint8Array) return `"${Buffer.from(value).toString("base64")}"`;
  if (Array.isArray(value)) return `[${value.map((item: Value) => valueAsJson(item)).join(",")}]`;
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}:${valueAsJson(member)}`,
  );
  return `{${members.join(",")}}`;
}

/** As `time.Duration` of Go prints itself: `1h30m0s`, `1.5ms`. */
function durationText({ nanoseconds }: Duration): string {
  const sign = nanoseconds < 0n ? "-" : "";
  const total = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (total === 0n) return "0s";
  const decimal = (unit: bigint) => {
    const rest = `${total % unit}`.padStart(`${unit}`.length - 1, "0").replace(/0+$/, "");
    return `${total / unit}${rest && `.${rest}`}`;
  };
  if (total < 1_000n) return `${sign}${total}ns`;
  if (total < 1_000_000n) return `${sign}${decimal(1_000n)}µs`;
  if (total < 1_000_000_000n) return `${sign}${decimal(1_000_000n)}ms`;
  const minutes = total / 60_000_000_000n;
  const seconds = total % 60_000_000_000n;
  const [whole, part] = [seconds / 1_000_000_000n, seconds % 1_000_000_000n];
  const fraction = part === 0n ? "" : `.${`${part}`.padStart(9, "0").replace(/0+$/, "")}`;
  const hours = minutes / 60n;
  return `${sign}${hours > 0n ? `${hours}h` : ""}${minutes > 0n ? `${minutes % 60n}m` : ""}${whole}${fraction}s`;
}
