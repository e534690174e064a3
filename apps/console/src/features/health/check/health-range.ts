import { resolveRange, type TimeRange } from "@mainstay/ui/time-range/time-range.ts";
import { timeRanges } from "@mainstay/contract/health.ts";

const hourMs = 3_600_000;

/**
 * A range as the health calls take it: tokens such as `15m` or `3w` as they are, everything else as ISO times.
 * Months are ISO times too (H3), cut to the hour so that the same question stays the same question.
 */
export function rangeParams(range: TimeRange, now: number): { start: string; end?: string } {
  if (range.kind === "relative" && range.to === "now") {
    const token = /^now-(\d+(?:[smhdwy]))$/.exec(range.from)?.[1];
    if (token) return { start: token };
  }
  const ends = resolveRange(range, now);
  if (!ends) return { start: "1h" };
  const isUntilNow = range.kind === "relative" && range.to === "now";
  const start = isUntilNow ? Math.floor(ends.from / hourMs) * hourMs : ends.from;
  return {
    start: new Date(start).toISOString(),
    ...(isUntilNow || ends.to >= now ? {} : { end: new Date(ends.to).toISOString() }),
  };
}

/** The same for one check, whose numbers are of the very range: months are not cut to the hour. */
export function exactParams(range: TimeRange, now: number): { start: string; end?: string } {
  const params = rangeParams(range, now);
  const ends = resolveRange(range, now);
  const isToken = !params.start.includes("T");
  return isToken || !ends ? params : { ...params, start: new Date(ends.from).toISOString() };
}

const tokens = timeRanges.filter((token) => token !== "15m");
const unitMs: Record<string, number> = {
  h: hourMs,
  d: 24 * hourMs,
  w: 168 * hourMs,
  mo: 730 * hourMs,
  y: 8_766 * hourMs,
};

/** The range a check opens with: the shortest, from 1h to 5y, that reaches back to its last run. */
export function rangeForAge(lastRuntime: string | null | undefined, now: number): TimeRange {
  const age = now - Date.parse(lastRuntime ?? "");
  const token = Number.isNaN(age)
    ? "1h"
    : (tokens.find((candidate) => {
        const [, count = "0", unit = ""] = /^(\d+)(\w+)$/.exec(candidate) ?? [];
        return age <= Number(count) * (unitMs[unit] ?? 0);
      }) ?? "5y");
  return { kind: "relative", from: `now-${token}`, to: "now" };
}
