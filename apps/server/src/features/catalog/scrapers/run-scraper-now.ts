import sql from "sql-template-tag";
import { recordRun } from "#features/audit/index.ts";
import type { Ctx } from "#platform/context.ts";
import { notFound } from "#platform/errors.ts";
import { makeDue } from "#platform/jobs/claims.ts";
import { SCRAPER_SLOTS } from "./scraper-kind.ts";

/** Has a scraper run as soon as a worker is free; one that is going on is followed by another. */
export async function runScraperNow(ctx: Ctx, id: string): Promise<{ id: string }> {
  ctx.require("config_scrapers", "write");
  const row = await ctx.db.first<{ name: string; namespace: string; sha256: string }>(sql`
    select name, namespace, encode(sha256(convert_to(spec::text, 'UTF8')), 'hex') as sha256
      from config_scrapers where id = ${id} and deleted_at is null`);
  if (!row) throw notFound("There is no such scraper.");
  await recordRun(ctx, { verb: "run", table: "config_scrapers", row: id, about: { ...row } });
  return ctx.tx(async (tx) => {
    await makeDue(tx, SCRAPER_SLOTS, id);
    return { id };
  });
}
