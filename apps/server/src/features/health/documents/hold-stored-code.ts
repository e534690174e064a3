import sql, { empty } from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import { codeOff } from "#platform/require-code.ts";
import { canarySealer } from "./canary-sealer.ts";
import { type CanaryRow, checkDocument } from "./check-document.ts";
import { holdCode } from "./hold-code.ts";
import { syncCanary } from "./sync-canary.ts";

/**
 * Documents that were stored when this server had other settings, or was of another version, follow those of now: what
 * reaches into the machine is held where that is off, and what was held for a reason that is none any more runs.
 */
export async function holdStoredCode(ctx: Ctx): Promise<void> {
  const off = codeOff(ctx.config);
  const sealer = canarySealer(ctx.config);
  const candidates = await ctx.db.rows<CanaryRow & { reasons: Record<string, string> }>(sql`
    select c.*, h.reasons from canaries c
      cross join lateral (
        select coalesce(jsonb_object_agg(k.type || '/' || k.name, t.held), '{}') as reasons
          from checks k join check_totals t on t.check_id = k.id
         where k.canary_id = c.id and k.deleted_at is null and t.held is not null) h
     where c.deleted_at is null ${off === undefined ? sql`and h.reasons <> '{}'` : empty}`);
  for (const candidate of candidates) {
    if (!hasOtherReasons(ctx, candidate)) continue;
    await ctx.tx(async (tx) => {
      const row = await tx.first<CanaryRow>(
        sql`select * from canaries where id = ${candidate.id} for update`,
      );
      // A document with errors is not run either; the runner says so when it comes to it.
      if (row && row.deleted_at === null && checkDocument(row).issues === undefined)
        await syncCanary(ctx, tx, row, { runSoon: off === undefined, sealer });
    });
  }
}

function hasOtherReasons(
  ctx: Ctx,
  { reasons, ...row }: CanaryRow & { reasons: Record<string, string> },
): boolean {
  const checked = checkDocument(row);
  if (checked.issues) return false;
  const now = holdCode(ctx.config, checked.checks).flatMap(({ type, name, held }) =>
    held === undefined ? [] : [[`${type}/${name}`, held] as const],
  );
  return (
    now.length !== Object.keys(reasons).length || now.some(([name, held]) => reasons[name] !== held)
  );
}
