import type { CheckNow } from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";
import { isPausedRow } from "../documents/paused.ts";
import { staleMessage } from "./summary.ts";

/** One check at the moment of a question. */
export interface Clock {
  now: Date;
  status: string | null;
  result_due: number | null;
  last_runtime: number | null;
  next_runtime: Date | null;
  last_transition_time: Date | null;
  first_time: Date | null;
  /** Mean duration. */
  last_hour: number | null;
  held: string | null;
  is_paused: boolean;
  endpoint: string | null;
  streak: number | null;
  streak_passed: boolean | null;
  needed: number | null;
  /** Of the last run; null without one. */
  ran: Date | null;
  passed: boolean | null;
  said: string | null;
  since: Date | null;
}

const LONGEST_SAID = 2_000;

export const readClock = (db: Queryable, check: string): Promise<Clock | undefined> =>
  db.first<Clock>(sql`
    select now() as now, c.status, extract(epoch from c.result_due)::float8 as result_due,
           extract(epoch from c.last_runtime)::float8 as last_runtime, c.next_runtime, c.last_transition_time,
           t.first_time, t.held, ${isPausedRow(sql`y`)} as is_paused, t.endpoint, t.streak, t.streak_passed, t.needed,
           (select round(avg(s.duration))::int from check_statuses s
             where s.check_id = c.id and s.time > now() - interval '1 hour' and s.status is not null) as last_hour,
           l.time as ran, l.status as passed, l.said,
           -- Runs of its kind after the last of another, which totals know without looking at them.
           (select s.time from check_statuses s
             where s.check_id = c.id and s.status is not distinct from l.status
               and s.time > coalesce(case when l.status then t.last_fail when not l.status then t.last_pass
                                          else greatest(t.last_pass, t.last_fail) end, '-infinity')
             order by s.time limit 1) as since
      from checks c
      left join canaries y on y.id = c.canary_id
      left join check_totals t on t.check_id = c.id
      left join lateral (
        select s.time, s.status, left(coalesce(nullif(s.error, ''), s.message), ${LONGEST_SAID}) as said
          from check_statuses s where s.check_id = c.id order by s.time desc limit 1) l on true
     where c.id = ${check}`);

const iso = (time: Date | null) => (time === null ? undefined : time.toISOString());
const isoOf = (seconds: number | null) =>
  seconds === null ? undefined : new Date(seconds * 1_000).toISOString();

export function checkNow(clock: Clock): CheckNow {
  const { held, is_paused: isPaused, ran, passed, said, status } = clock;
  const isKnown = held === null && !isPaused && staleMessage(clock, clock.now) === undefined;
  const known = isKnown && (status === "healthy" || status === "unhealthy") ? status : "unknown";
  return {
    status: known,
    since: iso(clock.since),
    ...(ran && { passed, message: said || undefined }),
    held: held ?? undefined,
    ...(isPaused && { paused: true }),
    streak: isKnown ? streakOf(clock, known) : undefined,
    last_runtime: isoOf(clock.last_runtime),
    next_runtime: iso(clock.next_runtime),
    result_due: isoOf(clock.result_due),
    last_transition_time: iso(clock.last_transition_time),
    endpoint: clock.endpoint ?? undefined,
  };
}

function streakOf(
  { streak, streak_passed: passed, needed: wanted }: Clock,
  status: CheckNow["status"],
): CheckNow["streak"] {
  if (!streak || passed === null || wanted === null || streak >= wanted) return undefined;
  return status === (passed ? "healthy" : "unhealthy")
    ? undefined
    : { passed, runs: streak, needed: wanted };
}
