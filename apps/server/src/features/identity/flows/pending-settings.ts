import sql from "sql-template-tag";
import type { Exchange } from "./exchange.ts";
import { change } from "./change-flow.ts";
import type { Flow } from "./flow.ts";
import type { Fields, Step } from "./method.ts";

/**
 * A change of settings that waits until the person has confirmed who they are, so that they need not type it again. It
 * is kept with its flow, encrypted, as it may be a password; it was sent by the flow's own browser, and only that takes
 * it up again, once, and soon.
 */

/** Whoever has gone away in the middle does not find it done the next time they confirm who they are. */
const LIFESPAN_MS = 15 * 60 * 1000;

interface Pending {
  fields: Fields;
  /** ISO. */
  at: string;
}

const place = (flow: Flow) => `settings ${flow.id}`;

export async function keepPending(step: Step, fields: Fields): Promise<void> {
  const { ctx, encryption } = step.exchange;
  const { csrf_token: _token, ...kept } = fields;
  const pending: Pending = { fields: kept, at: ctx.clock.now().toISOString() };
  await change(step, {
    kept: { pending: encryption.encrypt(JSON.stringify(pending), place(step.flow)) },
  });
}

/** What was sent, for who takes it up first. */
export async function takePending(
  { ctx, encryption }: Exchange,
  flow: Flow,
): Promise<Fields | undefined> {
  const kept = flow.state.kept.pending;
  if (typeof kept !== "string") return undefined;
  const taken = await ctx.db.run(sql`
    update identity_flows set state = state #- '{kept,pending}'
     where id = ${flow.id} and state #>> '{kept,pending}' = ${kept}`);
  if (taken === 0) return undefined;
  const { fields, at } = JSON.parse(encryption.decrypt(kept, place(flow))) as Pending;
  return ctx.clock.now().getTime() - new Date(at).getTime() <= LIFESPAN_MS ? fields : undefined;
}
