import sql from "sql-template-tag";
import type { ScheduledJob } from "#platform/jobs/job.ts";

/** Days that changes are kept. */
export const KEPT_DAYS = 365;
/** Rows of one transaction. */
const PORTION = 5_000;

export const forgetOldChanges: ScheduledJob = {
  name: "CleanupAuditLog",
  schedule: "45 1 * * *",
  timeoutMs: 10 * 60_000,
  retention: "few",
  async run(ctx) {
    for (let successes = 0; ;) {
      ctx.signal.throwIfAborted();
      const removed = await ctx.db.run(sql`
        delete from audit_log where id in (
          select id from audit_log where created_at < now() - make_interval(days => ${KEPT_DAYS}) limit ${PORTION})`);
      successes += removed;
      if (removed < PORTION) return { successes, errors: [] };
    }
  },
};
