import {
  type Action,
  type EventDefinition,
  isAllowed,
  type Resource,
  type Role,
} from "@mainstay/contract";
import type { Clock } from "./clock.ts";
import type { Config } from "./config.ts";
import type { Database, Queryable, TransactionOptions } from "./db/database.ts";
import { forbidden, unauthenticated } from "./errors.ts";
import type { JobDefinition, Progress } from "./jobs/job.ts";
import type { Log } from "./log.ts";
import { createServices, type ServiceOf } from "./service.ts";

/** On whose behalf something happens. `system` is the program itself and may do everything. */
export type Actor =
  | {
      kind: "person";
      id: string;
      name: string;
      email: string | null;
      roles: readonly Role[];
      /** Of whoever is signed in; a program comes with a token instead. */
      sessionId?: string;
      /** When what the request came with, a session or a token, ends by itself. */
      endsAt?: Date;
      /** The access token that the request came with. */
      token?: { id: string; name: string };
    }
  | { kind: "system" }
  | { kind: "anonymous"; readOnly: boolean; resources: readonly Resource[] };

/** A transaction that can also say what follows from it: jobs and events commit with the rows, or not at all. */
export interface Tx extends Queryable {
  enqueue<Payload extends object>(
    job: JobDefinition<Payload>,
    payload: Payload,
    options?: EnqueueOptions,
  ): Promise<void>;
  /** One row of the outbox; the same event with the same payload arms the row again that is already waiting. */
  emit<Payload extends object>(event: EventDefinition<Payload>, payload: Payload): Promise<void>;
}

export interface EnqueueOptions {
  /** Not before. */
  startAfter?: Date;
  /** At most one waiting job with this key. */
  singletonKey?: string;
}

/** What every verb gets as its first argument; nothing reaches for a global. */
export interface Ctx {
  readonly actor: Actor;
  /** Where a request came from; nothing for the program's own work. */
  readonly origin: Origin | undefined;
  readonly config: Config;
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborted when the asker has gone or the server stops. */
  readonly signal: AbortSignal;
  /** Says how far a run of a job has come, in its history; nothing outside of one. */
  progress(report: Progress): Promise<void>;
  /** What a feature keeps for as long as the program runs; the same in every context of a program. */
  readonly service: ServiceOf;
  can(resource: Resource, action: Action): boolean;
  /** Throws unauthenticated or forbidden. */
  require(resource: Resource, action: Action): void;
  tx<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** What tells the database's triggers who stands behind a write; every transaction of this context has it set. */
  readonly triggerSettings: Readonly<Record<string, string>>;
  as(actor: Actor): Ctx;
  /** The same, with some parts exchanged: a request's log, a job's signal, the open transaction of an event. */
  with(
    parts: Partial<Pick<CtxParts, "actor" | "origin" | "log" | "signal" | "db" | "progress">>,
  ): Ctx;
}

export function actorCan(
  actor: Actor,
  config: Pick<Config, "codeRoles">,
  resource: Resource,
  action: Action,
): boolean {
  switch (actor.kind) {
    case "system":
      return true;
    case "person":
      return isAllowed(actor.roles, resource, action, config);
    case "anonymous":
      return actor.resources.includes(resource) && (action === "read" || !actor.readOnly);
  }
}

/** Where a request came from. */
export interface Origin {
  address: string;
  requestId: string;
}

/** Tells the database who stands behind a transaction, so that changes can be written down. The program itself does not count. */
function actorSetting(actor: Actor, origin: Origin | undefined): Record<string, string> {
  if (actor.kind !== "person") return {};
  const { id, name, token } = actor;
  const said = {
    id,
    name,
    token: token?.name,
    address: origin?.address,
    request: origin?.requestId,
  };
  return { "mainstay.actor": JSON.stringify(said) };
}

export interface CtxParts {
  actor: Actor;
  /** Of what somebody asked for; the program's own work has none. */
  origin?: Origin;
  config: Config;
  db: Database;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
  progress?: Ctx["progress"];
  toTx: (queryable: Queryable) => Tx;
}

/** The context of a program; those of its requests, jobs and events are made from it and share its services. */
export const createCtx = (parts: CtxParts): Ctx => contextOf(parts, createServices(parts));

function contextOf(parts: CtxParts, service: ServiceOf): Ctx {
  const { actor, config, db, clock, log, signal, toTx } = parts;
  const can = (resource: Resource, action: Action) => actorCan(actor, config, resource, action);
  const triggerSettings = actorSetting(actor, parts.origin);
  return {
    actor,
    origin: parts.origin,
    config,
    db,
    clock,
    log,
    signal,
    progress: parts.progress ?? (async () => undefined),
    service,
    can,
    require(resource, action) {
      if (can(resource, action)) return;
      if (actor.kind === "anonymous" && actor.resources.length === 0) throw unauthenticated();
      throw forbidden(`You do not have permission to ${action} ${resource.replaceAll("_", " ")}.`);
    },
    triggerSettings,
    tx: (work, options) =>
      db.transaction((queryable) => work(toTx(queryable)), {
        ...options,
        settings: { ...triggerSettings, ...options?.settings },
      }),
    as: (other) => contextOf({ ...parts, actor: other }, service),
    with: (changes) => contextOf({ ...parts, ...changes }, service),
  };
}
