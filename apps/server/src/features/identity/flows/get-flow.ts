import { isFlowOwner } from "./csrf.ts";
import type { Exchange } from "./exchange.ts";
import { type FlowKind, flowKinds } from "./flow-kinds.ts";
import { findFlow } from "./flow.ts";
import type { KindRules } from "./kind-rules.ts";
import { bodyOf } from "./open-flow.ts";
import { baseUrl } from "../sessions/request-origin.ts";
import { csrfViolation, notLocated, SelfServiceError } from "./self-service-error.ts";

/** A flow as it is now, for the browser that started it. */
export async function getFlow<Kind extends FlowKind>(
  exchange: Exchange,
  rules: KindRules<Kind>,
): Promise<object> {
  const { ctx, config, request, query } = exchange;
  const { name, path } = flowKinds[rules.kind];
  const flow = await findFlow(ctx.db, rules.kind, query.id);
  if (!flow) throw notLocated(name);
  if (flow.type === "browser" && !isFlowOwner(request, flow.csrf_hash)) {
    throw csrfViolation(
      "The flow was started by another browser, or its cookies are gone. Start again, with cookies allowed.",
    );
  }
  const session = await rules.admit(exchange, flow);
  if (flow.expires_at <= ctx.clock.now()) {
    const search = flow.return_to
      ? `?${new URLSearchParams({ return_to: flow.return_to }).toString()}`
      : "";
    const again = `${baseUrl(request, config)}${path}/${flow.type}`;
    throw new SelfServiceError({
      status: 410,
      id: "self_service_flow_expired",
      message: "The flow has expired",
      reason: `The ${name} has expired or was completed. Start a new one.`,
      details:
        flow.type === "browser"
          ? { redirect_to: again + search, return_to: flow.return_to ?? "" }
          : { api: again },
    });
  }
  return await bodyOf(rules, { exchange, flow, ...(session ? { session } : {}) });
}
