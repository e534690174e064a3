import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import { notFound } from "#platform/errors.ts";
import { makeDue } from "#platform/jobs/claims.ts";
import { SCRAPER_SLOTS } from "./scraper-kind.ts";

/** Has a scraper run as soon as a worker is free; one that is going on is followed by another. */
export async function runScraperNow(ctx: Ctx, id: string): Promise<{ id: string }> {
  ctx.require("config_scrapers", "write");
  return ctx.tx(async (tx) => {
    const row = await tx.first<{ id: string }>(
      sql`select id from config_scrapers where id = ${id} and deleted_at is null`,
    );
    if (!row) throw notFound("There is no such scraper.");
    await makeDue(tx, SCRAPER_SLOTS, id);
    return { id };
  });
}
