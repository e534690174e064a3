import { expect, test } from "vitest";
import { effectiveRate, isRateAllowed } from "./refresh-rate.ts";

test.each([
  [15_000, 59, true],
  [15_000, 60, false],
  [30_000, 60, false],
  [60_000, 60, true],
  [60_000, 10_000, true],
  [120_000, 179, true],
  [120_000, 180, false],
  [180_000, 180, false],
  [300_000, 180, true],
  [0, 10_000, true],
])("%d ms for a range of %d minutes: %s", (rate, minutes, allowed) => {
  expect(isRateAllowed(rate, minutes)).toBe(allowed);
});

test.each([
  [15_000, 30, 15_000],
  [15_000, 60, 60_000],
  [120_000, 300, 300_000],
  [900_000, 300, 900_000],
  [0, 300, 0],
])("chosen %d ms, %d minutes, runs every %d ms", (chosen, minutes, runs) => {
  expect(effectiveRate(chosen, minutes)).toBe(runs);
});
