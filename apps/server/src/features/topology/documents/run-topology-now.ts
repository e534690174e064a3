import sql from "sql-template-tag";
import { recordRun } from "#features/audit/index.ts";
import type { Ctx } from "#platform/context.ts";
import { notFound } from "#platform/errors.ts";
import { makeDue } from "#platform/jobs/claims.ts";
import { TOPOLOGY_SLOTS } from "./topology-kind.ts";

/** Has a topology run as soon as a worker is free; one that is going on is followed by another. */
export async function runTopologyNow(ctx: Ctx, id: string): Promise<{ id: string }> {
  ctx.require("topologies", "write");
  const row = await ctx.db.first<{ name: string; namespace: string; sha256: string }>(sql`
    select name, namespace, encode(sha256(convert_to(spec::text, 'UTF8')), 'hex') as sha256
      from topologies where id = ${id} and deleted_at is null`);
  if (!row) throw notFound("There is no such topology.");
  await recordRun(ctx, { verb: "run", table: "topologies", row: id, about: { ...row } });
  return ctx.tx(async (tx) => {
    await makeDue(tx, TOPOLOGY_SLOTS, id);
    return { id };
  });
}
