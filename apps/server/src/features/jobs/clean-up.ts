import sql from "sql-template-tag";
import { cleanupJob } from "#platform/db/delete-in-portions.ts";
import type { ScheduledJob } from "#platform/jobs/job.ts";

/** Names, times and numbers of server contract, sections 9 and 13. */
const NO_AGENT = "00000000-0000-0000-0000-000000000000";

export const cleanups: ScheduledJob[] = [
  cleanupJob("CleanupStaleJobHistory", "15 1 * * *", {
    table: "job_history",
    where: sql`created_at < now() - interval '30 days' and agent_id = ${NO_AGENT}`,
  }),
  cleanupJob("CleanupStaleAgentJobHistory", "0 1 * * *", {
    table: "job_history",
    where: sql`id in (
      select id from (
        select id, row_number() over (partition by agent_id, name, resource_id, status order by created_at desc, id desc) as place
          from job_history where agent_id <> ${NO_AGENT}) ranked
       where place > 3)`,
  }),
  cleanupJob("Cleanup Event Queue", "@daily", {
    table: "event_queue",
    where: sql`created_at < now() - interval '30 days'`,
  }),
  // A run whose server was killed never wrote how it ended.
  {
    name: "MarkStaleJobHistory",
    schedule: "@hourly",
    timeoutMs: 10 * 60_000,
    retention: "few",
    run: async (ctx) => ({
      successes: await ctx.db.run(sql`
        update job_history set status = 'STALE' where status = 'RUNNING' and time_start < now() - interval '4 hours'`),
      errors: [],
    }),
  },
];
