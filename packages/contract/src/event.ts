import type { z } from "zod";

/**
 * Something that happened, as other features hear of it: a name and what is said with it. Written in the transaction
 * that made it happen, so it is never told of something that was undone.
 */
export interface EventDefinition<Payload extends object = object> {
  name: string;
  payload: z.ZodType<Payload>;
}

/** Keeps the payload's type while the definitions are gathered in lists. */
export const defineEvent = <Payload extends object>(
  event: EventDefinition<Payload>,
): EventDefinition<Payload> => event;
