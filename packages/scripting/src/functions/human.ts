import { Duration } from "../values.ts";
import { goDuration } from "./go-format.ts";

/** `1K`, `1.5M`: by 1024, with one digit after the point at most. */
export function humanSize(bytes: number): string {
  const size = Math.trunc(bytes);
  if (!Number.isFinite(size) || size < 0) return "NaN";
  if (size === 0) return "0B";
  const units = ["B", "K", "M", "G", "T", "P", "E"];
  let unit = 0;
  let value = size;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value.toFixed(1).replace(/\.0$/, "")}${units[unit]}`;
}

const second = 1_000_000_000n;
const hour = 3600n * second;
const day = 24n * hour;

/** `1h30m`, `3d2h`, `2w1d`: from a day on without seconds, from a week on without minutes; parts of nothing are left out. */
export function humanDuration(duration: Duration): string {
  const { nanoseconds } = duration;
  const sign = nanoseconds < 0n ? "-" : "";
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (size === 0n) return "0s";
  if (size <= day) {
    const text = goDuration(new Duration(size));
    return sign + dropNothing(text);
  }
  const hours = size / hour;
  const parts: readonly (readonly [bigint, string])[] =
    size > 7n * day
      ? [
          [hours / 168n, "w"],
          [(hours / 24n) % 7n, "d"],
          [hours % 24n, "h"],
        ]
      : [
          [hours / 24n, "d"],
          [hours % 24n, "h"],
          [(size / (60n * second)) % 60n, "m"],
        ];
  return (
    sign +
    parts
      .filter(([amount]) => amount > 0n)
      .map(([amount, unit]) => `${amount}${unit}`)
      .join("")
  );
}

const dropNothing = (text: string): string =>
  text
    .replace(/(?<!\d|\.)0s$/, "")
    .replace(/(?<!\d|\.)0m$/, "")
    .replace(/(?<!\d)0m(?=\d)/, "") || "0s";
