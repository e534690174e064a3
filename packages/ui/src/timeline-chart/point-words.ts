import { exactTime } from "../Age.tsx";
import { countsOf, type Span, type TimelinePoint } from "./timeline-data.ts";

export interface ChartWords {
  good: string;
  bad: string;
  unknown: string;
}

const number = new Intl.NumberFormat();
const timeOf = (moment: number) => exactTime(moment).split("\n")[0] ?? "";

function countWords(
  counts: { good: number; bad: number; unknown: number },
  words: ChartWords,
): string {
  return (["good", "bad", "unknown"] as const)
    .filter((state) => counts[state] > 0 || (state === "good" && counts.bad + counts.unknown === 0))
    .map((state) => `${number.format(counts[state])} ${words[state].toLowerCase()}`)
    .join(", ");
}

/** What is to be said of one point, line by line. */
export function pointWords(
  { time, value, state, bucket, message }: TimelinePoint,
  words: ChartWords,
  format: (value: number) => string,
): string[] {
  const said = message ? [message] : [];
  if (!bucket)
    return [
      timeOf(time),
      state === "unknown" ? words.unknown : `${words[state]} in ${format(value)}`,
      ...said,
    ];
  const isMeasured = bucket.good + bucket.bad > 0;
  return [
    `${timeOf(bucket.from)} to ${timeOf(bucket.to)}`,
    countWords(bucket, words),
    ...(isMeasured
      ? [`mean ${format(value)}, p95 ${format(bucket.p95)}, longest ${format(bucket.max)}`]
      : []),
    ...said,
  ];
}

const mostSpans = 3;

/** What the whole chart says. */
export function chartWords(
  points: readonly TimelinePoint[],
  spans: readonly Span[],
  { words, from, to }: { words: ChartWords; from: number; to: number },
): string {
  const range = `${timeOf(from)} to ${timeOf(to)}`;
  if (points.length === 0) return `${range}: nothing.`;
  const told = (kind: Span["kind"], word: string) => {
    const found = spans.filter((span) => span.kind === kind);
    if (found.length === 0) return [];
    const times = found
      .slice(-mostSpans)
      .map((span) => `${timeOf(span.from)} to ${timeOf(span.to)}`)
      .join("; ");
    const before = found.length > mostSpans ? `, the last ${mostSpans} of ${found.length}` : "";
    return [`${word}${before}: ${times}.`];
  };
  return [
    `${range}: ${countWords(countsOf(points), words)}.`,
    ...told("bad", `All ${words.bad.toLowerCase()}`),
    ...told("unknown", "Nothing known"),
  ].join(" ");
}
