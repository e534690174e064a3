import sql, { type Sql } from "sql-template-tag";
import { cleanupJob } from "#platform/db/delete-in-portions.ts";
import type { ScheduledJob } from "#platform/jobs/job.ts";

/** Small rows, and many of them. */
const PORTION = 10_000;
/** Soft-deleted documents and checks are kept this long. Source: server contract, section 6. */
const isOld = sql`deleted_at < now() - interval '7 days'`;

const cleanup = (name: string, schedule: string, table: string, where: Sql) =>
  cleanupJob(name, schedule, { table, where, portion: PORTION });

/** Days of results and of the finest totals go by themselves (partitions, in index.ts). */
export const retentionJobs: readonly ScheduledJob[] = [
  cleanup(
    "DeleteOldCheckStatuses1h",
    "20 0 * * *",
    "check_totals_1h",
    sql`time < now() - interval '90 days'`,
  ),
  cleanup(
    "DeleteOldCheckStatuses1d",
    "25 0 * * *",
    "check_totals_1d",
    sql`time < now() - interval '270 days'`,
  ),
  // Each takes up to ten megabytes with it, so few go at a time. Without a result: a server was killed between the two,
  // or the result's own time was over.
  cleanupJob("CleanupArtifacts", "50 * * * *", {
    table: "artifacts",
    portion: 100,
    where: sql`expires_at <= now() or deleted_at <= now()
      or (check_id is not null and created_at < now() - interval '1 hour'
          and not exists (select from check_statuses s
                           where s.check_id = artifacts.check_id and s.time = artifacts.check_time))`,
  }),
  cleanup("CleanupChecks", "@every 12h", "checks", isOld),
  cleanup("CleanupCanaries", "@every 12h", "canaries", isOld),
  // Of the hours in which nothing of a canary failed a day is kept, and its last hour; of the others as much as of every job.
  cleanup(
    "CleanupCanaryRuns",
    "35 * * * *",
    "job_history",
    sql`name = 'Canary' and resource_type = 'canary' and status = 'SUCCESS' and error_count = 0
        and created_at < now() - interval '1 day'
        and exists (select from job_history later where later.name = 'Canary' and later.resource_type = 'canary'
                       and later.resource_id = job_history.resource_id and later.created_at > job_history.created_at)`,
  ),
  // Writers that have gone: their rows say nothing any more.
  cleanup(
    "CleanupHealthVersions",
    "30 0 * * *",
    "health_versions",
    sql`source <> 'documents' and changed_at < now() - interval '1 day'`,
  ),
];
