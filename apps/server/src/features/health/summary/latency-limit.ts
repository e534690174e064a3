import { parseSchedule, writtenTimeoutMs } from "@mainstay/contract";
import sql from "sql-template-tag";
import { timeoutOf } from "../runner/runnable-check.ts";

/** What a check (`c`) and its canary (`y`) say of the time that a run may take. */
export const latencyLimits = sql`
  jsonb_build_object('threshold', c.spec -> 'thresholdMillis',
                     'check', (select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(c.spec)
                                where key in ('timeout', 'deadline', 'waitFor', 'checkRetries', 'spec')),
                     'timeout', y.spec -> 'timeout', 'schedule', y.spec -> 'schedule', 'interval', y.spec -> 'interval')`;

export interface LatencyLimits {
  threshold: unknown;
  check: Record<string, unknown>;
  timeout: unknown;
  schedule: unknown;
  interval: unknown;
}

/** How long a run may take until it fails: by the threshold of its check, else by its timeout. */
export function latencyLimit(type: string, limits: LatencyLimits): number {
  const { threshold, check, timeout, schedule, interval } = limits;
  if (typeof threshold === "number" && threshold > 0) return threshold;
  return timeoutOf(
    { timeoutMs: writtenTimeoutMs(type, check, { timeout }) },
    intervalOf(schedule, interval),
  );
}

function intervalOf(schedule: unknown, interval: unknown): number | undefined {
  if (typeof schedule !== "string")
    return typeof interval === "number" ? interval * 1000 : undefined;
  const parsed = parseSchedule(schedule);
  return parsed.kind === "every" ? parsed.everyMs : undefined;
}
