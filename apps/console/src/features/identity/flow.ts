/**
 * A self-service flow as the identity service describes it: which fields to show and what it says about them. The page
 * draws what it is told and knows nothing about methods.
 */

export interface FlowMessage {
  id: number;
  text: string;
  type: "info" | "error" | "success";
}

export interface InputAttributes {
  node_type: "input";
  name: string;
  type: string;
  value?: string | boolean | number | null;
  required?: boolean;
  disabled?: boolean;
  autocomplete?: string;
}

export type NodeAttributes =
  | InputAttributes
  | { node_type: "text"; id: string; text: { id: number; text: string } }
  | { node_type: "img"; id: string; src: string }
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
  ui: { action: string; method: string; messages?: FlowMessage[]; nodes: FlowNode[] };
}

export type FlowValues = Record<string, string | boolean | number>;

export type InputNode = FlowNode & { attributes: InputAttributes };

export const isInput = (node: FlowNode): node is InputNode => node.attributes.node_type === "input";
export const isButton = (node: InputNode): boolean =>
  ["submit", "button"].includes(node.attributes.type);

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
    if (isInput(node) && !isButton(node))
      values[node.attributes.name] = node.attributes.value ?? "";
  }
  return values;
}

/** The body to send: every field under its own flat name, and the pressed button's name and value. */
export function flowBody(flow: Flow, values: FlowValues, pressed?: InputNode): FlowValues {
  const body = { ...initialValues(flow), ...values };
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
