import sql from "sql-template-tag";
import { cleanupJob } from "#platform/db/delete-in-portions.ts";

/** What has ended is kept this long, to be told apart from what never was. */
const KEEP_MS = 24 * 60 * 60 * 1000;

/** As long as the cookie that tells a browser from others. */
const KEEP_DEVICES_MS = 365 * KEEP_MS;

/** Deletes flows, sessions, codes and errors that ended a day ago, and devices that were not seen for a year. */
export const cleanUpIdentity = cleanupJob("CleanupIdentity", "@hourly", ({ clock, config }) => {
  const ago = (ms: number) => new Date(clock.now().getTime() - ms);
  const before = ago(KEEP_MS);
  return {
    flows: { table: "identity_flows", where: sql`expires_at < ${before}` },
    sessions: {
      table: "identity_sessions",
      where: sql`expires_at < ${before} or (not active and last_seen_at < ${before})
              or last_seen_at < ${ago(KEEP_MS + config.sessionIdle)}`,
    },
    codes: { table: "identity_codes", where: sql`expires_at < ${before}` },
    invitations: { table: "unmailed_invitations", where: sql`expires_at < ${before}` },
    errors: { table: "identity_errors", where: sql`created_at < ${before}` },
    devices: { table: "identity_devices", where: sql`last_seen_at < ${ago(KEEP_DEVICES_MS)}` },
  };
});
