import type { Exchange } from "./exchange.ts";
import type { FlowKind } from "./flow-kinds.ts";
import type { Flow, FlowState, FlowType } from "./flow.ts";
import type { DoneBy, Fields, FlowChange, Method, MethodPart, Step } from "./method.ts";
import type { UiText } from "./messages.ts";
import type { SelfServiceError } from "./self-service-error.ts";
import type { Credential, Session } from "../sessions/sessions.ts";
import type { UiNode } from "./ui-nodes.ts";

/** How a flow of a kind begins. */
export interface Opening {
  type: FlowType;
  returnTo?: string;
  session?: Session & Credential;
  identityId?: string;
  state?: Partial<
    Pick<
      FlowState,
      "refresh" | "requested_aal" | "after_verification_return_to" | "phase" | "values" | "kept"
    >
  >;
  /** Said at the top of the form. */
  messages?: UiText[];
}

/** There is nothing to begin: a page is led on, a program is told. */
export interface Elsewhere {
  leaveTo: string;
  error: SelfServiceError;
}

/** What the completion of a flow answers. `gone`: another request was first, and a fresh flow takes its place. */
export type Completion =
  | { reply: unknown }
  | { page: string; body: unknown }
  | { refusal: FlowChange }
  | { goOn: FlowChange }
  | { gone: true };

/** What is particular to a kind of flow; everything that kinds share is in open-flow, get-flow and submit-flow. */
export interface KindRules<Kind extends FlowKind> {
  kind: Kind;
  /** Checks who may begin. */
  open(exchange: Exchange, type: FlowType): Promise<Opening | Elsewhere>;
  /** Who looks at a flow or submits it; throws when they may not. */
  admit(exchange: Exchange, flow: Flow): Promise<(Session & Credential) | undefined>;
  /** Checks before what was sent is looked at: the flow may have become pointless. */
  check?(step: Step): Elsewhere | undefined;
  /** Checks before a method gets what was sent. */
  checkPart?(step: Step, part: MethodPart<Kind>, fields: Fields): Promise<Elsewhere | undefined>;
  /** Whether a method's part is offered in this flow as it is now. */
  offers?(step: Step, method: Method, part: MethodPart<Kind>): boolean;
  /** Said at the top of a fresh form. */
  greeting?(state: FlowState, exchange: Exchange): UiText[];
  /** Fields that methods share; they come first. */
  nodes?(step: Step): UiNode[];
  /** Where the form goes, when not to this server. */
  target?(step: Step): { action: string; method: "GET" } | undefined;
  /** Parts of the answer that only this kind has. */
  body?(step: Step): object;
  complete(step: Step, method: Method, done: DoneBy[Kind]): Promise<Completion>;
}

export const isElsewhere = (opening: Opening | Elsewhere): opening is Elsewhere =>
  "leaveTo" in opening;
