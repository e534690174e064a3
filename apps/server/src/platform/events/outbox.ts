import { setTimeout as delay } from "node:timers/promises";
import sql from "sql-template-tag";
import type { Database, Queryable } from "../db/database.ts";
import type { EventHandler } from "../feature.ts";
import { messageOf } from "../jobs/history.ts";
import type { RunCtx } from "../jobs/job.ts";
import { runLimited, settlesWithin, STOP_GRACE_MS } from "../jobs/limited-run.ts";
import type { Log } from "../log.ts";
import { boundDatabase } from "./bound-database.ts";
import type { Listener } from "./listener.ts";

/*
 * Hands the rows of `event_queue` to the features that asked for them. One event, all its handlers, one transaction:
 * the row is deleted with what they wrote, or nothing of it happened and the row carries the error. Handlers are
 * called at least once, so they are idempotent; what takes long they enqueue as a job.
 *
 * An event that no feature handles is deleted once it is `UNHANDLED_KEPT` old: kept, such rows would grow for ever;
 * deleted at once, a server of an older version would throw away what one of a newer version is about to handle.
 */

/** The channel on which a trigger (features/jobs/views.sql) announces new and re-armed rows, with the event's name. */
const EVENTS_CHANGED = "event_queue_updates";

/** An event that failed more often is left alone, to be seen in `event_queue_summary`. Server contract, 9. */
const RETRIES = 3;
const UNHANDLED_KEPT = "10 minutes";
const SWEEP_EVERY_MS = 60_000;
const RETRY_MS = 1_000;

/**
 * Writes an event in the caller's transaction. The same name and properties re-arm the row that is already there.
 * While an event is being handled, writing exactly the same one waits for that to end.
 */
export async function emit(
  queryable: Queryable,
  name: string,
  properties: Record<string, unknown>,
): Promise<void> {
  await queryable.run(sql`
    insert into event_queue (name, properties) values (${name}, ${JSON.stringify(properties)}::jsonb)
    on conflict (name, properties) do update set created_at = now(), last_attempt = null, attempts = 0`);
}

export interface Subscription {
  feature: string;
  handler: EventHandler;
}

export interface DispatcherOptions {
  db: Database;
  log: Log;
  listener: Listener;
  handlers: Readonly<Record<string, readonly Subscription[]>>;
  createCtx: RunCtx;
  /** Events of one name that this server handles at the same time; 1 where nothing is said. */
  concurrency?: Readonly<Record<string, number>>;
  /** The wait after the n-th failed try is this times n^5. Server contract, section 9. */
  backOffMs?: number;
  pollMs?: number;
  /** All handlers of one event together. */
  timeoutMs?: number;
  stopGraceMs?: number;
}

export interface Dispatcher {
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface EventRow {
  id: string;
  properties: Record<string, unknown> | null;
  attempts: number;
}

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { db, log, listener, handlers, createCtx, concurrency = {} } = options;
  const { backOffMs = 60_000, pollMs = 60_000, timeoutMs = 60_000, stopGraceMs = 10_000 } = options;
  const names = Object.keys(handlers);
  const stopping = new AbortController();
  const aborting = new AbortController();
  const sleepers = new Map<string, Set<() => void>>(names.map((name) => [name, new Set()]));
  /** Counts announcements, so that one that comes while a consumer is busy is not missed. */
  const announced = new Map<string, number>(names.map((name) => [name, 0]));
  const consumers: Promise<void>[] = [];
  let unlisten: (() => void) | undefined;

  const wake = (name: string) => {
    announced.set(name, (announced.get(name) ?? 0) + 1);
    for (const wakeOne of sleepers.get(name) ?? []) wakeOne();
  };

  async function consume(name: string, subscriptions: readonly Subscription[]): Promise<void> {
    let wasDue = false;
    while (!stopping.signal.aborted) {
      const seen = announced.get(name);
      let waitMs = RETRY_MS;
      try {
        if (await handleNext(name, subscriptions)) {
          wasDue = false;
          continue;
        }
        waitMs = await untilNext(name);
        // One may have become due since it was looked for; one that is due and still not given is in other hands.
        const isDue = waitMs <= 0;
        if (isDue && !wasDue) {
          wasDue = true;
          continue;
        }
        wasDue = false;
        if (isDue) waitMs = pollMs;
      } catch (error) {
        log.error({ err: error, event: name }, "cannot read the event queue; trying again");
      }
      if (announced.get(name) === seen) await sleep(sleepers.get(name), waitMs);
    }
  }

