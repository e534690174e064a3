import sql, { type Sql } from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import type { JobReport, ScheduledJob } from "#platform/jobs/job.ts";

/** Names, times and numbers of server contract, sections 9 and 13. */
const NO_AGENT = "00000000-0000-0000-0000-000000000000";

const job = (name: string, schedule: string, run: (ctx: Ctx) => Promise<number>): ScheduledJob => ({
  name,
  schedule,
  timeoutMs: 10 * 60_000,
  retention: "few",
  run: async (ctx): Promise<JobReport> => ({ successes: await run(ctx), errors: [] }),
});

/** In portions, so that no transaction is long however much there is. */
async function inPortions(ctx: Ctx, statement: (portion: number) => Sql): Promise<number> {
  const portion = 5_000;
  for (let total = 0; ;) {
    ctx.signal.throwIfAborted();
    const affected = await ctx.db.run(statement(portion));
    total += affected;
    if (affected < portion) return total;
  }
}

export const cleanups: ScheduledJob[] = [
  job("CleanupStaleJobHistory", "15 1 * * *", (ctx) =>
    inPortions(
      ctx,
      (portion) => sql`
        delete from job_history where id in (
          select id from job_history
           where created_at < now() - interval '30 days' and agent_id = ${NO_AGENT} limit ${portion})`,
    ),
  ),
  job("CleanupStaleAgentJobHistory", "0 1 * * *", (ctx) =>
    inPortions(
      ctx,
      (portion) => sql`
        delete from job_history where id in (
          select id from (
            select id, row_number() over (partition by agent_id, name, resource_id, status order by created_at desc, id desc) as place
              from job_history where agent_id <> ${NO_AGENT}) ranked
           where place > 3 limit ${portion})`,
    ),
  ),
  job("Cleanup Event Queue", "@daily", (ctx) =>
    inPortions(
      ctx,
      (portion) => sql`
        delete from event_queue where id in (
          select id from event_queue where created_at < now() - interval '30 days' limit ${portion} for update skip locked)`,
    ),
  ),
  // A run whose server was killed never wrote how it ended.
  job("MarkStaleJobHistory", "@hourly", (ctx) =>
    ctx.db.run(sql`
      update job_history set status = 'STALE' where status = 'RUNNING' and time_start < now() - interval '4 hours'`),
  ),
];
