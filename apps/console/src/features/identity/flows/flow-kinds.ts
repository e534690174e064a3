import { ApiError, messageOf } from "#lib/api-error.ts";
import { paths, safeReturnTo } from "#lib/paths.ts";
import type { RawSearch } from "#lib/search-params.ts";
import { flowFailure, type FlowFailure } from "./flow-failure.ts";
import { type Flow, type FlowName, isFlow } from "./flow.ts";

/** What distinguishes one flow from another for its page (K2–K16). */
export interface FlowKind {
  name: FlowName;
  /** The query of the call that makes a flow, from the page's address. */
  newQuery: (address: RawSearch) => Record<string, string>;
  /** What follows an accepted form: another page, or the flow's next step. */
  accepted: (body: unknown, flow: Flow, address: RawSearch) => { to: string } | { flow: Flow };
  refused: (error: unknown, here: string) => FlowFailure;
}

/** A flow may name its return address in full; only a path of this origin is followed. */
function pathOf(address: string): string {
  const url = URL.parse(address, window.location.origin);
  return url?.origin === window.location.origin ? `${url.pathname}${url.search}${url.hash}` : "/";
}

const returnPath = (flow: Flow, address: RawSearch): string =>
  safeReturnTo(flow.return_to ? pathOf(flow.return_to) : address.return_to);

/** Passed on only when it was given: without one the service has its own idea of where to go. */
const givenReturn = (name: string, address: RawSearch): Record<string, string> =>
  address.return_to ? { [name]: safeReturnTo(address.return_to) } : {};

/** Whether the accepted form wants an address verified first, and by which flow. */
export function verificationOf(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null || !("continue_with" in body)) return undefined;
  const steps: unknown[] = Array.isArray(body.continue_with) ? body.continue_with : [];
  for (const step of steps) {
    const { action, flow } = step as { action?: string; flow?: { id?: string } };
    if (action === "show_verification_ui" && typeof flow?.id === "string") return flow.id;
  }
  return undefined;
}

function nextStep(body: unknown, flow: Flow): { flow: Flow } {
  return { flow: isFlow(body) ? body : flow };
}

export const loginFlow: FlowKind = {
  name: "login",
  newQuery: (address) => ({
    refresh: String(address.refresh === "true"),
    aal: address.aal ?? "",
    return_to: safeReturnTo(address.return_to),
  }),
  accepted: (_body, flow, address) => ({ to: returnPath(flow, address) }),
  refused: flowFailure,
};

export const registrationFlow: FlowKind = {
  name: "registration",
  newQuery: (address) => givenReturn("after_verification_return_to", address),
  accepted: (body, flow, address) => {
    const verification = verificationOf(body);
    return {
      to:
        verification === undefined
          ? returnPath(flow, address)
          : paths.verification({ flow: verification }),
    };
  },
  refused: flowFailure,
};

export const recoveryFlow: FlowKind = {
  name: "recovery",
  newQuery: (address) => givenReturn("return_to", address),
  accepted: nextStep,
  refused: flowFailure,
};

export const verificationFlow: FlowKind = {
  name: "verification",
  newQuery: (address) => givenReturn("return_to", address),
  accepted: nextStep,
  refused: (error) => {
    const status = error instanceof ApiError ? error.status : 0;
    if (status === 410 || status === 403) return { kind: "restart" };
    if (status === 400 && error instanceof ApiError && error.request.startsWith("GET"))
      return { kind: "leave", to: paths.home() };
    return { kind: "show", message: messageOf(error) };
  },
};

export const settingsFlow: FlowKind = {
  name: "settings",
  newQuery: (address) => givenReturn("return_to", address),
  accepted: nextStep,
  refused: flowFailure,
};
