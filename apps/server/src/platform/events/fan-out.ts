import sql from "sql-template-tag";
import { takeLock } from "../db/advisory-locks.ts";
import type { Database } from "../db/database.ts";
import type { NamedHandler } from "./dispatcher.ts";
import type { EventHandler } from "./event-handler.ts";

/** Hears of new deliveries; the payload is the event's name. */
export const DELIVERIES_CHANGED = "event_deliveries_updates";

const MOST_AT_ONCE = 200;

interface RaisedEvent {
  id: string;
  name: string;
  properties: Record<string, unknown> | null;
}

/** None of a payload that is not what the event says: its delivery fails alone, and no other event waits for it. */
function subjectOf(event: RaisedEvent, handler: EventHandler): string | undefined {
  const payload = handler.event.payload.safeParse(event.properties ?? {});
  return payload.success ? handler.subject?.(payload.data) : undefined;
}

/**
 * Gives each handler of events that were raised (or raised again) a delivery of its own, and returns how many events
 * that were. A delivery from before of an event that was raised again is replaced, unless it is being handled.
 */
export async function fanOut(
  db: Database,
  handlers: ReadonlyMap<string, readonly NamedHandler[]>,
): Promise<number> {
  return db.transaction(async (tx) => {
    await takeLock(tx, "deliveries");
    const raised = await tx.rows<RaisedEvent>(sql`
      select id, name, properties from event_queue
       where fanned_at is distinct from created_at and name = any(${[...handlers.keys()]}::text[])
       order by priority desc, created_at limit ${MOST_AT_ONCE} for update skip locked`);
    if (raised.length === 0) return 0;
    const ids = raised.map((event) => event.id);
    await tx.run(sql`
      delete from event_deliveries where id in (
        select id from event_deliveries where event_id = any(${ids}::uuid[]) for update skip locked)`);
    const deliveries = raised.flatMap((event) =>
      (handlers.get(event.name) ?? []).map(({ name, handler }) => ({
        eventId: event.id,
        name,
        subject: subjectOf(event, handler) ?? event.id,
      })),
    );
    await tx.run(sql`
      insert into event_deliveries (event_id, event, handler, subject, priority, due_at)
      select e.id, e.name, d.handler, d.subject, e.priority,
             e.created_at + coalesce(e.delay, 0) * interval '1 microsecond' / 1000
        from unnest(${deliveries.map((d) => d.eventId)}::uuid[], ${deliveries.map((d) => d.name)}::text[],
                    ${deliveries.map((d) => d.subject)}::text[]) with ordinality d (event_id, handler, subject, place)
        join event_queue e on e.id = d.event_id
       order by d.place`);
    await tx.run(sql`
      update event_queue set fanned_at = created_at where id = any(${ids}::uuid[])`);
    await tx.rows(sql`
      select pg_notify(${DELIVERIES_CHANGED}, name)
        from unnest(${[...new Set(raised.map((event) => event.name))]}::text[]) name`);
    return raised.length;
  });
}
