import sql from "sql-template-tag";
import type { ScheduledJob } from "#platform/jobs/job.ts";
import { endService } from "./revoke-token.ts";

/** Of what has expired its owner can see for so long that it did. */
const KEEP_MS = 30 * 24 * 60 * 60 * 1000;

/** Deletes access tokens that expired a month ago, and services whose last one that was. */
export const cleanUpTokens: ScheduledJob = {
  name: "CleanupAccessTokens",
  schedule: "@hourly",
  timeoutMs: 5 * 60 * 1000,
  retention: "few",
  async run(ctx) {
    const before = new Date(ctx.clock.now().getTime() - KEEP_MS);
    const tokens = await ctx.tx(async (tx) => {
      const expired = await tx.rows<{ person_id: string; kind: string }>(sql`
        delete from access_tokens where expires_at < ${before} returning person_id, kind`);
      for (const token of expired) await endService(tx, token);
      return expired.length;
    });
    return { successes: tokens, errors: [], details: { tokens } };
  },
};
