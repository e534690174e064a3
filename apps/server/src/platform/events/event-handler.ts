import type { EventDefinition } from "@mainstay/contract";
import type { Ctx } from "../context.ts";

/**
 * What a feature does when something has happened. Called at least once for each event, so it may run twice without
 * mattering; what takes long it enqueues as a job. Its writes commit together with the fact that it is done.
 */
export interface EventHandler<Payload extends object = object> {
  event: EventDefinition<Payload>;
  /** Handlings on one server at the same time; 2 unless said. */
  concurrency?: number;
  /** A try that takes longer has failed; a minute unless said. */
  timeoutMs?: number;
  /**
   * Events of one subject are handled one after the other, in the order in which they were raised: while an earlier one
   * waits to be tried again, so do the later ones. Without it only an event that is raised again waits for itself.
   */
  subject?(payload: Payload): string;
  run(ctx: Ctx, payload: Payload): Promise<void>;
}

/** Keeps the payload's type while the handlers are gathered in lists. */
export const onEvent = <Payload extends object>(
  event: EventDefinition<Payload>,
  handler: Omit<EventHandler<Payload>, "event">,
): EventHandler<Payload> => ({ ...handler, event });
