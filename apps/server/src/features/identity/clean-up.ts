import sql from "sql-template-tag";
import type { ScheduledJob } from "#platform/jobs/job.ts";

/** What has ended is kept this long, to be told apart from what never was. */
const KEEP_MS = 24 * 60 * 60 * 1000;

/** As long as the cookie that tells a browser from others. */
const KEEP_DEVICES_MS = 365 * KEEP_MS;

/** Deletes flows, sessions, codes and errors that ended a day ago, and devices that were not seen for a year. */
export const cleanUpIdentity: ScheduledJob = {
  name: "CleanupIdentity",
  schedule: "@hourly",
  timeoutMs: 5 * 60 * 1000,
  retention: "few",
  async run(ctx) {
    const before = new Date(ctx.clock.now().getTime() - KEEP_MS);
    const flows = await ctx.db.run(sql`delete from identity_flows where expires_at < ${before}`);
    const sessions = await ctx.db.run(sql`
      delete from identity_sessions where expires_at < ${before} or (not active and last_seen_at < ${before})
         or last_seen_at < ${new Date(before.getTime() - ctx.config.sessionIdle)}`);
    const codes = await ctx.db.run(sql`delete from identity_codes where expires_at < ${before}`);
    await ctx.db.run(sql`delete from unmailed_invitations where expires_at < ${before}`);
    const errors = await ctx.db.run(sql`delete from identity_errors where created_at < ${before}`);
    const longAgo = new Date(ctx.clock.now().getTime() - KEEP_DEVICES_MS);
    const devices = await ctx.db.run(
      sql`delete from identity_devices where last_seen_at < ${longAgo}`,
    );
    return {
      successes: flows + sessions + codes + errors + devices,
      errors: [],
      details: { flows, sessions, codes, errors, devices },
    };
  },
};
