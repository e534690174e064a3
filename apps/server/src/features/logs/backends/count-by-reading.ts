import type { LogBucket, LogLine } from "@mainstay/contract";
import type { LinesPage, LinesPageQuestion, LinesQuestion } from "./log-backend.ts";

/** Lines that are read to be counted. */
const mostCounted = 5000;

/** Counts lines of a program that cannot count the ones that are meant: the newest are read. */
export async function countByReading(
  question: LinesQuestion & { step: number },
  read: (question: LinesPageQuestion) => Promise<LinesPage>,
): Promise<{ buckets: LogBucket[]; notices?: string[] }> {
  const {
    lines,
    next,
    notices = [],
  } = await read({
    ...question,
    limit: mostCounted,
    direction: "backward",
  });
  const told = [
    ...notices,
    ...(next === undefined ? [] : [`Only the newest ${lines.length} lines were counted.`]),
  ];
  return { buckets: bucketsOf(lines, question.step), ...(told.length > 0 && { notices: told }) };
}

function bucketsOf(lines: readonly LogLine[], step: number): LogBucket[] {
  const buckets = new Map<number, LogBucket>();
  for (const { timestamp, level = "none" } of lines)
    addTo(buckets, { at: Date.parse(timestamp), step, level, count: 1 });
  return sorted(buckets);
}

/** Buckets begin on multiples of the step since 1970, whoever counts: those of several programs are added up. */
export const bucketStart = (at: number, step: number): number => Math.floor(at / step) * step;

export function addTo(
  buckets: Map<number, LogBucket>,
  {
    at,
    step,
    level,
    count,
  }: { at: number; step: number; level: keyof LogBucket["counts"]; count: number },
): void {
  const start = bucketStart(at, step);
  const bucket = buckets.get(start) ?? { start: new Date(start).toISOString(), counts: {} };
  bucket.counts[level] = (bucket.counts[level] ?? 0) + count;
  buckets.set(start, bucket);
}

export const sorted = (buckets: ReadonlyMap<number, LogBucket>): LogBucket[] =>
  [...buckets].toSorted(([one], [other]) => one - other).map(([, bucket]) => bucket);
