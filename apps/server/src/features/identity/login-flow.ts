import type { Flow, FlowType } from "./flow.ts";
import { messages, type UiText } from "./messages.ts";

export const assuranceLevels = ["aal1", "aal2"] as const;
export type AssuranceLevel = (typeof assuranceLevels)[number];

/** What a login flow remembers between requests. */
export interface LoginState {
  refresh: boolean;
  requested_aal: AssuranceLevel;
  request_url: string;
  /** The method last submitted. */
  active?: string;
  /** The address last typed, or of the person who confirms who they are. */
  identifier?: string;
  messages: UiText[];
  /** By the name of the field they belong to. */
  field_messages: Record<string, UiText[]>;
}

export interface InputNode {
  type: "input";
  group: "default" | "password";
  attributes: {
    name: string;
    type: "text" | "password" | "hidden" | "submit";
    value?: string;
    required?: boolean;
    autocomplete?: "email" | "current-password";
    maxlength?: number;
    disabled: boolean;
    node_type: "input";
  };
  messages: UiText[];
  meta: { label?: UiText };
}

/** A login flow as clients see it. */
export interface LoginFlowBody {
  id: string;
  type: FlowType;
  expires_at: Date;
  issued_at: Date;
  created_at: Date;
  updated_at: Date;
  request_url: string;
  return_to?: string;
  active?: string;
  refresh: boolean;
  requested_aal: AssuranceLevel;
  organization_id: null;
  state: "choose_method" | "passed_challenge";
  ui: { action: string; method: "POST"; nodes: InputNode[]; messages?: UiText[] };
}

export const LOGIN_PATH = "/api/.ory/self-service/login";

export function toLoginFlowBody(
  flow: Flow<LoginState>,
  parts: { baseUrl: string; csrfToken: string },
): LoginFlowBody {
  const { state } = flow;
  return {
    id: flow.id,
    type: flow.type,
    expires_at: flow.expires_at,
    issued_at: flow.issued_at,
    created_at: flow.issued_at,
    updated_at: flow.updated_at,
    request_url: state.request_url,
    ...(flow.return_to ? { return_to: flow.return_to } : {}),
    ...(state.active ? { active: state.active } : {}),
    refresh: state.refresh,
    requested_aal: state.requested_aal,
    organization_id: null,
    state: "choose_method",
    ui: {
      action: `${parts.baseUrl}${LOGIN_PATH}?flow=${flow.id}`,
      method: "POST",
      nodes: nodesOf(state, parts.csrfToken),
      ...(state.messages.length > 0 ? { messages: state.messages } : {}),
    },
  };
}

function nodesOf(state: LoginState, csrfToken: string): InputNode[] {
  const node = (
    group: InputNode["group"],
    attributes: Omit<InputNode["attributes"], "disabled" | "node_type">,
    label?: UiText,
  ): InputNode => ({
    type: "input",
    group,
    attributes: { ...attributes, disabled: false, node_type: "input" },
    messages: state.field_messages[attributes.name] ?? [],
    meta: label ? { label } : {},
  });
  const csrf = node("default", {
    name: "csrf_token",
    type: "hidden",
    value: csrfToken,
    required: true,
  });
  // There is no second factor to offer yet.
  if (state.requested_aal === "aal2") return [csrf];
  const value = state.identifier ?? "";
  return [
    csrf,
    state.refresh
      ? node("default", { name: "identifier", type: "hidden", value })
      : node(
          "default",
          {
            name: "identifier",
            type: "text",
            value,
            required: true,
            autocomplete: "email",
            maxlength: 320,
          },
          messages.emailLabel,
        ),
    node(
      "password",
      { name: "password", type: "password", required: true, autocomplete: "current-password" },
      messages.passwordLabel,
    ),
    node("password", { name: "method", type: "submit", value: "password" }, messages.signIn),
  ];
}
