/** One point: when (epoch ms), its value, whether it was good. */
export interface TimelinePoint {
  time: number;
  value: number;
  isBad?: boolean;
}

const gapFactor = 3;

/** How far apart points usually are: the median of the distances. */
export function usualDistance(points: readonly TimelinePoint[]): number {
  const distances = points
    .slice(1)
    .map((point, index) => point.time - (points[index]?.time ?? point.time));
  distances.sort((a, b) => a - b);
  return distances[Math.floor(distances.length / 2)] ?? 0;
}

export interface TimelineSeries {
  /** Seconds, ascending. */
  times: number[];
  values: (number | null)[];
  bad: (number | null)[];
}

/** The points as columns for the chart; where nothing was measured for long a hole is put in, so that no line bridges it. */
export function toSeries(points: readonly TimelinePoint[]): TimelineSeries {
  const sorted = points.toSorted((a, b) => a.time - b.time);
  const widest = usualDistance(sorted) * gapFactor;
  const series: TimelineSeries = { times: [], values: [], bad: [] };
  const add = (time: number, value: number | null, isBad: boolean) => {
    series.times.push(time / 1_000);
    series.values.push(value);
    series.bad.push(isBad ? value : null);
  };
  let previous: TimelinePoint | undefined;
  for (const point of sorted) {
    if (previous && point.time === previous.time) continue;
    if (previous && widest > 0 && point.time - previous.time > widest) {
      add((previous.time + point.time) / 2, null, false);
    }
    add(point.time, point.value, point.isBad === true);
    previous = point;
  }
  return series;
}

/** Where the vertical axis ends: above the values, and above what they should stay below unless that is far away. */
export function highestShown(max: number, thresholds: readonly { value: number }[]): number {
  const near = thresholds.map(({ value }) => value).filter((value) => value <= max * 3);
  return Math.max(1, Math.max(max, ...near) * 1.1);
}
