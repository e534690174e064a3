import { midpoint } from "@mainstay/contract";

/** Counts by bucket before the range, to be taken off. */
export interface CountsBefore {
  first: number;
  counts: Int32Array;
}

const nothing: CountsBefore = { first: 1, counts: new Int32Array(0) };

/**
 * High percentiles of a range, from the counts of now (as `array_to_string` writes them, the first bucket beside) less
 * those of before. They lie in the last few buckets, so the text is read from its end and only as far as they reach:
 * the summary does this for every check. `shares` ascend; `runs` are all runs of the range.
 */
export function tailPercentiles(
  text: string,
  first: number,
  runs: number,
  shares: readonly number[],
  before: CountsBefore = nothing,
): number[] {
  const found: number[] = Array.from({ length: shares.length }, () => 0);
  let next = shares.length - 1;
  let bucket = first + commasOf(text);
  let above = 0;
  let at = text.length - 1;
  while (next >= 0 && at >= -1) {
    let count = 0;
    for (let weight = 1; at >= 0 && text.charCodeAt(at) !== 44; at--, weight *= 10)
      count += (text.charCodeAt(at) - 48) * weight;
    at--;
    above += Math.max(0, count - (before.counts[bucket - before.first] ?? 0));
    // The run at rank r (from 1) is in this bucket when fewer than r runs lie below it.
    while (next >= 0 && Math.max(1, Math.ceil(shares[next]! * runs - 1e-9)) > runs - above)
      found[next--] = midpoint(bucket);
    bucket--;
  }
  return found;
}

function commasOf(text: string): number {
  let commas = 0;
  for (let at = text.indexOf(","); at >= 0; at = text.indexOf(",", at + 1)) commas++;
  return commas;
}
