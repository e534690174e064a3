import { setTimeout as delay } from "node:timers/promises";
import type { EventDefinition } from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Database } from "../db/database.ts";
import type { RunCtx } from "../jobs/job.ts";
import { settlesWithin, STOP_GRACE_MS } from "../jobs/limited-run.ts";
import type { Log } from "../log.ts";
import { type DeliverParts, deliverNext, untilNext } from "./deliver.ts";
import type { EventHandler } from "./event-handler.ts";
import { DELIVERIES_CHANGED, fanOut } from "./fan-out.ts";
import type { Listener } from "./listener.ts";
import { retryDelayMs } from "./retry-delays.ts";

/*
 * Hands what happened to the features that asked for it.
 *
 * Words: an *event* is a row of `event_queue`, written with what happened. A *delivery* is a row of `event_deliveries`:
 * one event for one handler. *Fanning out* gives an event its deliveries. A delivery that failed for a day is *parked*.
 *
 * Handlers are independent: each has its own tries, its own waits, and its own place among those that run, so that a
 * broken one makes no other late. An event is deleted with its last delivery. One that no feature handles is deleted
 * once it is `UNHANDLED_KEPT` old: kept, such rows would grow for ever; deleted at once, a server of an older version
 * would throw away what one of a newer version is about to handle.
 */

/** The channel on which a trigger (features/jobs/views.sql) announces new and re-armed rows, with the event's name. */
const EVENTS_CHANGED = "event_queue_updates";

const UNHANDLED_KEPT = "10 minutes";
const SWEEP_EVERY_MS = 60_000;
const LOOK_AGAIN_MS = 1_000;
const DEFAULT_CONCURRENCY = 2;
/** Handlings of one server at the same time: each holds a connection, and requests need some too. */
const MOST_AT_ONCE = 8;

export interface NamedHandler {
  /** `<feature>/<event>`, as it is kept in the database. */
  name: string;
  feature: string;
  handler: EventHandler;
}

export interface DispatcherOptions {
  db: Database;
  log: Log;
  listener: Listener;
  /** Every event that this version raises. */
  events: readonly EventDefinition[];
  handlers: readonly { feature: string; handler: EventHandler }[];
  createCtx: RunCtx;
  /** The wait after so many failed tries, in milliseconds; undefined to give up. */
  retryDelayMs?: (failedTries: number) => number | undefined;
  pollMs?: number;
  stopGraceMs?: number;
}

export interface Dispatcher {
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { db, log, listener, createCtx } = options;
  const { pollMs = 60_000, stopGraceMs = 10_000 } = options;
  const handlers = nameHandlers(options);
  const byEvent = Map.groupBy(handlers, ({ handler }) => handler.event.name);
  const stopping = new AbortController();
  const aborting = new AbortController();
  const parts: DeliverParts = {
    db,
    log,
    createCtx,
    aborting: aborting.signal,
    retryDelayMs: options.retryDelayMs ?? retryDelayMs,
  };
  const bells = {
    raised: createBell(),
    delivered: new Map([...byEvent.keys()].map((name) => [name, createBell()])),
  };
  const places = createPlaces(MOST_AT_ONCE);
  const loops: Promise<void>[] = [];
  const unlisten: (() => void)[] = [];

  /** Repeats some work until the stop; between, waits for the bell or as long as the work says. */
  async function repeat(bell: Bell, what: string, work: () => Promise<number>): Promise<void> {
    while (!stopping.signal.aborted) {
      const heard = bell.count();
      let waitMs = LOOK_AGAIN_MS;
      try {
        waitMs = await work();
      } catch (error) {
        log.error({ err: error }, `cannot ${what}; trying again`);
      }
      if (waitMs > 0) await bell.wait(heard, waitMs, stopping.signal);
    }
  }

