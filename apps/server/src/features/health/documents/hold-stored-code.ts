import { codeInCanarySpec } from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import { codeOff } from "#platform/require-code.ts";
import { canarySealer } from "./canary-sealer.ts";
import { type CanaryRow, checkDocument } from "./check-document.ts";
import { syncCanary } from "./sync-canary.ts";

/**
 * Documents that were stored when this server had other settings follow those of now: what reaches into the machine is
 * held where that is off, and runs again where it is on.
 */
export async function holdStoredCode(ctx: Ctx): Promise<void> {
  const off = codeOff(ctx.config);
  const sealer = canarySealer(ctx.config);
  const reason = codeOff({ checkerOnly: true, checkerWrite: true })!;
  const candidates = await ctx.db.rows<Pick<CanaryRow, "id" | "spec">>(
    off === undefined
      ? sql`
        select id, spec from canaries c
         where deleted_at is null and exists (
           select from checks k join check_totals t on t.check_id = k.id
            where k.canary_id = c.id and k.deleted_at is null and right(t.held, ${reason.length}) = ${reason})`
      : sql`select id, spec from canaries where deleted_at is null`,
  );
  for (const { id, spec } of candidates) {
    if (off !== undefined && codeInCanarySpec(spec).length === 0) continue;
    await ctx.tx(async (tx) => {
      const row = await tx.first<CanaryRow>(
        sql`select * from canaries where id = ${id} for update`,
      );
      // A document with errors is not run either; the runner says so when it comes to it.
      if (row && row.deleted_at === null && checkDocument(row).issues === undefined)
        await syncCanary(ctx, tx, row, { runSoon: off === undefined, sealer });
    });
  }
}
