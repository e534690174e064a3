import { hostname } from "node:os";
import type { GraphPoint, HealthGraph } from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import type { Queryable } from "#platform/db/database.ts";
import { notFound } from "#platform/errors.ts";
import { latencyOf, type RangeTotals, rangeTotals } from "./range-totals.ts";
import { staleMessage } from "./summary.ts";
import { keptMs, readRange, stepMs, steppedRange, type TimeRange } from "./read-range.ts";

export interface GraphQuery {
  check: string;
  start?: string;
  end?: string;
  /** Points at most. */
  count: number;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** How much time a point stands for, by the length of the range. Source: server contract, section 6. */
const windows: readonly (readonly [upTo: number, windowMs: number])[] = [
  [2 * hour, minute],
  [day, 15 * minute],
  [7 * day, hour],
  [Number.POSITIVE_INFINITY, 4 * hour],
];
/** Rows of single runs are kept this long. */
const rowsKeptMs = 30 * day;

/** The points of one check's chart, and its uptime and latency in the same range. */
export async function readGraph(ctx: Ctx, query: GraphQuery): Promise<HealthGraph> {
  ctx.require("canaries", "read");
  const startedAt = performance.now();
  const clock = await ctx.db.first<Clock>(sql`
    select now() as now, extract(epoch from result_due)::float8 as result_due,
           extract(epoch from last_runtime)::float8 as last_runtime
      from checks where id = ${query.check}`);
  if (!clock) throw notFound("There is no such check.");
  const { now } = clock;
  const range = readRange(query, now);
  const [status, totals] = await Promise.all([
    readPoints(ctx.db, { check: query.check, range, now, count: query.count }),
    readTotals(ctx.db, query.check, range, now),
  ]);
  return {
    duration: Math.round(performance.now() - startedAt),
    runnerName: hostname(),
    status,
    latency: totals ? latencyOf(totals) : { rolling1h: 0 },
    uptime: { passed: totals?.passed ?? 0, failed: totals?.failed ?? 0 },
    stale: staleSince(clock),
  };
}

interface Clock {
  now: Date;
  result_due: number | null;
  last_runtime: number | null;
}

/** Only of now: a range that ends before says what was then. */
function staleSince(clock: Clock): HealthGraph["stale"] {
  const message = staleMessage(clock, clock.now);
  const since = clock.last_runtime ?? clock.result_due;
  if (message === undefined || since === null) return undefined;
  return { since: new Date(since * 1000).toISOString(), message };
}

async function readTotals(
  db: Queryable,
  check: string,
  range: TimeRange,
  now: Date,
): Promise<RangeTotals | undefined> {
  const hourAgo = new Date(Math.floor((now.getTime() - hour) / stepMs["5m"]) * stepMs["5m"]);
  const totals = rangeTotals(steppedRange(range, now), hourAgo);
  return db.first<RangeTotals>(sql`
    select ${totals.columns} from check_totals t ${totals.joins} where t.check_id = ${check}`);
}

interface PointsInput {
  check: string;
  range: TimeRange;
  now: Date;
  count: number;
}

async function readPoints(
  db: Queryable,
  { check, range, now, count }: PointsInput,
): Promise<GraphPoint[]> {
  const end = range.end ?? now;
  const length = end.getTime() - range.start.getTime();
  const windowMs = windowOf(length, count);
  const age = now.getTime() - range.start.getTime();
  const source =
    windowMs < hour && age <= rowsKeptMs
      ? rowSource(check, range.start, end)
      : stepSource(check, range.start, end, age);
  const rows = await db.rows<{ at: number; duration: number; passed: number; failed: number }>(sql`
    select (floor((extract(epoch from s.time) * 1000 + ${windowMs / 2}::float8) / ${windowMs}::float8) * ${windowMs}::float8)::float8 as at,
           round(sum(s.duration)::numeric / sum(s.passed + s.failed))::int as duration,
           sum(s.passed)::int as passed, sum(s.failed)::int as failed
      from (${source}) s (time, duration, passed, failed)
     where s.passed + s.failed > 0
     group by 1 order by 1`);
  // The middle of the last window may lie ahead; nothing has run there.
  const last = Math.min(end.getTime(), now.getTime());
  return rows.map(({ at, duration, passed, failed }) => ({
    time: new Date(Math.min(at, last)).toISOString(),
    status: failed === 0,
    duration,
    passed,
    failed,
  }));
}

/** The window of the range's length, widened in whole multiples until the points are few enough. */
function windowOf(lengthMs: number, count: number): number {
  const usual = windows.find(([upTo]) => lengthMs <= upTo)![1];
  // Rounding to the nearest window can put a point at both ends.
  const least = lengthMs / Math.max(1, count - 1);
  return Math.ceil(Math.max(1, least / usual)) * usual;
}

const rowSource = (check: string, start: Date, end: Date) => sql`
  select time, coalesce(duration, 0)::bigint, status::int, (not status)::int from check_statuses
   where check_id = ${check} and time >= ${start} and time <= ${end} and status is not null`;

const stepSource = (check: string, start: Date, end: Date, ageMs: number) =>
  ageMs <= keptMs["1h"]
    ? sql`
  select created_at, duration, passed, failed from check_statuses_1h
   where check_id = ${check} and created_at >= date_trunc('hour', ${start}::timestamptz) and created_at <= ${end}`
    : sql`
  select created_at, duration, passed, failed from check_statuses_1d
   where check_id = ${check} and created_at >= date_bin('1 day', ${start}::timestamptz, 'epoch') and created_at <= ${end}`;
