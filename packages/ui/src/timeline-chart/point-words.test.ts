import { expect, test } from "vitest";
import { pointWords } from "./point-words.ts";

const words = { good: "Passed", bad: "Failed", unknown: "Unknown" };
const said = (point: Parameters<typeof pointWords>[0]) =>
  pointWords(point, words, (value) => `${value}ms`).slice(1);

test("a point says how it ended, how long it took and why", () => {
  const run = { time: 5_000, value: 20, message: "status 503" };
  expect(said({ ...run, state: "bad" })).toEqual(["Failed in 20ms", "status 503"]);
  expect(said({ ...run, state: "unknown" })).toEqual(["Unknown", "status 503"]);
  const bucket = { from: 0, to: 9_000, good: 3, bad: 2, unknown: 1, p95: 80, max: 90 };
  expect(said({ ...run, state: "bad", bucket })).toEqual([
    "3 passed, 2 failed, 1 unknown",
    "mean 20ms, p95 80ms, longest 90ms",
    "status 503",
  ]);
  const untried = { ...bucket, good: 0, bad: 0 };
  expect(said({ ...run, state: "unknown", bucket: untried })).toEqual(["1 unknown", "status 503"]);
});
