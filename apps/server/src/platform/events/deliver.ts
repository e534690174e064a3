import sql from "sql-template-tag";
import type { Database, Queryable } from "../db/database.ts";
import { messageOf } from "../jobs/history.ts";
import type { RunCtx } from "../jobs/job.ts";
import { runLimited } from "../jobs/limited-run.ts";
import type { Log } from "../log.ts";
import { boundDatabase } from "./bound-database.ts";
import type { NamedHandler } from "./dispatcher.ts";

const DEFAULT_TIMEOUT_MS = 60_000;
/** What `event_queue.attempts` says of an event that is given up: more than the wire's three retries. Server contract, 9. */
const GIVEN_UP = 4;

export interface DeliverParts {
  db: Database;
  log: Log;
  createCtx: RunCtx;
  /** Aborted when what runs has to end; a try that ends by it does not count. */
  aborting: AbortSignal;
  retryDelayMs(failedTries: number): number | undefined;
}

interface DeliveryRow {
  id: number;
  event_id: string;
  properties: Record<string, unknown> | null;
  attempts: number;
}

/**
 * Hands the next due delivery to its handler, in one transaction: it is gone with what the handler wrote, or nothing of
 * it happened and the row carries the error. Returns whether there was one.
 */
export async function deliverNext(parts: DeliverParts, named: NamedHandler): Promise<boolean> {
  const { db, log, aborting, retryDelayMs } = parts;
  const { name } = named;
  const handled = await db.transaction(async (tx) => {
    const row = await tx.first<DeliveryRow>(sql`
      select d.id, d.event_id, e.properties, d.attempts
        from event_deliveries d join event_queue e on e.id = d.event_id
       where d.handler = ${name} and d.parked_at is null and d.due_at <= now() and not ${hasEarlier}
       order by d.priority desc, d.id limit 1 for update of d skip locked`);
    if (!row) return undefined;
    await tx.run(sql`savepoint handling`);
    try {
      await handle(parts, tx, named, row);
      await tx.run(sql`delete from event_deliveries where id = ${row.id}`);
      return { eventId: row.event_id, isDone: true };
    } catch (error) {
      await tx.run(sql`rollback to savepoint handling`);
      // Being told to stop says nothing about the event.
      if (aborting.aborted) return { eventId: row.event_id, isDone: false };
      const attempts = row.attempts + 1;
      const waitMs = retryDelayMs(attempts);
      await tx.run(sql`
        update event_deliveries
           set attempts = ${attempts}, last_attempt = now(), error = ${messageOf(error)},
               due_at = now() + ${waitMs ?? 0}::float8 * interval '1 millisecond',
               parked_at = case when ${waitMs === undefined} then now() end
         where id = ${row.id}`);
      // The event itself shows the worst of its deliveries, as clients of the wire know it.
      await tx.run(sql`
        update event_queue
           set error = ${`${name}: ${messageOf(error)}`}, last_attempt = now(),
               attempts = greatest(attempts, ${waitMs === undefined ? GIVEN_UP : Math.min(attempts, GIVEN_UP - 1)})
         where id = ${row.event_id}`);
      log.error(
        { err: error, handler: name, properties: row.properties, attempts, nextTryInMs: waitMs },
        waitMs === undefined
          ? `${name} was not handled for a day and is parked`
          : `${name} was not handled; it is tried again`,
      );
      return { eventId: row.event_id, isDone: false };
    }
  });
  if (handled?.isDone) await removeFinished(db, handled.eventId);
  return handled !== undefined;
}

/** Whether an earlier event of its subject still waits for this handler. */
const hasEarlier = sql`exists (
  select from event_deliveries b
   where b.handler = d.handler and b.subject = d.subject and b.id < d.id and b.parked_at is null)`;

/** Of a handler's deliveries, when the next is due: milliseconds, 0 when one is, undefined when there is none. */
export async function untilNext(db: Database, { name }: NamedHandler): Promise<number | undefined> {
  const row = await db.first<{ ms: number | null }>(sql`
    select extract(epoch from min(d.due_at) - now())::float8 * 1000 as ms
      from event_deliveries d where d.handler = ${name} and d.parked_at is null and not ${hasEarlier}`);
  if (row?.ms === null || row?.ms === undefined) return undefined;
  return Math.max(0, row.ms);
}

/** An event all of whose handlers are done; asked after the commit, so that of two that end at once one sees both. */
async function removeFinished(db: Database, eventId: string): Promise<void> {
  await db.run(sql`
    delete from event_queue e
     where id = ${eventId} and fanned_at = created_at
       and not exists (select from event_deliveries d where d.event_id = e.id)`);
}

async function handle(
  { db, log, createCtx, aborting }: DeliverParts,
  tx: Queryable,
  { name, feature, handler }: NamedHandler,
  row: DeliveryRow,
): Promise<void> {
  const bound = boundDatabase(db, tx);
  const limits = {
    name: `The handling of ${handler.event.name}`,
    timeoutMs: handler.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    stop: aborting,
  };
  try {
    const payload = handler.event.payload.parse(row.properties ?? {});
    await runLimited(limits, (signal) => {
      const ctx = createCtx({ log: log.child({ handler: name, feature }), signal, db: bound });
      return handler.run(ctx, payload);
    });
  } finally {
    // A handler that does not stop when it is told to may still be at it.
    bound.end();
  }
}
