import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  bucketOf,
  latencyError,
  longestLatencyMs,
  lowerBound,
  midpoint,
  percentiles,
  since,
} from "./latency-buckets.ts";

const latency = fc.oneof(fc.nat(200), fc.nat(100_000), fc.nat(longestLatencyMs));

test.each([
  [0, 1],
  [1, 2],
  [63, 64],
  [64, 65],
  [65, 65],
  [66, 66],
  [127, 96],
  [128, 97],
  [255, 128],
  [256, 129],
  [1000, 64 + 3 * 32 + 30 + 1],
])("%i ms is in bucket %i", (ms, bucket) => {
  expect(bucketOf(ms)).toBe(bucket);
});

describe("every bucket", () => {
  const all = Array.from({ length: bucketOf(longestLatencyMs) }, (_, index) => index + 1);
  test.each([
    ["holds its lower bound", (bucket: number) => bucketOf(lowerBound(bucket)) === bucket],
    ["holds its middle", (bucket: number) => bucketOf(midpoint(bucket)) === bucket],
    [
      "begins where the one before ends",
      (bucket: number) => bucket === 1 || bucketOf(lowerBound(bucket) - 1) === bucket - 1,
    ],
  ])("%s", (_, holds) => {
    expect(all.filter((bucket) => !holds(bucket))).toEqual([]);
  });
});

test("what is too short or too long is counted at the ends", () => {
  expect(bucketOf(-5)).toBe(1);
  expect(bucketOf(1e12)).toBe(bucketOf(longestLatencyMs));
});

test("the middle of a bucket is never further away than the documented error", () => {
  fc.assert(
    fc.property(latency, (ms) => {
      expect(Math.abs(midpoint(bucketOf(ms)) - ms)).toBeLessThanOrEqual(
        Math.max(latencyError * ms, 0) + 1e-9,
      );
    }),
  );
});

test("percentiles agree with the sorted runs within the error", () => {
  fc.assert(
    fc.property(fc.array(latency, { minLength: 1, maxLength: 200 }), (runs) => {
      const counts: number[] = [];
      for (const ms of runs) counts[bucketOf(ms) - 1] = (counts[bucketOf(ms) - 1] ?? 0) + 1;
      const filled = Array.from(counts, (count) => count ?? 0);
      const sorted = runs.toSorted((a, b) => a - b);
      const ps = [0, 0.5, 0.95, 0.97, 0.99, 1];
      const found = percentiles({ first: 1, counts: filled }, ps)!;
      for (const [index, p] of ps.entries()) {
        const exact = sorted[Math.max(0, Math.ceil(p * runs.length - 1e-9) - 1)]!;
        expect(Math.abs(found[index]! - exact)).toBeLessThanOrEqual(latencyError * exact + 1e-9);
      }
    }),
  );
});

test("no runs have no percentiles", () => {
  expect(percentiles({ first: 1, counts: [0, 0] }, [0.5])).toBeUndefined();
});

test("a difference aligns counts that begin at different buckets", () => {
  const before = { first: 4, counts: [2, 0, 1] };
  const now = { first: 2, counts: [1, 0, 2, 3, 1, 5] };
  expect(since(now, before)).toEqual({ first: 2, counts: [1, 0, 0, 3, 0, 5] });
});
