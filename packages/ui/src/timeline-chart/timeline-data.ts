/** How what a point stands for ended. `unknown`: nobody could tell. */
export type PointState = "good" | "bad" | "unknown";

/** One run, or all runs of a stretch of time. */
export interface TimelinePoint {
  /** Epoch ms. */
  time: number;
  /** Of several, their mean. */
  value: number;
  state: PointState;
  message?: string | undefined;
  /** Only of several. */
  bucket?: Bucket | undefined;
}

export interface Bucket {
  /** Epoch ms; without the end. */
  from: number;
  to: number;
  good: number;
  bad: number;
  unknown: number;
  p95: number;
  max: number;
}

/** A stretch of time in which all went wrong, or of which nobody knows. */
export interface Span {
  kind: "bad" | "unknown";
  from: number;
  to: number;
}

const gapFactor = 3;

/** How far apart points usually are: the median of the distances. */
export function usualDistance(points: readonly { time: number }[]): number {
  const distances = points
    .slice(1)
    .map((point, index) => point.time - (points[index]?.time ?? point.time));
  distances.sort((a, b) => a - b);
  return distances[Math.floor(distances.length / 2)] ?? 0;
}

export interface TimelineSeries {
  /** What is drawn at each place; nothing where nothing was measured for long, so that no line bridges it. */
  points: (TimelinePoint | null)[];
  /** Seconds, ascending. */
  times: number[];
  values: (number | null)[];
  p95: (number | null)[];
  max: (number | null)[];
}

/** The points as columns for the chart. */
export function toSeries(points: readonly TimelinePoint[]): TimelineSeries {
  const sorted = points.toSorted((a, b) => a.time - b.time);
  const widest = usualDistance(sorted) * gapFactor;
  const series: TimelineSeries = { points: [], times: [], values: [], p95: [], max: [] };
  const add = (time: number, point: TimelinePoint | null) => {
    // What could not be tried has no duration.
    const isMeasured = point !== null && point.state !== "unknown";
    series.points.push(point);
    series.times.push(time / 1_000);
    series.values.push(isMeasured ? point.value : null);
    series.p95.push((isMeasured && point.bucket?.p95) || null);
    series.max.push((isMeasured && point.bucket?.max) || null);
  };
  let previous: TimelinePoint | undefined;
  for (const point of sorted) {
    if (previous && point.time === previous.time) continue;
    if (previous && widest > 0 && point.time - previous.time > widest)
      add((previous.time + point.time) / 2, null);
    add(point.time, point);
    previous = point;
  }
  return series;
}

/** Where the vertical axis ends: above the values, and above the lines that they should stay below and their names. */
export function highestShown(max: number, thresholds: readonly { value: number }[]): number {
  const line = Math.max(0, ...thresholds.map(({ value }) => value));
  return Math.max(1, max * 1.1, line * 1.2);
}

/**
 * Where all went wrong and where nobody knows. A run counts until the next one; after the last one only until `knownTo`.
 */
export function spansOf(
  points: readonly TimelinePoint[],
  { from, to, knownTo = to }: { from: number; to: number; knownTo?: number },
): Span[] {
  const sorted = points.toSorted((a, b) => a.time - b.time);
  const usual = usualDistance(sorted);
  const spans: Span[] = [];
  const add = (kind: Span["kind"], start: number, end: number) => {
    const span = { kind, from: Math.max(from, start), to: Math.min(to, end) };
    if (span.to <= span.from) return;
    const last = spans.at(-1);
    if (last?.kind === kind && last.to >= span.from) last.to = Math.max(last.to, span.to);
    else spans.push(span);
  };
  sorted.forEach((point, index) => {
    const next = sorted[index + 1];
    const begins = point.bucket?.from ?? point.time;
    const nextBegins = next ? (next.bucket?.from ?? next.time) : knownTo;
    const distance = (next?.time ?? knownTo) - point.time;
    const isGap = next !== undefined && usual > 0 && distance > usual * gapFactor;
    const ends = isGap
      ? Math.max(point.bucket?.to ?? 0, point.time + usual)
      : Math.max(nextBegins, next ? 0 : Math.min(knownTo, point.bucket?.to ?? 0));
    const isAllBad = point.state === "bad" && (point.bucket?.good ?? 0) === 0;
    if (isAllBad) add("bad", begins, ends);
    else if (point.state === "unknown") add("unknown", begins, ends);
    if (isGap) add("unknown", ends, nextBegins);
  });
  if (sorted.length > 0 && knownTo < to) add("unknown", knownTo, to);
  return spans;
}

/** How many ended how. */
export function countsOf(points: readonly TimelinePoint[]): {
  good: number;
  bad: number;
  unknown: number;
} {
  const counts = { good: 0, bad: 0, unknown: 0 };
  for (const { state, bucket } of points) {
    if (!bucket) counts[state] += 1;
    else for (const key of ["good", "bad", "unknown"] as const) counts[key] += bucket[key];
  }
  return counts;
}
