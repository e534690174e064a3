import sql from "sql-template-tag";
import type { ScheduledJob } from "#platform/jobs/job.ts";

/** What has ended is kept this long, to be told apart from what never was. */
const KEEP_MS = 24 * 60 * 60 * 1000;

/** Deletes flows and sessions that ended a day ago. */
export const cleanUpIdentity: ScheduledJob = {
  name: "CleanupIdentity",
  schedule: "@hourly",
  timeoutMs: 5 * 60 * 1000,
  retention: "few",
  async run(ctx) {
    const before = new Date(ctx.clock.now().getTime() - KEEP_MS);
    const flows = await ctx.db.run(sql`delete from identity_flows where expires_at < ${before}`);
    const sessions = await ctx.db.run(sql`
      delete from identity_sessions where expires_at < ${before} or (not active and last_seen_at < ${before})`);
    return { successes: flows + sessions, errors: [], details: { flows, sessions } };
  },
};
