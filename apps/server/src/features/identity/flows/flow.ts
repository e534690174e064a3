import sql from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";
import type { FlowKind } from "./flow-kinds.ts";
import type { UiText } from "./messages.ts";
import type { NodeGroup } from "./ui-nodes.ts";

/** What a client and this server have begun together. Browser flows live on cookies and a CSRF token; API flows refuse both. */
export type FlowType = "browser" | "api";

export const assuranceLevels = ["aal1", "aal2"] as const;
export type AssuranceLevel = (typeof assuranceLevels)[number];

export type Phase = "choose_method" | "sent_email" | "passed_challenge" | "show_form" | "success";

/** What a client should do after its flow. */
export type ContinueWith =
  | {
      action: "show_verification_ui";
      flow: { id: string; verifiable_address: string; url?: string };
    }
  | { action: "show_settings_ui"; flow: { id: string; url?: string } }
  | { action: "set_ory_session_token"; ory_session_token: string }
  | { action: "redirect_browser_to"; redirect_browser_to: string };

/** What a flow remembers between requests. */
export interface FlowState {
  request_url: string;
  phase: Phase;
  /** The method last submitted. */
  active?: NodeGroup;
  messages: UiText[];
  /** By the name of the field they belong to. */
  field_messages: Record<string, UiText[]>;
  /** What was typed, by the name of the field, to be shown again. Never a secret. */
  values: Record<string, string>;
  /** What methods keep for themselves, by method; never shown. Encrypt what is secret. */
  kept: Record<string, unknown>;
  /** Login only. */
  refresh?: boolean;
  requested_aal?: AssuranceLevel;
  /** Registration only: where to go once the address is verified. */
  after_verification_return_to?: string;
  continue_with?: ContinueWith[];
}

export interface Flow {
  id: string;
  kind: FlowKind;
  type: FlowType;
  state: FlowState;
  csrf_hash: string | null;
  return_to: string | null;
  /** Whose flow it is, when that is known from the start. */
  identity_id: string | null;
  issued_at: Date;
  updated_at: Date;
  expires_at: Date;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
export const isUuid = (id: unknown): id is string => typeof id === "string" && uuid.test(id);

const columns = sql`id, kind, type, state, csrf_hash, return_to, identity_id, issued_at, updated_at, expires_at`;

export async function findFlow(
  db: Queryable,
  kind: FlowKind,
  id: unknown,
): Promise<Flow | undefined> {
  if (!isUuid(id)) return undefined;
  return await db.first<Flow>(
    sql`select ${columns} from identity_flows where id = ${id} and kind = ${kind}`,
  );
}

export async function insertFlow(db: Queryable, flow: Flow): Promise<void> {
  await db.run(sql`
    insert into identity_flows (${columns})
    values (${flow.id}, ${flow.kind}, ${flow.type}, ${JSON.stringify(flow.state)}::jsonb, ${flow.csrf_hash},
            ${flow.return_to}, ${flow.identity_id}, ${flow.issued_at}, ${flow.updated_at}, ${flow.expires_at})`);
}

export async function saveFlowState(
  db: Queryable,
  flow: Flow,
  state: FlowState,
  now: Date,
): Promise<Flow> {
  await db.run(sql`
    update identity_flows set state = ${JSON.stringify(state)}::jsonb, updated_at = ${now}
     where id = ${flow.id} and expires_at > ${now} and state ->> 'ended' is null`);
  return { ...flow, state, updated_at: now };
}

/** Ends the flow for good; false when another request has ended it first. */
export async function endFlow(db: Queryable, id: string, now: Date): Promise<boolean> {
  // Not by the time alone: of two requests at once, the later in the database may have looked at the clock earlier.
  const ended = await db.run(sql`
    update identity_flows set expires_at = ${now}, updated_at = ${now}, state = state || '{"ended": true}'
     where id = ${id} and expires_at > ${now} and state ->> 'ended' is null`);
  return ended === 1;
}
