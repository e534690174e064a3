import {
  bucketOf,
  type GraphPoint,
  type LatencyCounts,
  midpoint,
  percentiles,
  since,
} from "@mainstay/contract";
import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";
import type { ExactRange, Stretch, Windows } from "./graph-range.ts";
import { readCounts } from "./range-totals.ts";

/** Characters of what a run said that a chart shows. */
const shownMessage = 300;

/** What runs of a stretch of time come to. */
export class Tally {
  passed = 0;
  failed = 0;
  unknown = 0;
  durationMs = 0;
  maxMs = 0;
  readonly #buckets: number[] = [];

  addRuns(durationMs: number, counts: { passed: number; failed: number; unknown: number }): void {
    const judged = counts.passed + counts.failed;
    this.passed += counts.passed;
    this.failed += counts.failed;
    this.unknown += counts.unknown;
    this.durationMs += durationMs * judged;
    if (judged === 0) return;
    this.maxMs = Math.max(this.maxMs, durationMs);
    this.#count(bucketOf(durationMs), judged);
  }

  /** What was counted between two states of the totals. Those that came late may stand before their time. */
  addDifference(before: Totals, after: Totals): void {
    this.passed += Math.max(0, after.passed - before.passed);
    this.failed += Math.max(0, after.failed - before.failed);
    this.durationMs += Math.max(0, after.duration - before.duration);
    const { first, counts } = since(after.latency, before.latency);
    counts.forEach((count, index) => {
      if (count === 0) return;
      this.#count(first + index, count);
      this.maxMs = Math.max(this.maxMs, midpoint(first + index));
    });
  }

  addTally(other: Tally): void {
    this.passed += other.passed;
    this.failed += other.failed;
    this.unknown += other.unknown;
    this.durationMs += other.durationMs;
    this.maxMs = Math.max(this.maxMs, other.maxMs);
    other.#buckets.forEach((count, bucket) => this.#count(bucket, count));
  }

