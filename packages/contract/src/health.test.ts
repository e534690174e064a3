import { expect, test } from "vitest";
import { isStale, noResultFor, timePassed } from "./health.ts";

test.each([
  [0, "0 s"],
  [-5_000, "0 s"],
  [40_900, "40 s"],
  [119_999, "119 s"],
  [171_000, "2 min"],
  [240_000, "4 min"],
  [3 * 3_600_000, "3 h"],
  [5 * 3_600_000, "5 h"],
  [9 * 86_400_000, "9 days"],
])("%s ms are %s", (ms, text) => {
  expect(timePassed(ms)).toBe(text);
  expect(noResultFor(ms)).toBe(`no result for ${text}`);
});

test.each([
  ["before it", 1_000, 999, false],
  ["at it", 1_000, 1_000, false],
  ["after it", 1_000, 1_001, true],
  ["nothing is due", undefined, 1_000, false],
  ["no time at all", Number.NaN, 1_000, false],
])("%s", (_, due, now, stale) => {
  expect(isStale(due, now)).toBe(stale);
});