  async function consume(named: NamedHandler): Promise<number> {
    const had = await places.use(stopping.signal, () => deliverNext(parts, named));
    if (had) return 0;
    const next = await untilNext(db, named);
    if (next === undefined) return pollMs;
    // One that is due and was not given is in other hands: whoever has it rings no bell, so look again soon.
    return Math.min(Math.max(next, LOOK_AGAIN_MS / 10), next === 0 ? LOOK_AGAIN_MS : pollMs);
  }

  async function sweep(): Promise<number> {
    await db.run(sql`
      delete from event_queue e
       where (name <> all(${[...byEvent.keys()]}::text[]) and created_at < now() - ${UNHANDLED_KEPT}::interval
              and fanned_at is null)
          or (fanned_at = created_at and not exists (select from event_deliveries d where d.event_id = e.id))`);
    return SWEEP_EVERY_MS;
  }

  return {
    async start() {
      unlisten.push(
        await listener.on(EVENTS_CHANGED, () => bells.raised.ring()),
        await listener.on(DELIVERIES_CHANGED, (payload) => {
          for (const [name, bell] of bells.delivered)
            if (payload === undefined || payload === name) bell.ring();
        }),
      );
      if (handlers.length > 0) {
        loops.push(
          repeat(bells.raised, "fan events out", async () =>
            (await fanOut(db, byEvent)) > 0 ? 0 : pollMs,
          ),
        );
      }
      for (const named of handlers) {
        const { event, concurrency = DEFAULT_CONCURRENCY } = named.handler;
        for (let n = 0; n < concurrency; n += 1)
          loops.push(
            repeat(bells.delivered.get(event.name)!, `read the events of ${named.name}`, () =>
              consume(named),
            ),
          );
      }
      loops.push(repeat(createBell(), "delete events that are done with", sweep));
    },
    async stop() {
      stopping.abort();
      for (const end of unlisten) end();
      if (await settlesWithin(Promise.all(loops), stopGraceMs)) return;
      aborting.abort(new Error("The server is stopping."));
      await settlesWithin(Promise.all(loops), STOP_GRACE_MS + 1_000);
    },
  };
}

/** Refuses a handler of an event that no feature raises, and a feature with two handlers of one event. */
function nameHandlers({ events, handlers }: DispatcherOptions): NamedHandler[] {
  const known = new Set(events.map((event) => event.name));
  if (known.size < events.length) throw new Error("Two events have the same name.");
  const named = handlers.map(({ feature, handler }) => ({
    name: `${feature}/${handler.event.name}`,
    feature,
    handler,
  }));
  const names = new Set<string>();
  for (const { name, handler } of named) {
    if (!known.has(handler.event.name))
      throw new Error(`${name}: no feature declares the event ${handler.event.name}.`);
    if (names.has(name)) throw new Error(`${name} has two handlers.`);
    names.add(name);
  }
  return named;
}

/** Wakes who waits; counts, so that a ring that comes while they are busy is not missed. */
interface Bell {
  ring(): void;
  count(): number;
  /** Resolves at the next ring, at once when there was one since `heard`, after `ms`, or at the stop. */
  wait(heard: number, ms: number, stop: AbortSignal): Promise<void>;
}

function createBell(): Bell {
  let rung = 0;
  let ringing = new AbortController();
  return {
    ring() {
      rung += 1;
      ringing.abort();
      ringing = new AbortController();
    },
    count: () => rung,
    async wait(heard, ms, stop) {
      if (rung !== heard || stop.aborted) return;
      await delay(ms, undefined, { signal: AbortSignal.any([ringing.signal, stop]) }).catch(
        () => undefined,
      );
    },
  };
}

/** So many at once; the others wait in the order in which they came. */
function createPlaces(most: number) {
  let taken = 0;
  const waiting: (() => void)[] = [];
  return {
    async use<T>(stop: AbortSignal, work: () => Promise<T>): Promise<T | undefined> {
      if (taken >= most) await new Promise<void>((resolve) => waiting.push(resolve));
      else taken += 1;
      try {
        return stop.aborted ? undefined : await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else taken -= 1;
      }
    },
  };
}
