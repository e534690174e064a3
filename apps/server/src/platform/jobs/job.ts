import type { z } from "zod";
import type { Ctx } from "../context.ts";
import type { Database } from "../db/database.ts";
import type { Log } from "../log.ts";

/**
 * Work that runs later, at least once, on whichever worker takes it. A job is a name, the schema of its payload,
 * limits, and a function that may run twice without mattering.
 */
export interface JobDefinition<Payload extends object = object> {
  /** Letters, digits, `-`, `_`, `.` and `/`. */
  name: string;
  payload: z.ZodType<Payload>;
  /** Jobs of this kind that one worker runs at the same time. */
  concurrency: number;
  /** The signal is aborted after this long, and the try counts as failed. */
  timeoutMs: number;
  /** Further tries after a failed one, with exponential back-off. A try that dies with its worker counts too. */
  retries: number;
  /** How its runs appear in the job history: under the job's own name when absent, not at all when false. */
  history?: JobHistory<Payload> | false;
  run(ctx: Ctx, payload: Payload): Promise<void>;
}

export interface JobHistory<Payload extends object = object> {
  name?: string;
  /** `balanced` when absent. */
  retention?: Retention;
  /** What the run is about. */
  resource?(payload: Payload): { type: string; id: string };
}

/** Keeps the payload's type while the definitions are gathered in lists. */
export function defineJob<Payload extends object>(
  job: JobDefinition<Payload>,
): JobDefinition<Payload> {
  return job;
}

/** Makes the context of one run: the program's own actor, with the run's log and signal (and database, when bound). */
export type RunCtx = (run: {
  log: Log;
  signal: AbortSignal;
  db?: Database;
  progress?: Ctx["progress"];
}) => Ctx;

/** How far a run has come. */
export interface Progress {
  successes: number;
  details?: Record<string, unknown>;
}

/** Outcome counts of a run, for its history row. */
export interface JobReport {
  successes: number;
  errors: string[];
  details?: Record<string, unknown>;
}

/** How many finished rows of each (name, resource) are kept, per status. Source: server contract, section 13. */
export const retentions = {
  few: { success: 1, failed: 3 },
  failed: { success: 0, failed: 3 },
  balanced: { success: 3, failed: 3 },
  high: { success: 3, failed: 6 },
} as const;
export type Retention = keyof typeof retentions;

/**
 * Work that is due by the clock and not by a request: it fires once per slot however many servers run, and leaves a
 * row in the job history.
 */
export interface ScheduledJob {
  /** Its name in the job history, for example `CleanupChecks`. */
  name: string;
  /** Five-field cron, `@every <duration>`, or `@hourly` and its like. */
  schedule: string;
  /** IANA name; UTC when absent. */
  timeZone?: string;
  timeoutMs: number;
  retention: Retention;
  /** Also run when the server starts. */
  atStart?: boolean;
  run(ctx: Ctx): Promise<JobReport>;
}
