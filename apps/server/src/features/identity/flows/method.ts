import type { Address } from "#platform/address.ts";
import type { Tx } from "#platform/context.ts";
import type { Proof } from "../code/codes.ts";
import type { Exchange } from "./exchange.ts";
import type { FlowKind } from "./flow-kinds.ts";
import type { AssuranceLevel, ContinueWith, Flow, Phase } from "./flow.ts";
import type { UiText } from "./messages.ts";
import type { Credential, Session } from "../sessions/sessions.ts";
import type { Traits } from "../traits.ts";
import type { NodeGroup, UiNode } from "./ui-nodes.ts";

/**
 * A method is a way to prove who one is or to change something about it: a password, a code, a second factor. It is a
 * plain value, listed by hand in methods.ts. For every kind of flow it serves it has a part, which says what the form
 * shows and what happens with what is sent.
 *
 * The flow core (open-flow, get-flow, submit-flow) knows the five kinds, cookies, CSRF, expiry, pages and programs;
 * a method knows none of these.
 */

/** One request in one flow, as a method sees it. */
export interface Step {
  exchange: Exchange;
  flow: Flow;
  /** Who is signed in: always in settings; in a login that confirms or adds a second factor; nobody else's ever. */
  session?: Session & Credential;
  /** Of a browser that has just been given it, and does not send it yet. */
  secret?: string | undefined;
}

export type Fields = Record<string, unknown>;

/** What becomes of the flow. Absent parts stay, except messages, which are replaced by none. */
export interface FlowChange {
  phase?: Phase;
  messages?: UiText[];
  /** By the name of the field. */
  fieldMessages?: Record<string, UiText[]>;
  /** By the name of the field; shown again. Never a secret. */
  values?: Record<string, string>;
  /** Added to what methods keep, by a key that is the method's name; never shown. Encrypt what is secret. */
  kept?: Record<string, unknown>;
  continueWith?: ContinueWith[];
  /** Seconds, for the header Retry-After. */
  retryAfter?: number;
}

export type Outcome<Done> =
  /** It worked; the kind of flow does the rest. */
  | { done: Done }
  /** The form is shown again with what is wrong. */
  | { refusal: FlowChange }
  /** The flow goes on with a further step. */
  | { goOn: FlowChange }
  /** The browser goes to another address; the flow goes on when it comes back. */
  | { leave: string; change?: FlowChange };

/** Thrown by what runs in the transaction that completes a flow, to undo it and show the form again. */
export class Refused extends Error {
  readonly change: FlowChange;

  constructor(change: FlowChange) {
    super("refused");
    this.name = "Refused";
    this.change = change;
  }
}

export interface LoginDone {
  identityId: string;
  /** In the session's list of authentication methods; the method's name unless said. */
  method?: string;
  /** Which provider, for example of oidc. */
  provider?: string;
  /** In the transaction that makes the session; false when what was shown was used up in the meantime. */
  commit?(tx: Tx): Promise<boolean>;
}

export interface RegistrationDone {
  traits: Traits;
  /** What was typed, shown again when it cannot be taken. */
  values?: Record<string, string>;
  credentials: { type: string; config: object }[];
  /** The address was proven to be theirs, so that no code has to be sent. */
  isVerified?: boolean;
  method?: string;
  provider?: string;
  /** In the transaction that makes the identity; false when what was shown was used up in the meantime. */
  commit?(tx: Tx, identityId: string): Promise<boolean>;
}

export interface SettingsDone {
  /** In one transaction. */
  apply(tx: Tx): Promise<void>;
  change?: FlowChange;
  /** Told to the person by mail: changes of how one signs in. `to` is the address from before a change. */
  notice?: { subject: string; text: string; to?: string };
  /** The address that has to be verified now. */
  newAddress?: Address;
  /** Ends every other session of the person. */
  endsOtherSessions?: boolean;
}

export interface RecoveryDone {
  identityId: string;
  method: string;
  /** Used up by the recovery. */
  proof: Proof;
}

export interface VerificationDone {
  proof: Proof;
}

export interface DoneBy {
  login: LoginDone;
  registration: RegistrationDone;
  settings: SettingsDone;
  recovery: RecoveryDone;
  verification: VerificationDone;
}

export interface MethodPart<Kind extends FlowKind> {
  /** Login only: the levels whose forms show it; aal1 unless said. */
  aal?: readonly AssuranceLevel[];
  /** Settings only: whether this change needs a session that is young enough; it does unless said. */
  isPrivileged?(fields: Fields, step: Step): boolean;
  /** Whether this server and this flow offer it now; they do unless said. */
  isOffered?(step: Step): boolean;
  /** What to keep from the start, before the flow is first shown (a challenge, a new secret). Nothing is written by it. */
  begin?(step: Step): Promise<Record<string, unknown>> | Record<string, unknown>;
  /** What the form shows of it now. Fields of the group `default` are shown once, whoever contributes them. */
  nodes(step: Step): Promise<UiNode[]> | UiNode[];
  /** Whether what was sent is for this method; when absent: whether the field `method` is its name. */
  claims?(fields: Fields): boolean;
  submit(step: Step, fields: Fields): Promise<Outcome<DoneBy[Kind]>>;
}

export type MethodParts = { [Kind in FlowKind]?: MethodPart<Kind> };
export type Method = { name: NodeGroup } & MethodParts;

/** A text field of what was sent; empty when it is absent or no text. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
