import { type Latency, type LatencyCounts, percentiles, since } from "@mainstay/contract";
import sql, { empty, raw, type Sql } from "sql-template-tag";
import type { Step, SteppedRange } from "./read-range.ts";

/**
 * The totals of every check at a moment are its earliest snapshot at or after that moment; where there is none, nothing
 * has run since and they are the totals of now. A range is the difference of two moments, so it costs the same whatever
 * its length.
 */

export interface Moment {
  /** Names its joins. */
  name: string;
  step: Step;
  time: Date;
}

/** One total at a moment: of its snapshot; nothing before the first run; else as it is now. */
export const totalAt = ({ name, time }: Moment, total: string): Sql => sql`
  coalesce(${raw(`${name}_at.${total}, ${name}_after.${total}`)},
           case when t.first_time >= ${time} then ${raw(total === "latency" ? "'{}'" : "0")} else ${raw(`t.${total}`)} end)`;

/**
 * Nearly every check has a snapshot exactly at the moment, and those lie beside each other; only for the others, which
 * did not run in that step, their next one is looked up.
 */
export function joinsOf({ name, step, time }: Moment): Sql {
  const table = raw(`check_totals_${step}`);
  const at = raw(`${name}_at`);
  return sql`
    left join ${table} ${at} on ${at}.check_id = t.check_id and ${at}.time = ${time}
    left join lateral (
      select s.passed, s.failed, s.duration, s.latency from ${table} s
       where s.check_id = t.check_id and s.time > ${time}
         and ${at}.check_id is null and t.first_time < ${time} and t.last_time >= ${time}
       order by s.time limit 1) ${raw(`${name}_after`)} on true`;
}

/** All null for a check that has never run. */
export interface RangeTotals {
  passed: number | null;
  failed: number | null;
  hour_runs: number | null;
  hour_duration: number | null;
  latency: string | null;
  latency_first: number | null;
  base_latency: string | null;
  base_first: number | null;
}

/** Columns and joins that make `RangeTotals` of a row of check_totals named `t`. */
export function rangeTotals(range: SteppedRange, hourAgo: Date): { columns: Sql; joins: Sql } {
  const base: Moment = { name: "base", step: range.step, time: range.start };
  const isHour = range.step === "5m" && range.start.getTime() === hourAgo.getTime();
  const hour: Moment = isHour ? base : { name: "hour", step: "5m", time: hourAgo };
  const until = range.end ? { name: "until", step: range.step, time: range.end } : undefined;
  const last = (total: string) => (until ? totalAt(until, total) : raw(`t.${total}`));
  return {
    columns: sql`
      (${last("passed")} - ${totalAt(base, "passed")})::int as passed,
      (${last("failed")} - ${totalAt(base, "failed")})::int as failed,
      (t.passed + t.failed - ${totalAt(hour, "passed")} - ${totalAt(hour, "failed")})::int as hour_runs,
      (t.duration - ${totalAt(hour, "duration")})::bigint as hour_duration,
      array_to_string(${last("latency")}, ',', '') as latency, array_lower(${last("latency")}, 1) as latency_first,
      array_to_string(${totalAt(base, "latency")}, ',', '') as base_latency,
      array_lower(${totalAt(base, "latency")}, 1) as base_first`,
    joins: sql`${joinsOf(base)}${until ? joinsOf(until) : empty}${isHour ? empty : joinsOf(hour)}`,
  };
}

/** Counts as `array_to_string` writes them; the first bucket stands beside. */
export function readCounts(text: string | null, first: number | null): LatencyCounts {
  if (!text || first === null) return { first: 1, counts: [] };
  const counts: number[] = [];
  let value = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 44) {
      counts.push(value);
      value = 0;
    } else value = value * 10 + code - 48;
  }
  counts.push(value);
  return { first, counts };
}

/** Percentiles of the range and the mean of the last hour. */
export function latencyOf(totals: RangeTotals): Latency {
  const { latency, latency_first, base_latency, base_first, hour_runs, hour_duration } = totals;
  const counts = since(readCounts(latency, latency_first), readCounts(base_latency, base_first));
  const found = percentiles(counts, [0.95, 0.97, 0.99]);
  const rolling1h = hour_runs ? Math.round((hour_duration ?? 0) / hour_runs) : 0;
  if (!found) return { rolling1h };
  const [p95, p97, p99] = found;
  return { p95, p97, p99, rolling1h };
}
