import { expect, test } from "vitest";
import { durationPresets, parseDurationFilter } from "./duration-filter.ts";

test.each([
  ["All", undefined],
  ["all", undefined],
  ["", undefined],
  ["100ms", 100],
  ["1s", 1_000],
  ["1.5s", 1_500],
  [" 10 s ", 10_000],
  ["10", null],
  ["1m", null],
  ["-1s", null],
  ["s", null],
  ["1e3ms", null],
])("%j means %s", (text, ms) => {
  expect(parseDurationFilter(text)).toBe(ms);
});

test("every preset is understood", () => {
  for (const preset of durationPresets) expect(parseDurationFilter(preset), preset).not.toBeNull();
});
