import { invalid } from "#platform/errors.ts";
import { readTime } from "#features/health/index.ts";

/** What happened from its start on, and before its end. */
export interface SnapshotRange {
  start: Date;
  end: Date;
}

/** How far a snapshot reaches back when nothing is said (wire: server-endpoints, snapshot). */
const usualStart = "15m";

/** Reads `15m` (that long ago), `now-1d` and ISO times. @throws invalid */
export function readRange(
  { start, end }: { start?: string | undefined; end?: string | undefined },
  now: Date,
): SnapshotRange {
  const to = end ? readTime(end, now) : now;
  const from = readTime(start || usualStart, now);
  if (from >= to)
    throw invalid("The range ends before it begins.", [
      { path: "start", message: "It is not before the end." },
    ]);
  return { start: from, end: to };
}
