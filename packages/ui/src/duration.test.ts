import { expect, test } from "vitest";
import { formatAge, formatDuration, formatPercent } from "./duration.ts";

test.each([
  [0, "0ms"],
  [12.4, "12ms"],
  [999, "999ms"],
  [1_000, "1s"],
  [1_540, "1.54s"],
  [59_999, "60s"],
  [90_000, "1.5m"],
  [3_600_000, "1h"],
  [129_600_000, "36h"],
  [172_800_000, "2d"],
  [Number.NaN, "–"],
])("%d ms reads %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

const now = Date.UTC(2026, 0, 31);
test.each([
  [now, "now"],
  [now - 999, "now"],
  [now - 1_000, "1s ago"],
  [now - 59_000, "59s ago"],
  [now - 180_000, "3m ago"],
  [now + 7_200_000, "in 2h"],
  [now - 8 * 86_400_000, "1w ago"],
  [now - 400 * 86_400_000, "1y ago"],
])("%d is %s", (moment, text) => {
  expect(formatAge(moment, now)).toBe(text);
});

test.each([
  [0, 0, "–"],
  [0, 5, "0%"],
  [1, 3, "33.3%"],
  [5, 5, "100%"],
  [99_999, 100_000, "99.9%"],
  [1, 2, "50%"],
])("%d of %d is %s", (part, whole, text) => {
  expect(formatPercent(part, whole)).toBe(text);
});
