import { type Retention, scrapeRetention } from "@mainstay/contract";
import sql, { type Sql } from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import { deleteInPortions } from "#platform/db/delete-in-portions.ts";
import type { ScheduledJob } from "#platform/jobs/job.ts";
import { changeRuleOf, endsOf } from "./rules.ts";

/** Items of one transaction. */
const ITEMS = 1000;

export interface RetentionOfScraper {
  id: string;
  retention: Retention;
}

/** What documents say of how long things are kept; those that cannot be read say nothing. */
export async function retentions(ctx: Pick<Ctx, "db">): Promise<RetentionOfScraper[]> {
  const rows = await ctx.db.rows<{ id: string; retention: unknown }>(sql`
    select id, spec -> 'retention' as retention from config_scrapers
     where deleted_at is null and spec ? 'retention'`);
  return rows.flatMap(({ id, retention }) => {
    const read = scrapeRetention.safeParse(retention);
    return read.success ? [{ id, retention: read.data }] : [];
  });
}

/** Changes of a scraper's items that its document does not keep: too old, or not among the newest. */
async function dropChanges(ctx: Ctx, { id, retention }: RetentionOfScraper): Promise<number> {
  let deleted = 0;
  for (const changeType of new Set((retention.changes ?? []).map(({ name }) => name))) {
    const { ageMs, count } = changeRuleOf(retention, changeType);
    const where: Sql[] = [sql`created_at < now() - ${ageMs} * interval '1 millisecond'`];
    if (count !== undefined)
      // Numbered in one go: those that are newer than each would be gone through for each.
      where.push(sql`id in (
        select numbered.id from (
          select k.id, row_number() over (partition by k.config_id order by k.created_at desc, k.id desc) as place
            from config_changes k join config_items i on i.id = k.config_id
           where k.change_type = ${changeType} and i.scraper_id = ${id}) numbered
         where numbered.place > ${count})`);
    for (const condition of where)
      deleted += await deleteInPortions(ctx, {
        table: "config_changes",
        where: sql`change_type = ${changeType} and ${condition}
          and exists (select from config_items i where i.id = config_changes.config_id and i.scraper_id = ${id})`,
      });
  }
  return deleted;
}

/** Deletes items of a scraper that its document no longer keeps, as far as they are old enough. */
async function endItems(ctx: Ctx, { id, retention }: RetentionOfScraper): Promise<number> {
  if (!retention.types?.some((rule) => rule.createdAge ?? rule.updatedAge)) return 0;
  const types = await ctx.db.rows<{ type: string }>(
    sql`select distinct type from config_items where scraper_id = ${id} and deleted_at is null`,
  );
  let ended = 0;
  for (const { type } of types) {
    const { createdMs, updatedMs } = endsOf(retention, type);
    const isOver = [
      [sql`created_at`, createdMs] as const,
      [sql`coalesce(updated_at, created_at)`, updatedMs] as const,
    ].filter(([, ms]) => Number.isFinite(ms));
    for (const [column, ms] of isOver)
      for (let count = ITEMS; count === ITEMS; ended += count) {
        ctx.signal.throwIfAborted();
        count = await ctx.db.run(sql`
          update config_items set deleted_at = now(), delete_reason = 'RETENTION'
           where id = any(array(
             select id from config_items
              where scraper_id = ${id} and type = ${type} and deleted_at is null
                and ${column} < now() - ${ms} * interval '1 millisecond'
              order by id limit ${ITEMS} for no key update skip locked))`);
      }
  }
  return ended;
}

/** Changes and items go as the documents say that found them. Source: server contract, section 14. */
export const keepByRules: ScheduledJob = {
  name: "Process Change Retention Rules",
  schedule: "@every 1h",
  timeoutMs: 30 * 60_000,
  retention: "few",
  async run(ctx) {
    const details = { changes: 0, items: 0 };
    for (const scraper of await retentions(ctx)) {
      details.changes += await dropChanges(ctx, scraper);
      details.items += await endItems(ctx, scraper);
    }
    return { successes: details.changes + details.items, errors: [], details };
  },
};
