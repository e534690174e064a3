import { messages, type UiText } from "./messages.ts";

export const flowKindNames = [
  "login",
  "registration",
  "recovery",
  "verification",
  "settings",
] as const;
export type FlowKind = (typeof flowKindNames)[number];

interface FlowKindFacts {
  /** Below the base address; forms are posted there. */
  path: string;
  /** Where the console shows it. */
  page: string;
  /** In sentences. */
  name: string;
  /** Said when a flow that had ended was replaced. */
  expired(at: Date): UiText;
  /** Said when no method takes what was sent. */
  noMethod: UiText;
  /** Status of a flow that goes on with a further step, for example after a code was sent. */
  goesOnWith: 200 | 400;
  /** Whether a program that sends an expired flow is led to the fresh one rather than told its id. */
  leadsOn: boolean;
}

const selfService = "/api/.ory/self-service";

/** What every kind of flow has, in one place. */
export const flowKinds: Record<FlowKind, FlowKindFacts> = {
  login: {
    path: `${selfService}/login`,
    page: "/login",
    name: "login flow",
    expired: messages.flowExpired.login,
    noMethod: messages.noMethod.login,
    goesOnWith: 400,
    leadsOn: false,
  },
  registration: {
    path: `${selfService}/registration`,
    page: "/registration",
    name: "registration flow",
    expired: messages.flowExpired.registration,
    noMethod: messages.noMethod.registration,
    goesOnWith: 400,
    leadsOn: false,
  },
  recovery: {
    path: `${selfService}/recovery`,
    page: "/recovery",
    name: "recovery flow",
    expired: messages.flowExpired.recovery,
    noMethod: messages.noMethod.recovery,
    goesOnWith: 200,
    leadsOn: true,
  },
  verification: {
    path: `${selfService}/verification`,
    page: "/verification",
    name: "verification flow",
    expired: messages.flowExpired.verification,
    noMethod: messages.noMethod.verification,
    goesOnWith: 200,
    leadsOn: true,
  },
  settings: {
    path: `${selfService}/settings`,
    page: "/profile-settings",
    name: "settings flow",
    expired: messages.flowExpired.settings,
    noMethod: messages.noMethod.settings,
    goesOnWith: 200,
    leadsOn: false,
  },
};
