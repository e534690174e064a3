import { hostname } from "node:os";
import sql from "sql-template-tag";
import type { Database, Queryable } from "../db/database.ts";
import { storableJson } from "../db/storable-text.ts";
import { type JobReport, type Progress, type Retention, retentions } from "./job.ts";

/** The rows of `job_history` that one run leaves. Source: server contract, section 13. */
export interface RunName {
  name: string;
  resource?: { type: string; id: string };
  retention: Retention;
  /** When it began, where that was before it was known that it would leave a row. */
  began?: Date;
}

const LOCAL_AGENT = "00000000-0000-0000-0000-000000000000";
const ERRORS_KEPT = 100;
const ERROR_LENGTH = 4_000;

/** Progress is written at most this often. */
const PROGRESS_MS = 1_000;

/**
 * Runs with a history row: RUNNING at start; SUCCESS, WARNING or FAILED at the end. What `run` throws is thrown on; how
 * far it had come until then is kept.
 */
export async function recordRun(
  db: Database,
  run: RunName,
  work: (progress: (said: Progress) => Promise<void>) => Promise<JobReport>,
): Promise<JobReport> {
  const row = await db.first<{ id: string }>(sql`
    insert into job_history (name, resource_type, resource_id, hostname, status, time_start)
    values (${run.name}, ${run.resource?.type ?? null}, ${run.resource?.id ?? null}, ${hostname()}, 'RUNNING',
            coalesce(${run.began ?? null}::timestamptz, now()))
    returning id`);
  if (!row) throw new Error(`The history row of ${run.name} was not written.`);
  const startedAt = performance.now() - (run.began ? Date.now() - run.began.getTime() : 0);
  let reached: Progress = { successes: 0 };
  let saidAt = -Infinity;
  const progress = async (said: Progress) => {
    reached = said;
    if (performance.now() - saidAt < PROGRESS_MS) return;
    saidAt = performance.now();
    await db.run(sql`
      update job_history
         set success_count = ${said.successes}, details = ${said.details ? storableJson(said.details) : null}::jsonb
       where id = ${row.id} and status = 'RUNNING'`);
  };
  let report: JobReport;
  try {
    report = await work(progress);
  } catch (error) {
    await finish(db, run, row.id, startedAt, { ...reached, errors: [messageOf(error)] });
    throw error;
  }
  await finish(db, run, row.id, startedAt, report);
  return report;
}

/** A slot that passed while the run before it was still going. */
export async function recordSkipped(db: Database, run: RunName, slot: Date): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run(sql`
      insert into job_history (name, resource_type, resource_id, hostname, status, time_start, time_end, success_count, error_count, duration_millis, details)
      values (${run.name}, ${run.resource?.type ?? null}, ${run.resource?.id ?? null}, ${hostname()}, 'SKIPPED', ${slot}, ${slot}, 0, 0, 0,
              ${JSON.stringify({ errors: ["The run before it was still going."] })})`);
    await trim(tx, run);
  });
}

export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.slice(0, ERROR_LENGTH);
}

async function finish(
  db: Database,
  run: RunName,
  id: string,
  startedAt: number,
  report: JobReport,
): Promise<void> {
  const status =
    report.errors.length === 0 ? "SUCCESS" : report.successes > 0 ? "WARNING" : "FAILED";
  const errors = report.errors.slice(0, ERRORS_KEPT).map((text) => text.slice(0, ERROR_LENGTH));
  const details = { ...report.details, ...(errors.length > 0 ? { errors } : {}) };
  await db.transaction(async (tx) => {
    await tx.run(sql`
      update job_history
         set status = ${status}, time_end = now(), success_count = ${report.successes}, error_count = ${report.errors.length},
             duration_millis = ${Math.round(performance.now() - startedAt)},
             details = ${Object.keys(details).length > 0 ? storableJson(details) : null}::jsonb
       where id = ${id}`);
    await trim(tx, run);
  });
}

/** Two runs of one name may trim at once: what the other has locked is left to it. */
async function trim(tx: Queryable, run: RunName): Promise<void> {
  const { success, failed } = retentions[run.retention];
  await tx.run(sql`
    delete from job_history where id in (
      select id from job_history where id in (
        select id from (
          select id, status, row_number() over (partition by status order by created_at desc, id desc) as place
            from job_history
           where name = ${run.name} and resource_id is not distinct from ${run.resource?.id ?? null}::text
             and agent_id = ${LOCAL_AGENT} and status <> 'RUNNING'
        ) ranked
        where place > case status when 'SUCCESS' then ${success}::int else ${failed}::int end
      ) order by id for update skip locked)`);
}
