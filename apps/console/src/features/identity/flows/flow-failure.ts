import { ApiError, messageOf } from "#lib/api-error.ts";
import { paths, safeReturnTo } from "#lib/paths.ts";

/**
 * What to do when the identity service refuses (call table of section 1; texts of document 3, section 8); verification
 * has its own rows. Where the service says where to go on, the browser goes there: it knows what is to be done after.
 */
export type FlowFailure =
  | { kind: "go"; to: string }
  | { kind: "leave"; to: string }
  /** `flowId`: the flow that the service has made in place of the one that ended. */
  | { kind: "restart"; message?: string; flowId?: string }
  | { kind: "show"; message: string };

const texts: Record<string, string> = {
  self_service_flow_return_to_forbidden: "The return_to address is not allowed.",
  self_service_flow_expired: "Your interaction expired, please fill out the form again.",
  security_csrf_violation: "A security violation was detected, please fill out the form again.",
};

interface FlowErrorBody {
  error?: { id?: string };
  redirect_browser_to?: string;
  use_flow_id?: string;
}

/** Only addresses that a browser opens as pages, never a script; the service may name another host. */
export const isPageAddress = (address: string | undefined): address is string =>
  address !== undefined && /^(https?:\/\/|\/(?![/\\]))/.test(address);

export function flowFailure(error: unknown, here: string): FlowFailure {
  if (!(error instanceof ApiError)) return { kind: "show", message: messageOf(error) };
  const body = (error.body ?? {}) as FlowErrorBody;
  const id = body.error?.id ?? "";
  const redirect = body.redirect_browser_to;
  const successor = typeof body.use_flow_id === "string" ? { flowId: body.use_flow_id } : {};
  switch (id) {
    case "session_inactive":
      return { kind: "go", to: paths.login({ return_to: here }) };
    case "session_aal1_required": {
      // A second step with nobody to take it: begin with the first, and go where this one would have led.
      const returnTo = new URLSearchParams(here.split("?")[1] ?? "").get("return_to");
      return { kind: "go", to: paths.login({ return_to: safeReturnTo(returnTo ?? undefined) }) };
    }
    case "session_aal2_required":
      return isPageAddress(redirect)
        ? { kind: "leave", to: redirect }
        : { kind: "go", to: paths.login({ aal: "aal2", return_to: here }) };
    case "session_already_available":
      return { kind: "go", to: paths.home() };
    case "session_refresh_required":
      return isPageAddress(redirect)
        ? { kind: "leave", to: redirect }
        : { kind: "go", to: paths.login({ refresh: true, return_to: here }) };
    case "browser_location_change_required":
      return isPageAddress(redirect)
        ? { kind: "leave", to: redirect }
        : { kind: "show", message: error.message };
    case "self_service_flow_return_to_forbidden":
    case "self_service_flow_expired":
    case "security_csrf_violation":
      return { kind: "restart", message: texts[id] ?? "", ...successor };
    case "security_identity_mismatch":
      return { kind: "restart" };
    default:
      return error.status === 410
        ? { kind: "restart", ...successor }
        : { kind: "show", message: error.message };
  }
}