  async function sleep(among: Set<() => void> | undefined, ms: number): Promise<void> {
    const waking = new AbortController();
    const wakeMe = () => waking.abort();
    among?.add(wakeMe);
    await delay(ms, undefined, { signal: AbortSignal.any([waking.signal, stopping.signal]) }).catch(
      () => undefined,
    );
    among?.delete(wakeMe);
  }

  /** Returns whether there was one. */
  async function handleNext(
    name: string,
    subscriptions: readonly Subscription[],
  ): Promise<boolean> {
    return db.transaction(async (tx) => {
      const event = await tx.first<EventRow>(sql`
        select id, properties, attempts from event_queue
         where name = ${name} and attempts <= ${RETRIES} and ${eligibleAt} <= now()
         order by priority desc, created_at limit 1 for update skip locked`);
      if (!event) return false;
      await tx.run(sql`savepoint handling`);
      try {
        // First, so that an equal event that a handler writes is a new row and not the one that goes.
        await tx.run(sql`delete from event_queue where id = ${event.id}`);
        await handle(tx, { name, event, subscriptions });
      } catch (error) {
        await tx.run(sql`rollback to savepoint handling`);
        // Being told to stop says nothing about the event.
        if (aborting.signal.aborted) return true;
        await tx.run(sql`
          update event_queue set error = ${messageOf(error)}, attempts = ${event.attempts + 1}, last_attempt = now() where id = ${event.id}`);
        const left = RETRIES - event.attempts;
        log.error(
          { err: error, event: name, properties: event.properties, triesLeft: left },
          `the event ${name} was not handled`,
        );
      }
      return true;
    });
  }

  async function handle(
    tx: Queryable,
    what: { name: string; event: EventRow; subscriptions: readonly Subscription[] },
  ) {
    const { name, event, subscriptions } = what;
    const bound = boundDatabase(db, tx);
    const limits = { name: `The handling of ${name}`, timeoutMs, stop: aborting.signal };
    try {
      await runLimited(limits, async (signal) => {
        for (const { feature, handler } of subscriptions) {
          const ctx = createCtx({ log: log.child({ event: name, feature }), signal, db: bound });
          try {
            await handler(ctx, event.properties ?? {});
          } catch (cause) {
            throw new Error(`${feature}: ${messageOf(cause)}`, { cause });
          }
        }
      });
    } finally {
      // A handler that does not stop when it is told to may still be at it.
      bound.end();
    }
  }

  const eligibleAt = sql`greatest(
    created_at + coalesce(delay, 0) * interval '1 microsecond' / 1000,
    last_attempt + ${backOffMs}::float8 * interval '1 millisecond' * power(attempts, 5))`;

  /** Milliseconds until one is due; 0 when one is. */
  async function untilNext(name: string): Promise<number> {
    const row = await db.first<{ ms: number | null }>(sql`
      select extract(epoch from min(${eligibleAt}) - now())::float8 * 1000 as ms
        from event_queue where name = ${name} and attempts <= ${RETRIES}`);
    if (row?.ms === null || row?.ms === undefined) return pollMs;
    return row.ms <= 0 ? 0 : Math.min(row.ms + 1, pollMs);
  }

  async function sweep(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await db.run(sql`
          delete from event_queue where name <> all(${names}::text[]) and created_at < now() - ${UNHANDLED_KEPT}::interval`);
      } catch (error) {
        log.error({ err: error }, "cannot delete events that nobody handles; trying again");
      }
      await sleep(undefined, SWEEP_EVERY_MS);
    }
  }

  return {
    async start() {
      unlisten = await listener.on(EVENTS_CHANGED, (payload) => {
        for (const name of names) if (payload === undefined || payload === name) wake(name);
      });
      for (const [name, subscriptions] of Object.entries(handlers)) {
        for (let i = 0; i < (concurrency[name] ?? 1); i++)
          consumers.push(consume(name, subscriptions));
      }
      consumers.push(sweep());
    },
    async stop() {
      stopping.abort();
      unlisten?.();
      if (await settlesWithin(Promise.all(consumers), stopGraceMs)) return;
      aborting.abort(new Error("The server is stopping."));
      await settlesWithin(Promise.all(consumers), STOP_GRACE_MS + 1_000);
    },
  };
}
