import { goDuration } from "./functions/go-format.ts";
import { Duration, type Value } from "./values.ts";

/** A value for people to read and programs to parse: integers of any size, times as RFC 3339, durations as Go's. */
export function valueAsJson(value: Value): string {
  if (typeof value === "bigint") return `${value}`;
  // JSON has no word for the others.
  if (typeof value === "number" && !Number.isFinite(value)) return `"${value}"`;
  if (typeof value !== "object") return JSON.stringify(value);
  if (value === null) return "null";
  if (value instanceof Date) return JSON.stringify(value);
  if (value instanceof Duration) return `"${goDuration(value)}"`;
  if (value instanceof Uint8Array) return `"${Buffer.from(value).toString("base64")}"`;
  if (Array.isArray(value)) return `[${value.map((item: Value) => valueAsJson(item)).join(",")}]`;
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}:${valueAsJson(member)}`,
  );
  return `{${members.join(",")}}`;
}
