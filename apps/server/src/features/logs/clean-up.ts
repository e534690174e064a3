import sql from "sql-template-tag";
import type { ScheduledJob } from "#platform/jobs/job.ts";
import { tidyCounts } from "./store/tidy-counts.ts";

/** Room is made for this share of what the store may take, so that the next lines need none at once. */
const share = 0.9;

/** Days of lines that do not fit go before their time, the oldest first; of today's nothing goes. */
export const roomJob: ScheduledJob = {
  name: "LimitLogStore",
  schedule: "@every 1m",
  timeoutMs: 5 * 60_000,
  retention: "few",
  async run(ctx) {
    const days = await ctx.db.rows<{ name: string; bytes: number; is_over: boolean }>(sql`
      select c.relname as name, pg_total_relation_size(c.oid) as bytes,
             c.relname < 'log_lines_' || to_char(now() at time zone 'UTC', 'YYYYMMDD') as is_over
        from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = 'log_lines'::regclass order by (c.relname ~ '_\d{8}$') desc, c.relname`);
    let bytes = days.reduce((sum, day) => sum + day.bytes, 0);
    const most = ctx.config.logStore * share;
    const dropped: string[] = [];
    for (const { name, bytes: ofDay, is_over: isOver } of days) {
      if (bytes <= most) break;
      if (!isOver || !/_\d{8}$/.test(name)) continue;
      ctx.signal.throwIfAborted();
      await ctx.db.run(sql`select drop_log_day(${name})`);
      bytes -= ofDay;
      dropped.push(name.slice(-8));
    }
    await tidyCounts(ctx);
    const errors =
      bytes > ctx.config.logStore
        ? ["The lines of today alone take more than LOG_STORE: no more are taken until tomorrow."]
        : [];
    return { successes: dropped.length, errors, details: { bytes, dropped } };
  },
};
