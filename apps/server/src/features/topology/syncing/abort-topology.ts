import sql from "sql-template-tag";
import { recordRun } from "#features/audit/index.ts";
import type { Ctx } from "#platform/context.ts";
import { conflict, notFound } from "#platform/errors.ts";
import { TOPOLOGY_SLOTS } from "../documents/topology-kind.ts";

/** What servers hear when a run is aborted; its payload is the topology's id. */
export const TOPOLOGY_ABORTED = "topology_aborted";

/** Ends the run of a topology that is going on, on whichever server: nothing of it is saved. */
export async function abortTopology(ctx: Ctx, id: string): Promise<{ id: string }> {
  ctx.require("topologies", "write");
  const row = await ctx.db.first<{ name: string; namespace: string; is_running: boolean }>(sql`
    select t.name, t.namespace, coalesce(s.claimed_by is not null, false) as is_running
      from topologies t left join schedules s on s.kind = ${TOPOLOGY_SLOTS} and s.key = t.id::text
     where t.id = ${id} and t.deleted_at is null`);
  if (!row) throw notFound("There is no such topology.");
  const { name, namespace } = row;
  if (!row.is_running) throw conflict("This topology is not running.");
  await recordRun(ctx, { verb: "abort", table: "topologies", row: id, about: { name, namespace } });
  await ctx.db.run(sql`select pg_notify(${TOPOLOGY_ABORTED}, ${id})`);
  return { id };
}
