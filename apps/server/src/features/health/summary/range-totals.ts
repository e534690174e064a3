import type { LatencyCounts } from "@mainstay/contract";
import sql, { raw, type Sql } from "sql-template-tag";
import type { Step } from "./read-range.ts";

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
