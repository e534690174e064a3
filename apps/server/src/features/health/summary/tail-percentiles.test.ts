import { bucketOf, percentiles, since } from "@mainstay/contract";
import fc from "fast-check";
import { expect, test } from "vitest";
import { tailPercentiles } from "./tail-percentiles.ts";

/** Counts as the database keeps them: from the lowest bucket to the highest, nulls as empty texts. */
function counted(runs: readonly number[]) {
  const buckets = runs.map(bucketOf);
  const first = Math.min(...buckets);
  const counts = Array.from({ length: Math.max(...buckets) - first + 1 }, () => 0);
  for (const bucket of buckets) counts[bucket - first]! += 1;
  return { first, counts, text: counts.map((count) => count || "").join(",") };
}

test("reading from the end finds what counting everything finds", () => {
  const latency = fc.oneof(fc.nat(100), fc.nat(100_000));
  fc.assert(
    fc.property(
      fc.array(latency, { maxLength: 50 }),
      fc.array(latency, { minLength: 1, maxLength: 50 }),
      (old, fresh) => {
        const now = counted([...old, ...fresh]);
        const before = old.length > 0 ? counted(old) : undefined;
        const shares = [0.5, 0.95, 0.97, 0.99];
        expect(
          tailPercentiles(
            now.text,
            now.first,
            fresh.length,
            shares,
            before && { ...before, counts: Int32Array.from(before.counts) },
          ),
        ).toEqual(percentiles(before ? since(now, before) : now, shares));
      },
    ),
  );
});
