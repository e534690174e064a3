import { setTimeout as pause } from "node:timers/promises";
import sql, { type Sql } from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import { cleanupJob } from "#platform/db/delete-in-portions.ts";
import type { JobReport, ScheduledJob } from "#platform/jobs/job.ts";
import { keepByRules, retentions } from "./retention/clean-up.ts";
import { deletedItemMs, forgottenAfterMs, oldestChangeMs } from "./retention/rules.ts";

/** Small rows, and many of them. */
const PORTION = 10_000;
/** An item takes its changes with it, so few go at a time. */
const ITEMS = 200;
const TAG_SETS = 2_000;
const PAUSE_MS = 20;
/** Of PostgreSQL's error codes: a lock was not to be had in time. */
const lockNotAvailable = "55P03";

const cleanup = (name: string, schedule: string, table: string, where: Sql) =>
  cleanupJob(name, schedule, { table, where, portion: PORTION });

/** Items whose documents say how long they are kept when they are deleted, by scraper and type, in milliseconds. */
async function keptOtherwise(ctx: Ctx): Promise<string> {
  const said = (await retentions(ctx)).filter(({ retention }) =>
    retention.types?.some(({ deletedAge }) => deletedAge !== undefined),
  );
  const rules = new Map(said.map(({ id, retention }) => [id, retention]));
  const types = await ctx.db.rows<{ scraper_id: string; type: string }>(sql`
    select distinct scraper_id, type from config_items
     where scraper_id = any (${[...rules.keys()]}::uuid[]) and deleted_at is not null`);
  return JSON.stringify(
    types.map(({ scraper_id: scraperId, type }) => ({
      scraper_id: scraperId,
      type,
      ms: forgottenAfterMs(rules.get(scraperId), type),
    })),
  );
}

/** Writers of items wait while a portion goes: it waits for none of them for long, and what is left goes the next night. */
async function dropUnusedTagSets(ctx: Ctx): Promise<JobReport> {
  let successes = 0;
  for (;;) {
    let many: number;
    try {
      const dropped = await ctx.db.transaction(
        (tx) =>
          tx.first<{ many: number }>(sql`select drop_unused_tag_sets(${TAG_SETS})::float8 as many`),
        { signal: ctx.signal, settings: { lock_timeout: "2s" } },
      );
      many = dropped!.many;
    } catch (error) {
      if ((error as { code?: string }).code !== lockNotAvailable) throw error;
      return { successes, errors: [] };
    }
    successes += many;
    if (many < TAG_SETS) return { successes, errors: [] };
    await pause(PAUSE_MS, undefined, { signal: ctx.signal });
  }
}

/**
 * Deletes items that were deleted for a week, or as long as their document says, with all that belongs to them, unless
 * something else names them. One that its document has ended stays as long as it is still found: it would come back.
 */
async function dropOldItems(ctx: Ctx): Promise<number> {
  const rules = await keptOtherwise(ctx);
  for (let deleted = 0; ;) {
    ctx.signal.throwIfAborted();
    const count = await ctx.db.transaction(async (tx) => {
      const old = await tx.rows<{ id: string }>(sql`
        select id from config_items
         where deleted_at < now() - interval '1 millisecond' * coalesce(
                 (select r.ms from jsonb_to_recordset(${rules}::jsonb) r (scraper_id uuid, type text, ms float8)
                   where r.scraper_id = config_items.scraper_id and r.type = config_items.type), ${deletedItemMs})
           and not exists (select from components where components.config_id = config_items.id)
           and not (delete_reason = 'RETENTION' and exists (
                 select from config_item_scrapes s where s.config_id = config_items.id and s.seen_at > now() - interval '2 days'))
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
    name: "SumConfigChangeHours",
    schedule: "@every 1m",
    timeoutMs: 60_000,
    retention: "few",
    async run(ctx) {
      const summed = await ctx.db.first<{ taken: number }>(
        sql`select sum_change_hours()::float8 as taken`,
      );
      return { successes: summed?.taken ?? 0, errors: [] };
    },
  },
  {
    name: "TypeConfigChangeSums",
    schedule: "@every 1m",
    timeoutMs: 60_000,
    retention: "few",
    async run(ctx) {
      const typed = await ctx.db.first<{ many: number }>(
        sql`select type_change_sums()::float8 as many`,
      );
      return { successes: typed?.many ?? 0, errors: [] };
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
    sql`created_at < now() - ${oldestChangeMs} * interval '1 millisecond'`,
  ),
  keepByRules,
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
    facets: { table: "config_facets", where: sql`items <= 0 and deleted <= 0`, portion: PORTION },
    totals: { table: "config_change_totals", where: sql`total <= 0`, portion: PORTION },
    sums: { table: "config_change_sums", where: sql`total <= 0`, portion: PORTION },
  })),
  {
    name: "CleanupConfigTagSets",
    schedule: "45 2 * * *",
    timeoutMs: 5 * 60_000,
    retention: "few",
    run: dropUnusedTagSets,
  },
];
