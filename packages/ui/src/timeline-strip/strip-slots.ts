import { minute, moment, shortDay, shortTimeOfDay } from "../moments.ts";

/** What happened in one span of time, by kind. Spans in which nothing did may be left out. */
export interface StripSpan {
  /** Epoch ms; a multiple of the step. */
  at: number;
  counts: Readonly<Record<string, number>>;
}

export interface StripRange {
  from: number;
  to: number;
  stepMs: number;
}

/** A stretch of the strip: what is drawn as one bar. */
export interface StripSlot {
  from: number;
  to: number;
  counts: Readonly<Record<string, number>>;
  total: number;
}

const mostSlots = 1_000;
const nothing: Readonly<Record<string, number>> = {};

const sum = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((total, count) => total + count, 0);

/** Every stretch of a range, those in which nothing happened as well; the first and the last are cut at its ends. */
export function slotsOf(spans: readonly StripSpan[], range: StripRange): StripSlot[] {
  const { from, to, stepMs } = range;
  const found = new Map(spans.map(({ at, counts }) => [at, counts]));
  const slots: StripSlot[] = [];
  for (let at = Math.floor(from / stepMs) * stepMs; at < to; at += stepMs) {
    if (slots.length === mostSlots) break;
    const counts = found.get(at) ?? nothing;
    slots.push({
      from: Math.max(at, from),
      to: Math.min(at + stepMs, to),
      counts,
      total: sum(counts),
    });
  }
  return slots;
}

/**
 * How high the parts of a bar are, in pixels. What is there is seen, however little it is beside the rest, and no bar is
 * higher than the strip.
 */
export function partHeights(
  counts: readonly number[],
  most: number,
  height: number,
  least = 2,
): number[] {
  const total = counts.reduce((all, count) => all + count, 0);
  if (total === 0 || most <= 0) return counts.map(() => 0);
  const bar = (total / most) * height;
  const heights = counts.map((count) => (count === 0 ? 0 : Math.max(least, (count / total) * bar)));
  const over = heights.reduce((all, part) => all + part, 0) - height;
  if (over <= 0) return heights;
  // The largest part has room to give.
  const largest = heights.indexOf(Math.max(...heights));
  return heights.map((part, index) => (index === largest ? Math.max(least, part - over) : part));
}

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** From when to when, in words. */
export function stretchWords(from: number, to: number): string {
  const precise = to - from < minuteMs ? moment : minute;
  return precise.formatRange(new Date(from), new Date(to));
}

/** What is written below one place of a strip. */
export const tickWords = (at: number, lengthMs: number): string =>
  lengthMs <= dayMs
    ? shortTimeOfDay.format(at)
    : lengthMs <= 3 * dayMs
      ? `${shortDay.format(at)} ${shortTimeOfDay.format(at)}`
      : shortDay.format(at);
