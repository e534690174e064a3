import { get, post, request } from "#lib/api.ts";
import type { Flow, FlowName, FlowValues } from "../flows/flow.ts";

/** The identity service's calls (K1–K19). None of them leaves for the sign-in by itself: they are the sign-in. */

const service = "/api/.ory";
const asked = { onSignedOut: "reject" } as const;
const flowPath = (name: FlowName) => `${service}/self-service/${name}`;

/** Succeeds for whoever is signed in. */
export const checkSession = (signal?: AbortSignal) =>
  request(`${service}/sessions/whoami`, { ...asked, ...(signal ? { signal } : {}) });

export function createFlow(name: FlowName, query: Record<string, string>): Promise<Flow> {
  const search = new URLSearchParams(query).toString();
  return get<Flow>(`${flowPath(name)}/browser${search === "" ? "" : `?${search}`}`, asked);
}

export const readFlow = (name: FlowName, flowId: string): Promise<Flow> =>
  get<Flow>(`${flowPath(name)}/flows?id=${encodeURIComponent(flowId)}`, asked);

export const submitFlow = (name: FlowName, flowId: string, values: FlowValues): Promise<unknown> =>
  post(`${flowPath(name)}?flow=${encodeURIComponent(flowId)}`, values, asked);

export const createLogout = (): Promise<{ logout_token: string }> =>
  get(`${service}/self-service/logout/browser`, asked);

export function logOut(token: string, returnTo: string): Promise<unknown> {
  const query = new URLSearchParams({ token, return_to: returnTo });
  return request(`${service}/self-service/logout?${query.toString()}`, asked);
}

export const readFlowError = (errorId: string, signal: AbortSignal): Promise<unknown> =>
  get(`${service}/self-service/errors?id=${encodeURIComponent(errorId)}`, { ...asked, signal });

/** A place where somebody is signed in. */
export interface DeviceSession {
  id: string;
  active?: boolean;
  authenticated_at?: string;
  expires_at?: string;
  issued_at?: string;
  last_seen_at?: string;
  authenticator_assurance_level?: string;
  devices?: { id: string; ip_address?: string; user_agent?: string; location?: string }[];
}

export const readOwnSession = (signal: AbortSignal): Promise<DeviceSession> =>
  get(`${service}/sessions/whoami`, { signal });

/** The other sessions of whoever asks, without the one asking. */
export const listOtherSessions = (signal: AbortSignal): Promise<DeviceSession[]> =>
  get(`${service}/sessions?per_page=250`, { signal });

export const revokeSession = (sessionId: string): Promise<unknown> =>
  request(`${service}/sessions/${encodeURIComponent(sessionId)}`, { method: "DELETE" });

export const revokeOtherSessions = (): Promise<unknown> =>
  request(`${service}/sessions`, { method: "DELETE" });
