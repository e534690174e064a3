import { setTimeout as pause } from "node:timers/promises";
import sql, { type Sql } from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import { cleanupJob } from "#platform/db/delete-in-portions.ts";
import type { ScheduledJob } from "#platform/jobs/job.ts";

/** Small rows, and many of them. */
const PORTION = 10_000;
/** An item takes its changes with it, so few go at a time. */
const ITEMS = 200;
const PAUSE_MS = 20;

const cleanup = (name: string, schedule: string, table: string, where: Sql) =>
  cleanupJob(name, schedule, { table, where, portion: PORTION });

/** Deletes items that were deleted for a week, with all that belongs to them, unless something else names them. */
async function dropOldItems(ctx: Ctx): Promise<number> {
  for (let deleted = 0; ;) {
    ctx.signal.throwIfAborted();
    const count = await ctx.db.transaction(async (tx) => {
      const old = await tx.rows<{ id: string }>(sql`
        select id from config_items
         where deleted_at < now() - interval '7 days'
           and not exists (select from components where components.config_id = config_items.id)
         order by deleted_at limit ${ITEMS} for update skip locked`);
      const ids = old.map(({ id }) => id);
      // Before the items: what counts changes would count them of items that are gone.
      await tx.run(sql`delete from config_changes where config_id = any (${ids}::uuid[])`);
      await tx.run(sql`delete from config_analysis where config_id = any (${ids}::uuid[])`);
      await tx.run(sql`
        delete from config_relationships
         where config_id = any (${ids}::uuid[]) or related_id = any (${ids}::uuid[])`);
      await tx.run(sql`delete from config_items where id = any (${ids}::uuid[])`);
      return ids.length;
    });
    deleted += count;
    if (count < ITEMS) return deleted;
    await ctx.progress({ successes: deleted, details: { deleted } });
    await pause(PAUSE_MS, undefined, { signal: ctx.signal });
  }
}

/** Names, times and ages of server contract, section 14, where it has them. */
export const retentionJobs: readonly ScheduledJob[] = [
  {
    name: "SlideConfigChangeWindow",
    schedule: "@every 1m",
    timeoutMs: 60_000,
    retention: "few",
    async run(ctx) {
      const slid = await ctx.db.first<{ gone: number }>(sql`select slide_change_window() as gone`);
      return { successes: slid?.gone ?? 0, errors: [] };
    },
  },
  {
    name: "CleanupConfigItems",
    schedule: "0 2 * * *",
    timeoutMs: 60 * 60_000,
    retention: "few",
    async run(ctx) {
      const deleted = await dropOldItems(ctx);
      return { successes: deleted, errors: [], details: { deleted } };
    },
  },
  cleanup(
    "CleanupConfigChanges",
    "10 2 * * *",
    "config_changes",
    sql`created_at < now() - interval '60 days'`,
  ),
  cleanup(
    "CleanupConfigAnalysis",
    "20 2 * * *",
    "config_analysis",
    sql`last_observed < now() - interval '60 days'
        or (last_observed is null and first_observed < now() - interval '60 days')`,
  ),
  cleanup(
    "CleanupConfigVersions",
    "25 2 * * *",
    "config_item_versions",
    sql`changed_at < now() - interval '60 days'`,
  ),
  cleanup(
    "CleanupConfigRelationships",
    "30 2 * * *",
    "config_relationships",
    sql`deleted_at < now() - interval '7 days'`,
  ),
  cleanupJob("CleanupConfigCounts", "40 2 * * *", () => ({
    facets: { table: "config_facets", where: sql`items <= 0`, portion: PORTION },
    totals: { table: "config_change_totals", where: sql`total <= 0`, portion: PORTION },
  })),
];
