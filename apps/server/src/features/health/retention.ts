import sql, { raw } from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import type { JobReport, ScheduledJob } from "#platform/jobs/job.ts";
import { dailyTables, dropOldPartitions, makePartitions } from "./partitions.ts";

const TIMEOUT_MS = 10 * 60_000;
/** Rows that one statement deletes, so that none holds its locks for long. */
const PORTION = 10_000;
/** Soft-deleted documents and checks are kept this long. Source: server contract, section 6. */
const DELETED_KEPT_DAYS = 7;

const done = (successes: number, details: Record<string, unknown> = {}): JobReport => ({
  successes,
  errors: [],
  details,
});

/** Deletes in portions until nothing is left or the run is told to stop. */
async function deletePortions(ctx: Ctx, table: string, condition: string): Promise<number> {
  let deleted = 0;
  while (!ctx.signal.aborted) {
    const count = await ctx.db.run(sql`
      delete from ${raw(table)} where ctid = any(array(select ctid from ${raw(table)} where ${raw(condition)} limit ${PORTION}))`);
    deleted += count;
    if (count < PORTION) break;
  }
  return deleted;
}

const cleanup = (
  name: string,
  schedule: string,
  table: string,
  condition: string,
): ScheduledJob => ({
  name,
  schedule,
  timeoutMs: TIMEOUT_MS,
  retention: "few",
  async run(ctx) {
    const deleted = await deletePortions(ctx, table, condition);
    return done(deleted, { deleted });
  },
});

const isOld = `deleted_at < now() - interval '${DELETED_KEPT_DAYS} days'`;

export const retentionJobs: readonly ScheduledJob[] = [
  {
    name: "MakeCheckPartitions",
    schedule: "@every 6h",
    timeoutMs: TIMEOUT_MS,
    retention: "few",
    atStart: true,
    async run(ctx) {
      const made = await makePartitions(ctx.db);
      return done(made, { made });
    },
  },
  {
    name: "DeleteOldCheckStatuses",
    schedule: "15 0 * * *",
    timeoutMs: TIMEOUT_MS,
    retention: "balanced",
    async run(ctx) {
      const dropped: Record<string, number> = {};
      for (const table of dailyTables) dropped[table.name] = await dropOldPartitions(ctx.db, table);
      // Writers that have gone: their rows say nothing any more.
      await ctx.db.run(
        sql`delete from health_versions where source <> 'documents' and changed_at < now() - interval '1 day'`,
      );
      return done(1, { dropped });
    },
  },
  cleanup(
    "DeleteOldCheckStatuses1h",
    "20 0 * * *",
    "check_totals_1h",
    "time < now() - interval '90 days'",
  ),
  cleanup(
    "DeleteOldCheckStatuses1d",
    "25 0 * * *",
    "check_totals_1d",
    "time < now() - interval '270 days'",
  ),
  cleanup("CleanupChecks", "@every 12h", "checks", isOld),
  cleanup("CleanupCanaries", "@every 12h", "canaries", isOld),
];
