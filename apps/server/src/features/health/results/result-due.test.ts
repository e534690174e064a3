import { expect, test } from "vitest";
import { GRACE_MS, runTimes } from "./result-due.ts";

const of = (count: number, ms: number) => Array.from({ length: count }, () => ms);

test.each([
  ["none", [], 0, []],
  ["one", [10_000], 10_000, [10_000]],
  ["each has its own time", [1_000, 600_000], 600_000, [1_000, 600_000]],
  ["as many as run at once", of(16, 5_000), 5_000, of(16, 5_000)],
  ["those that wait for the others", of(33, 16_000), 48_000, of(33, 48_000)],
])("%s", (_, timeouts, longestMs, allowances) => {
  expect(runTimes(timeouts)).toEqual({
    longestMs,
    allowancesMs: allowances.map((ms) => ms + GRACE_MS),
  });
});
