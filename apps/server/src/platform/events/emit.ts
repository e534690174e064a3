import type { EventDefinition } from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Queryable } from "../db/database.ts";

/**
 * Writes an event in the caller's transaction. The same name and payload arm the row again that is already there. SQL
 * does the same with `raise_event` (features/jobs/views.sql).
 */
export async function emit<Payload extends object>(
  queryable: Queryable,
  event: EventDefinition<Payload>,
  payload: Payload,
): Promise<void> {
  const checked = event.payload.parse(payload);
  await queryable.run(sql`select raise_event(${event.name}, ${JSON.stringify(checked)}::jsonb)`);
}
