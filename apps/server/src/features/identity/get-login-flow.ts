import { isFlowOwner, readSecret } from "./csrf.ts";
import type { Exchange } from "./exchange.ts";
import { findFlow } from "./flow.ts";
import { LOGIN_PATH, type LoginFlowBody, type LoginState } from "./login-flow.ts";
import { baseUrl } from "./request-origin.ts";
import { csrfViolation, notLocated, SelfServiceError } from "./self-service-error.ts";
import { show } from "./start-login.ts";

/** A flow as it is now, for the browser that started it. */
export async function getLoginFlow(exchange: Exchange): Promise<LoginFlowBody> {
  const { ctx, config, request, query } = exchange;
  const flow = await findFlow<LoginState>(ctx.db, "login", query.id);
  if (!flow) throw notLocated("login flow");
  if (flow.type === "browser" && !isFlowOwner(request, flow.csrf_hash)) {
    throw csrfViolation(
      "The flow was started by another browser, or its cookies are gone. Start again, with cookies allowed.",
    );
  }
  if (flow.expires_at <= ctx.clock.now()) {
    const again = `${baseUrl(request, config)}${LOGIN_PATH}/${flow.type}`;
    throw new SelfServiceError({
      status: 410,
      id: "self_service_flow_expired",
      message: "The flow has expired",
      reason: "The login flow has expired or was completed. Start a new one.",
      details:
        flow.type === "browser"
          ? { redirect_to: again, return_to: flow.return_to ?? "" }
          : { api: again },
    });
  }
  return show(exchange, flow, flow.type === "browser" ? readSecret(request) : undefined);
}
