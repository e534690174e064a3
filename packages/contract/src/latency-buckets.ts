/**
 * Latencies are counted in buckets, so that the percentiles of any range are the difference of two rows of counts and
 * no run is read again. Whole milliseconds below 64 have a bucket each; above, every doubling is divided in 32 equal
 * ones. A percentile is the middle of its bucket: at most 1.6 % from the true value.
 *
 * Buckets are numbered from 1, as SQL arrays are.
 */

const exactBelow = 64;
const perOctave = 32;
const firstOctave = Math.log2(exactBelow);

/** Longer runs are counted in the last bucket. */
export const longestLatencyMs = 2 ** 31 - 1;
/** The largest relative error of a percentile. */
export const latencyError = 1 / (2 * perOctave);

/** The bucket of a latency, from 1. */
export function bucketOf(ms: number): number {
  const whole = Math.min(Math.max(Math.round(ms), 0), longestLatencyMs);
  if (whole < exactBelow) return whole + 1;
  const octave = 31 - Math.clz32(whole);
  const step = Math.floor((whole - 2 ** octave) / (2 ** octave / perOctave));
  return exactBelow + (octave - firstOctave) * perOctave + step + 1;
}

/** The smallest latency of a bucket, in milliseconds. */
export function lowerBound(bucket: number): number {
  const index = bucket - 1;
  if (index < exactBelow) return index;
  const octave = firstOctave + Math.floor((index - exactBelow) / perOctave);
  const step = (index - exactBelow) % perOctave;
  return 2 ** octave + step * (2 ** octave / perOctave);
}

/** The latency that stands for a bucket: its middle, a whole number of milliseconds. */
export function midpoint(bucket: number): number {
  const low = lowerBound(bucket);
  const high = lowerBound(bucket + 1) - 1;
  return Math.round((low + high) / 2);
}

/** Counts of consecutive buckets. */
export interface LatencyCounts {
  /** The bucket of the first count. */
  first: number;
  counts: readonly number[];
}

export const noLatencies: LatencyCounts = { first: 1, counts: [] };

/** What was counted since `before`, which must be an earlier state of the same counts. */
export function since(now: LatencyCounts, before: LatencyCounts): LatencyCounts {
  if (before.counts.length === 0) return now;
  const shift = now.first - before.first;
  // Never below zero: counts that were reset in between begin again.
  return {
    first: now.first,
    counts: now.counts.map((count, index) =>
      Math.max(0, count - (before.counts[index + shift] ?? 0)),
    ),
  };
}

/**
 * The latencies below which the shares `ps` (0 to 1, ascending) of all runs lie: the discrete percentile, the same run
 * that `percentile_disc` picks. Undefined without runs.
 */
export function percentiles(
  { first, counts }: LatencyCounts,
  ps: readonly number[],
): number[] | undefined {
  let total = 0;
  for (const count of counts) total += count;
  if (total === 0) return undefined;
  const found: number[] = [];
  let below = 0;
  let index = -1;
  for (const p of ps) {
    // At least one, so that p = 0 is the fastest run.
    const rank = Math.max(1, Math.ceil(p * total - 1e-9));
    while (below < rank) below += counts[++index]!;
    found.push(midpoint(first + index));
  }
  return found;
}
