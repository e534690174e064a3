/**
 * A self-service flow as the identity service describes it: which fields to show and what it says about them. The page
 * draws what it is told and knows nothing about methods.
 */

export type FlowName = "login" | "registration" | "recovery" | "verification" | "settings";

export interface FlowMessage {
  id: number;
  text: string;
  type: "info" | "error" | "success";
  context?: Record<string, unknown>;
}

export interface InputAttributes {
  node_type: "input";
  name: string;
  type: string;
  value?: string | boolean | number | null;
  required?: boolean;
  disabled?: boolean;
  autocomplete?: string;
  pattern?: string;
  maxlength?: number;
  /** What the service's own script would do with the button; this console has its own (`web-authn.ts`). */
  onclick?: string;
  onclickTrigger?: string;
  onloadTrigger?: string;
  label?: { text: string };
}

export type NodeAttributes =
  | InputAttributes
  | { node_type: "text"; id: string; text: Omit<FlowMessage, "type"> & { type?: string } }
  | { node_type: "img"; id: string; src: string; width?: number; height?: number }
  | { node_type: "a"; id: string; href: string; title: { text: string } }
  | { node_type: "script"; id: string; src: string };

export interface FlowNode {
  group: string;
  type: string;
  attributes: NodeAttributes;
  messages: FlowMessage[];
  meta: { label?: { text: string } };
}

export interface Flow {
  id: string;
  return_to?: string;
  refresh?: boolean;
  requested_aal?: string;
  /** Whether people may register; only the built-in service says so. */
  registration_open?: boolean;
  state?: string;
  ui: { action: string; method: string; messages?: FlowMessage[]; nodes: FlowNode[] };
}

export type FlowValues = Record<string, string | boolean | number>;

export type InputNode = FlowNode & { attributes: InputAttributes };

export const isInput = (node: FlowNode): node is InputNode => node.attributes.node_type === "input";
export const isButton = (node: InputNode): boolean =>
  ["submit", "button"].includes(node.attributes.type);
export const isHidden = (node: InputNode): boolean => node.attributes.type === "hidden";

/** Whether a body has the shape of a flow: what a 400 on a submitted flow carries. */
export function isFlow(body: unknown): body is Flow {
  if (typeof body !== "object" || body === null || !("id" in body) || !("ui" in body)) return false;
  const { ui } = body;
  return typeof ui === "object" && ui !== null && "nodes" in ui && Array.isArray(ui.nodes);
}

/** What the fields hold at first. */
export function initialValues(flow: Flow): FlowValues {
  const values: FlowValues = {};
  for (const node of flow.ui.nodes) {
    if (isInput(node) && !isButton(node)) {
      const { name, type, value } = node.attributes;
      values[name] = value ?? (type === "checkbox" ? false : "");
    }
  }
  return values;
}

/** What was typed into fields that this flow has, too; hidden fields hold what the service put there. */
export function typedInto(flow: Flow, typed: FlowValues): FlowValues {
  const open = new Set(
    flow.ui.nodes
      .filter(isInput)
      .filter((node) => !isButton(node) && !isHidden(node))
      .map((node) => node.attributes.name),
  );
  return Object.fromEntries(Object.entries(typed).filter(([name]) => open.has(name)));
}

export interface Sent {
  /** The button's own name and value go along (e.g. `method`). */
  pressed?: InputNode | undefined;
  /** Only what belongs to these groups; everything when left out. */
  groups?: readonly string[] | undefined;
  /** Values that a script found out, for hidden fields. */
  found?: FlowValues | undefined;
}

/** The body to send: every field under its own flat name, and the pressed button's name and value. */
export function flowBody(flow: Flow, typed: FlowValues, sent: Sent = {}): FlowValues {
  const { pressed, groups, found } = sent;
  const shown = groups
    ? {
        ...flow,
        ui: { ...flow.ui, nodes: flow.ui.nodes.filter((node) => groups.includes(node.group)) },
      }
    : flow;
  const body = { ...initialValues(shown), ...typedInto(shown, typed), ...found };
  if (pressed) body[pressed.attributes.name] = pressed.attributes.value ?? "";
  return body;
}

/** The same flow without what was said about it. */
export function withoutMessages(flow: Flow): Flow {
  return {
    ...flow,
    ui: {
      ...flow.ui,
      messages: [],
      nodes: flow.ui.nodes.map((node) => ({ ...node, messages: [] })),
    },
  };
}

export const hasMessages = (flow: Flow): boolean =>
  (flow.ui.messages?.length ?? 0) > 0 || flow.ui.nodes.some((node) => node.messages.length > 0);

/** The hidden field for a passkey that the browser offers where the address is typed. */
export const takesOffered = (node: InputNode): boolean =>
  node.attributes.onloadTrigger === "oryPasskeyLoginAutocompleteInit";
