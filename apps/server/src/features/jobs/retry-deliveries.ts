import sql from "sql-template-tag";
import { recordRun } from "#features/audit/index.ts";
import type { Ctx } from "#platform/context.ts";
import { invalid } from "#platform/errors.ts";
import { DELIVERIES_CHANGED } from "#platform/events/fan-out.ts";

/** Which deliveries of events: by number, or all that are parked of one handler. */
export interface RetryInput {
  ids?: readonly number[];
  handler?: string;
}

/** Has parked deliveries tried again at once, with all their tries before them. Returns how many there were. */
export async function retryDeliveries(ctx: Ctx, input: RetryInput): Promise<{ retried: number }> {
  ctx.require("database", "write");
  if ((input.ids === undefined) === (input.handler === undefined))
    throw invalid("Say which deliveries: either their ids, or the handler.");
  await recordRun(ctx, {
    verb: "run",
    table: "event_deliveries",
    row: input.handler ?? (input.ids ?? []).join(", "),
    about: { retried: input.handler === undefined ? (input.ids ?? []).length : "all" },
  });
  const retried = await ctx.tx(async (tx) => {
    const rows = await tx.rows<{ event: string }>(sql`
      update event_deliveries set parked_at = null, attempts = 0, due_at = now()
       where parked_at is not null
         and (id = any(${input.ids ?? []}::bigint[]) or handler = ${input.handler ?? null})
      returning event`);
    const events = [...new Set(rows.map((row) => row.event))];
    await tx.rows(
      sql`select pg_notify(${DELIVERIES_CHANGED}, event) from unnest(${events}::text[]) event`,
    );
    return rows.length;
  });
  return { retried };
}
