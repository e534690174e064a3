import sql from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";
import { joinsOf, type Moment, totalAt } from "./range-totals.ts";
import type { Step } from "./read-range.ts";

/** The totals of one check at a moment. */
export interface MomentTotals {
  passed: number;
  failed: number;
  duration: number;
  /** The bucket of the first count. */
  first: number;
  counts: Int32Array;
}

/** By check; one that is missing had not run by then. */
export type AllAtMoment = ReadonlyMap<string, MomentTotals>;

export interface MomentCache {
  at(step: Step, time: Date): Promise<AllAtMoment>;
  /** Forgets a moment: results of before it have come since it was read. */
  forget(step: Step, time: Date): void;
}

const KEPT = 6;
/** What comes late (a clock that was wrong, an agent that was cut off) is counted after this at the latest. */
const LONGEST_MS = 10 * 60_000;

/**
 * What was counted by a moment of the past does not change any more, so it is read once and not by every question:
 * ranges begin on whole steps and share their moments.
 */
export function createMomentCache(db: Queryable): MomentCache {
  const known = new Map<string, { value: Promise<AllAtMoment>; readAt: number }>();
  const keyOf = (step: Step, time: Date) => `${step} ${time.getTime()}`;
  return {
    at(step, time) {
      const key = keyOf(step, time);
      const now = performance.now();
      const found = known.get(key);
      known.delete(key);
      const entry =
        found && now - found.readAt < LONGEST_MS
          ? found
          : { value: readMoment(db, step, time), readAt: now };
      entry.value.catch(() => known.delete(key));
      known.set(key, entry);
      for (const old of known.keys()) {
        if (known.size <= KEPT) break;
        known.delete(old);
      }
      return entry.value;
    },
    forget: (step, time) => {
      known.delete(keyOf(step, time));
    },
  };
}

interface Row {
  check_id: string;
  passed: number;
  failed: number;
  duration: number;
  latency: string;
  first: number | null;
}

async function readMoment(db: Queryable, step: Step, time: Date): Promise<AllAtMoment> {
  const moment: Moment = { name: "base", step, time };
  const rows = await db.rows<Row>(sql`
    select t.check_id, ${totalAt(moment, "passed")} as passed, ${totalAt(moment, "failed")} as failed,
           ${totalAt(moment, "duration")} as duration,
           array_to_string(${totalAt(moment, "latency")}, ',', '') as latency, array_lower(${totalAt(moment, "latency")}, 1) as first
      from check_totals t ${joinsOf(moment)}
     where t.first_time < ${time}`);
  return new Map(
    rows.map(({ check_id, passed, failed, duration, latency, first }) => [
      check_id,
      {
        passed,
        failed,
        duration,
        first: first ?? 1,
        counts: Int32Array.from(latency === "" ? [] : latency.split(","), Number),
      },
    ]),
  );
}
