import { get, post, request } from "#lib/api.ts";
import type { Flow, FlowValues } from "./flow.ts";

/** The identity service's calls (K1–K4, K17–K19). None of them leaves for the sign-in by itself: they are the sign-in. */

const service = "/api/.ory";
const asked = { onSignedOut: "reject" } as const;

/** Succeeds for whoever is signed in. */
export const checkSession = (signal?: AbortSignal) =>
  request(`${service}/sessions/whoami`, { ...asked, ...(signal ? { signal } : {}) });

export function createLoginFlow(options: {
  refresh: boolean;
  aal: string;
  returnTo: string;
}): Promise<Flow> {
  const query = new URLSearchParams({
    refresh: String(options.refresh),
    aal: options.aal,
    return_to: options.returnTo,
  });
  return get<Flow>(`${service}/self-service/login/browser?${query.toString()}`, asked);
}

export const readLoginFlow = (flowId: string): Promise<Flow> =>
  get<Flow>(`${service}/self-service/login/flows?id=${encodeURIComponent(flowId)}`, asked);

export const submitLogin = (flowId: string, values: FlowValues): Promise<unknown> =>
  post(`${service}/self-service/login?flow=${encodeURIComponent(flowId)}`, values, asked);

export const createLogout = (): Promise<{ logout_token: string }> =>
  get(`${service}/self-service/logout/browser`, asked);

export function logOut(token: string, returnTo: string): Promise<unknown> {
  const query = new URLSearchParams({ token, return_to: returnTo });
  return request(`${service}/self-service/logout?${query.toString()}`, asked);
}

export const readFlowError = (errorId: string, signal: AbortSignal): Promise<unknown> =>
  get(`${service}/self-service/errors?id=${encodeURIComponent(errorId)}`, { ...asked, signal });