  #count(bucket: number, count: number): void {
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + count;
  }

  get judged(): number {
    return this.passed + this.failed;
  }

  get meanMs(): number {
    return this.judged === 0 ? 0 : Math.round(this.durationMs / this.judged);
  }

  /** As the health list reads them: of buckets. */
  percentiles(shares: readonly number[]): number[] | undefined {
    return percentiles(
      { first: 0, counts: Array.from(this.#buckets, (count) => count ?? 0) },
      shares,
    );
  }
}

interface Totals {
  passed: number;
  failed: number;
  duration: number;
  latency: LatencyCounts;
}

interface Row {
  /** Of runs with one duration: `duration` is that of one. Of a mark or the end: totals as they were before it. */
  kind: "runs" | "mark" | "end";
  at: number;
  passed: number;
  failed: number;
  unknown: number;
  duration: number;
  latency: string | null;
  first: number | null;
}

export interface PointsInput {
  check: string;
  range: ExactRange;
  windows: Windows;
}

/** The point of the window that a moment lies in. */
const windowAt = ({ ms, before }: Windows) => sql`
  (floor((extract(epoch from s.time) * 1000 + ${before}::float8) / ${ms}::float8) * ${ms}::float8)::float8`;

const within = (stretches: readonly Stretch[]): Sql =>
  sql`(${join(
    stretches.map(({ from, to }) => sql`(s.time >= ${from} and s.time < ${to})`),
    " or ",
  )})`;

function runsSql({ check, range, windows }: PointsInput): Sql {
  if (range.runs.length === 0) return empty;
  return sql`
    select 'runs' as kind, ${windowAt(windows)} as at, count(*) filter (where s.status)::float8 as passed,
           count(*) filter (where not s.status)::float8 as failed, count(*) filter (where s.status is null)::float8 as unknown,
           coalesce(s.duration, 0)::float8 as duration, null::text as latency, null::int as first
      from check_statuses s
     where s.check_id = ${check} and ${within(range.runs)}
     group by at, s.duration`;
}

/** The earliest snapshot of each window, and what the last of them is measured against. */
function stepsSql({ check, range: { steps }, windows }: PointsInput): Sql {
  if (!steps) return empty;
  const table = raw(`check_totals_${steps.step}`);
  const totals = sql`s.passed::float8, s.failed::float8, 0::float8, s.duration::float8,
                      array_to_string(s.latency, ',', ''), array_lower(s.latency, 1)`;
  return sql`
    (select distinct on (at) 'mark', ${windowAt(windows)} as at, ${totals} from ${table} s
      where s.check_id = ${check} and s.time >= ${steps.from} and s.time < ${steps.to} order by at, s.time)
    union all
    (select 'end', 0, ${totals}
       from (select 1 as rank, n.passed, n.failed, n.duration, n.latency
               from (select * from ${table} where check_id = ${check} and time >= ${steps.to} order by time limit 1) n
              union all
             select 2, t.passed, t.failed, t.duration, t.latency from check_totals t where t.check_id = ${check}) s
      order by s.rank limit 1)`;
}

/** What ran in each window, by their points, ascending. One question, so that all of it is of one moment. */
export async function readTallies(db: Queryable, input: PointsInput): Promise<Map<number, Tally>> {
  const parts = [runsSql(input), stepsSql(input)].filter((part) => part !== empty);
  const rows = await db.rows<Row>(join(parts, " union all "));
  const tallies = new Map<number, Tally>();
  const tallyOf = (at: number) => {
    let found = tallies.get(at);
    if (!found) tallies.set(at, (found = new Tally()));
    return found;
  };
  for (const row of rows) if (row.kind === "runs") tallyOf(row.at).addRuns(row.duration, row);
  const marks = rows.filter(({ kind }) => kind === "mark").toSorted((a, b) => a.at - b.at);
  const last = rows.find(({ kind }) => kind === "end");
  marks.forEach((mark, index) => {
    const next = marks[index + 1] ?? last;
    if (next) tallyOf(mark.at).addDifference(totalsOf(mark), totalsOf(next));
  });
  return new Map([...tallies].toSorted(([a], [b]) => a - b));
}

const totalsOf = ({ passed, failed, duration, latency, first }: Row): Totals => ({
  passed,
  failed,
  duration,
  latency: readCounts(latency, first),
});

/** The points of the windows in which something was judged. */
export function pointsOf(
  tallies: ReadonlyMap<number, Tally>,
  messages: ReadonlyMap<number, string>,
  last: number,
): GraphPoint[] {
  return [...tallies]
    .filter(([, tally]) => tally.judged + tally.unknown > 0)
    .map(([at, tally]) => {
      const [p95 = 0] = tally.percentiles([0.95]) ?? [];
      const message = messages.get(at);
      return {
        // The point of the last window may lie ahead; nothing has run there.
        time: new Date(Math.min(at, last)).toISOString(),
        status: tally.failed === 0,
        duration: tally.meanMs,
        passed: tally.passed,
        failed: tally.failed,
        ...(tally.unknown > 0 && { unknown: tally.unknown }),
        p95: Math.min(p95, tally.maxMs),
        max: tally.maxMs,
        ...(message && { message }),
      };
    });
}

const saidSql = sql`nullif(left(coalesce(nullif(s.error, ''), s.message, ''), ${shownMessage}), '')`;

/** What the last run of each window said that did not pass, where single runs are kept. */
export async function readMessages(
  db: Queryable,
  { check, range, windows }: PointsInput,
  tallies: ReadonlyMap<number, Tally>,
): Promise<Map<number, string>> {
  const bad = [...tallies].filter(([, { failed, unknown }]) => failed + unknown > 0);
  if (bad.length === 0) return new Map();
  const rows = await db.rows<{ at: number; said: string | null }>(sql`
    select w.at, found.said
      from unnest(${bad.map(([at]) => at)}::float8[]) w (at)
      cross join lateral (
        select ${saidSql} as said from check_statuses s
         where s.check_id = ${check} and s.status is not true
           and s.time >= greatest(${range.start}, to_timestamp((w.at - ${windows.before}::float8) / 1000))
           and s.time <= ${range.end} and s.time < to_timestamp((w.at + ${windows.ms - windows.before}::float8) / 1000)
         order by s.time desc limit 1) found`);
  return new Map(rows.flatMap(({ at, said }) => (said === null ? [] : [[at, said] as const])));
}

export interface SingleRun {
  time: Date;
  status: boolean | null;
  duration: number;
  message: string | null;
}

/** All runs of a range, oldest first, where there are no more than `most`. */
export async function readRuns(
  db: Queryable,
  { check, range, most }: { check: string; range: ExactRange; most: number },
): Promise<SingleRun[] | undefined> {
  const rows = await db.rows<SingleRun>(sql`
    select s.time, s.status, coalesce(s.duration, 0) as duration, ${saidSql} as message from check_statuses s
     where s.check_id = ${check} and s.time >= ${range.start} and s.time <= ${range.end}
     order by s.time limit ${most + 1}`);
  return rows.length > most ? undefined : rows;
}
