import { hostname } from "node:os";
import type { GraphRun, HealthGraph } from "@mainstay/contract";
import type { Ctx } from "#platform/context.ts";
import type { Queryable } from "#platform/db/database.ts";
import { notFound } from "#platform/errors.ts";
import { type ExactRange, exactRange, runsKeptMs, windowsOf } from "./graph-range.ts";
import { pointsOf, readMessages, readRuns, readTallies, Tally } from "./graph-points.ts";
import { readRange } from "./read-range.ts";
import { checkNow, type Clock, readClock } from "./check-now.ts";
import { staleMessage } from "./summary.ts";

export interface GraphQuery {
  check: string;
  start?: string;
  end?: string;
  /** Points at most. */
  count: number;
  /** Single runs at most; none when absent. */
  runs?: number;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** How much time a point stands for, by the length of the range. Source: server contract, section 6. */
const widths: readonly (readonly [upTo: number, windowMs: number])[] = [
  [2 * hour, minute],
  [day, 15 * minute],
  [7 * day, hour],
  [Number.POSITIVE_INFINITY, 4 * hour],
];
const shares = [0.95, 0.97, 0.99] as const;

/** The points of one check's chart, and its uptime and latency: all of them of one exact range, which it names. */
export async function readGraph(ctx: Ctx, query: GraphQuery): Promise<HealthGraph> {
  ctx.require("canaries", "read");
  const startedAt = performance.now();
  const clock = await readClock(ctx.db, query.check);
  if (!clock) throw notFound("There is no such check.");
  const { now } = clock;
  const range = exactRange(readRange(query, now), now, clock.first_time ?? undefined);
  const keptSince = new Date(now.getTime() - runsKeptMs);
  const { check, count } = query;
  const windows = windowsOf(range, widthOf(range, count));
  const input = { check, range, windows };
  const found = await readTallies(ctx.db, input);
  const whole = new Tally();
  for (const tally of found.values()) whole.addTally(tally);
  const [messages, runs] = await Promise.all([
    readMessages(ctx.db, input, found),
    range.start >= keptSince ? singleRuns(ctx.db, { check, range, most: query.runs }) : undefined,
  ]);
  const [p95, p97, p99] = whole.percentiles(shares) ?? [];
  const rolling1h = clock.last_hour ?? 0;
  return {
    duration: Math.round(performance.now() - startedAt),
    runnerName: hostname(),
    range: { start: range.start.toISOString(), end: range.end.toISOString() },
    ...(range.start < keptSince && { runsSince: keptSince.toISOString() }),
    window: { before: windows.before, after: windows.ms - windows.before },
    status: pointsOf(found, messages, range.end.getTime()),
    ...(runs && { runs }),
    latency: p95 === undefined ? { rolling1h } : { p95, p97, p99, rolling1h },
    uptime: {
      passed: whole.passed,
      failed: whole.failed,
      ...(whole.unknown > 0 && { unknown: whole.unknown }),
    },
    stale: staleSince(clock),
    now: checkNow(clock),
  };
}

/** Only of now: a range that ends before says what was then. */
function staleSince(clock: Clock): HealthGraph["stale"] {
  const message = staleMessage(clock, clock.now);
  const since = clock.last_runtime ?? clock.result_due;
  if (message === undefined || since === null) return undefined;
  return { since: new Date(since * 1000).toISOString(), message };
}

async function singleRuns(
  db: Queryable,
  { check, range, most }: { check: string; range: ExactRange; most: number | undefined },
): Promise<GraphRun[] | undefined> {
  if (most === undefined) return undefined;
  const runs = await readRuns(db, { check, range, most });
  return runs?.map(({ time, status, duration, message }) => ({
    time: time.toISOString(),
    status,
    duration,
    ...(message !== null && { message }),
  }));
}

/** The width of the range's length, widened in whole multiples until the points are few enough. */
function widthOf({ start, end }: ExactRange, count: number): number {
  const lengthMs = end.getTime() - start.getTime();
  const usual = widths.find(([upTo]) => lengthMs <= upTo)![1];
  // Rounding to the nearest window can put a point at both ends.
  const least = lengthMs / Math.max(1, count - 1);
  return Math.ceil(Math.max(1, least / usual)) * usual;
}
