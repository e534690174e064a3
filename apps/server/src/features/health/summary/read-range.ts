import { parseDuration } from "@mainstay/contract";
import { evaluateDateMath } from "@mainstay/data-api/parse/date-math.ts";
import { invalid } from "#platform/errors.ts";

const LONGEST_TEXT = 64;
const day = 86_400_000;

/** A stretch of time. Without an end it reaches to now and goes on. */
export interface TimeRange {
  start: Date;
  end?: Date;
}

/** Reads `15m` and `2mo` (that long ago), `now-1h`, or an ISO time. */
export function readTime(text: string, now: Date): Date {
  const trimmed = text.trim();
  const wrong = () =>
    invalid(
      `"${text.slice(0, LONGEST_TEXT)}" is not a time: write for example 1h, 3mo, now-2d or 2026-01-31T12:00:00Z.`,
    );
  if (trimmed === "" || trimmed.length > LONGEST_TEXT) throw wrong();
  const months = /^(\d{1,3})mo$/.exec(trimmed);
  const math = months ? `now-${months[1]}M` : trimmed;
  const date = evaluateDateMath(math, now);
  if (date) return date;
  try {
    return new Date(now.getTime() - parseDuration(trimmed));
  } catch {
    throw wrong();
  }
}

export function readRange(query: { start?: string; end?: string }, now: Date): TimeRange {
  const start = readTime(query.start || "1h", now);
  const end = query.end ? readTime(query.end, now) : undefined;
  if (end && end <= start) throw invalid("The range ends before it begins.");
  return end && end < now ? { start, end } : { start };
}

export type Step = "5m" | "1h" | "1d";
export const stepMs: Record<Step, number> = { "5m": 300_000, "1h": 3_600_000, "1d": day };
/** How far back each step's snapshots are kept. */
export const keptMs: Record<Step, number> = { "5m": 2 * day, "1h": 90 * day, "1d": 270 * day };
/** Up to this age of its start a range is read in five-minute steps. */
const finestMs = 26 * 3_600_000;

export interface SteppedRange {
  step: Step;
  /** On a step; everything since, when nothing older is kept. */
  start: Date;
  end?: Date;
}

/**
 * The range in whole steps: never shorter than what was asked, and longer by less than a step. The step follows from
 * how long ago the range began, because the fine ones are not kept for long.
 */
export function steppedRange({ start, end }: TimeRange, now: Date): SteppedRange {
  const age = now.getTime() - start.getTime();
  const step: Step = age <= finestMs ? "5m" : age <= keptMs["1h"] ? "1h" : "1d";
  const size = stepMs[step];
  const oldest = now.getTime() - keptMs[step];
  const floor = (ms: number) => new Date(Math.floor(ms / size) * size);
  const stepped = { step, start: floor(Math.max(start.getTime(), oldest)) };
  if (!end) return stepped;
  const last = floor(end.getTime() + size - 1);
  return last > now ? stepped : { ...stepped, end: last };
}
