import { isFlowOwner } from "./csrf.ts";
import { type Exchange, wantsPage } from "./exchange.ts";
import { flowKinds } from "./flow-kinds.ts";
import { findFlow } from "./flow.ts";
import type { Step } from "./method.ts";
import { bodyOf, pageOf } from "./open-flow.ts";
import { takePending } from "./pending-settings.ts";
import { csrfViolation, notLocated } from "./self-service-error.ts";
import { settings } from "./settings.ts";
import { replaceExpired, takeFields } from "./submit-flow.ts";

/** Where a browser comes back to after it has confirmed who it is: what it sent before is done now. */
export async function continueSettings(exchange: Exchange): Promise<unknown> {
  const { ctx, query, request, reply } = exchange;
  const found = await findFlow(ctx.db, "settings", query.flow);
  if (found?.type !== "browser") throw notLocated(flowKinds.settings.name);
  if (!isFlowOwner(request, found.csrf_hash))
    throw csrfViolation(
      "The form was opened by another browser, or its cookies are gone. Start again, with cookies allowed.",
    );
  const session = await settings.admit(exchange, found);
  const step: Step = { exchange, flow: found, ...(session ? { session } : {}) };
  if (found.expires_at <= ctx.clock.now()) return await replaceExpired(settings, step);
  const fields = await takePending(exchange, found);
  const { pending: _taken, ...kept } = found.state.kept;
  const flow = { ...found, state: { ...found.state, kept } };
  if (fields) return await takeFields(settings, { ...step, flow }, fields);
  return wantsPage(exchange)
    ? reply.redirect(pageOf(flow), 303)
    : await bodyOf(settings, { ...step, flow });
}
