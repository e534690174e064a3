import sql from "sql-template-tag";
import type { Database, Queryable } from "../db/database.ts";
import type { Log } from "../log.ts";
import { type Claim, removeSchedules, setSchedules, makeDue } from "./claims.ts";
import { messageOf, recordRun, recordSkipped } from "./history.ts";
import type { RunCtx, ScheduledJob } from "./job.ts";
import { runLimited } from "./limited-run.ts";
import type { ScheduleKind } from "./schedules.ts";

const KIND = "job";

export interface ScheduledJobs {
  /** For the scheduler. */
  kind: ScheduleKind;
  /** Brings the rows of `schedules` in line with the list; before the scheduler starts. */
  sync(): Promise<void>;
}

/** Runs the features' scheduled jobs: one run at a time of each, however many servers there are. */
export function createScheduledJobs(options: {
  db: Database;
  log: Log;
  jobs: readonly ScheduledJob[];
  createCtx: RunCtx;
  /** Jobs of this kind that one server runs at the same time. */
  concurrency?: number;
}): ScheduledJobs {
  const { db, log, createCtx, concurrency = 4 } = options;
  const jobs = new Map<string, ScheduledJob>();
  for (const job of options.jobs) {
    if (jobs.has(job.name)) throw new Error(`The scheduled job ${job.name} is declared twice.`);
    jobs.set(job.name, job);
  }

  async function runOne(claim: Claim): Promise<void> {
    const job = jobs.get(claim.key);
    // Another version of the program, started later or earlier, may know it.
    if (!job)
      return log.warn(
        { job: claim.key },
        "a scheduled job is not known to this version and was passed over",
      );
    const runLog = log.child({ job: job.name });
    try {
      const report = await recordRun(db, { name: job.name, retention: job.retention }, (progress) =>
        runLimited({ name: job.name, timeoutMs: job.timeoutMs, stop: claim.signal }, (signal) =>
          job.run(createCtx({ log: runLog, signal, progress })),
        ),
      );
      if (report.errors.length > 0)
        runLog.warn({ errors: report.errors.slice(0, 3) }, `scheduled job ${job.name} met errors`);
    } catch (error) {
      runLog.error({ err: error }, `scheduled job ${job.name} failed: ${messageOf(error)}`);
    }
  }

  return {
    kind: {
      kind: KIND,
      concurrency,
      run: async (claims, release) => {
        await Promise.all(claims.map((claim) => runOne(claim).then(() => release(claim))));
      },
      skipped: async (slots) => {
        for (const { key, slot } of slots) {
          const job = jobs.get(key);
          if (job) await recordSkipped(db, { name: job.name, retention: job.retention }, slot);
        }
      },
    },
    sync: () => db.transaction((tx) => sync(tx, [...jobs.values()])),
  };
}

async function sync(tx: Queryable, jobs: readonly ScheduledJob[]): Promise<void> {
  const names = jobs.map((job) => job.name);
  const rows = await tx.rows<{ key: string }>(sql`select key from schedules where kind = ${KIND}`);
  const gone = rows.map((row) => row.key).filter((key) => !names.includes(key));
  if (gone.length > 0) await removeSchedules(tx, KIND, ...gone);
  await setSchedules(
    tx,
    // In one order everywhere, so that servers that start together do not lock each other out.
    ...jobs
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ name, schedule, timeZone }) => ({
        kind: KIND,
        key: name,
        schedule,
        timeZone: timeZone ?? null,
      })),
  );
  const now = jobs.filter((job) => job.atStart).map((job) => job.name);
  if (now.length > 0) await makeDue(tx, KIND, ...now.toSorted());
}
