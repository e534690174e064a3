import type { UiText } from "./messages.ts";

/** The parts of a form that a flow asks to be shown, in the wire shape of Ory Kratos. */

export type NodeGroup =
  | "default"
  | "profile"
  | "password"
  | "code"
  | "link"
  | "totp"
  | "lookup_secret"
  | "webauthn"
  | "passkey"
  | "oidc";

export interface InputAttributes {
  node_type: "input";
  name: string;
  type:
    | "text"
    | "password"
    | "number"
    | "checkbox"
    | "hidden"
    | "email"
    | "tel"
    | "submit"
    | "button"
    | "url";
  value?: string | number | boolean;
  required?: boolean;
  autocomplete?:
    | "email"
    | "current-password"
    | "new-password"
    | "one-time-code"
    | "username webauthn";
  maxlength?: number;
  pattern?: string;
  label?: UiText;
  /** A call of the script that came with the form, for example `window.oryPasskeyLogin()`. */
  onclick?: string;
  onclickTrigger?: string;
  onload?: string;
  onloadTrigger?: string;
  disabled: boolean;
}

interface NodeParts {
  group: NodeGroup;
  messages: UiText[];
  meta: { label?: UiText };
}

export type UiNode = NodeParts &
  (
    | { type: "input"; attributes: InputAttributes }
    | { type: "text"; attributes: { node_type: "text"; id: string; text: UiText } }
    | {
        type: "img";
        attributes: { node_type: "img"; id: string; src: string; width: number; height: number };
      }
    | { type: "a"; attributes: { node_type: "a"; id: string; href: string; title: UiText } }
    | {
        type: "script";
        attributes: {
          node_type: "script";
          id: string;
          src: string;
          async: boolean;
          crossorigin: string;
          integrity: string;
          nonce: string;
          referrerpolicy: string;
          type: string;
        };
      }
  );

const parts = (group: NodeGroup, label?: UiText): NodeParts => ({
  group,
  messages: [],
  meta: label ? { label } : {},
});

export const input = (
  group: NodeGroup,
  attributes: Omit<InputAttributes, "node_type" | "disabled"> & { disabled?: boolean },
  label?: UiText,
): UiNode => ({
  type: "input",
  ...parts(group, label),
  attributes: { ...attributes, disabled: attributes.disabled ?? false, node_type: "input" },
});

export const hidden = (group: NodeGroup, name: string, value: string): UiNode =>
  input(group, { name, type: "hidden", value });

export const submit = (group: NodeGroup, name: string, value: string, label: UiText): UiNode =>
  input(group, { name, type: "submit", value }, label);

export const text = (group: NodeGroup, id: string, shown: UiText, label?: UiText): UiNode => ({
  type: "text",
  ...parts(group, label),
  attributes: { node_type: "text", id, text: shown },
});

export const image = (
  group: NodeGroup,
  attributes: { id: string; src: string; width: number; height: number },
  label?: UiText,
): UiNode => ({
  type: "img",
  ...parts(group, label),
  attributes: { ...attributes, node_type: "img" },
});

export const anchor = (
  group: NodeGroup,
  attributes: { id: string; href: string; title: UiText },
): UiNode => ({ type: "a", ...parts(group), attributes: { ...attributes, node_type: "a" } });

export const script = (
  group: NodeGroup,
  attributes: { id: string; src: string; integrity: string },
): UiNode => ({
  type: "script",
  ...parts(group),
  attributes: {
    ...attributes,
    async: true,
    crossorigin: "anonymous",
    nonce: "",
    referrerpolicy: "no-referrer",
    type: "text/javascript",
    node_type: "script",
  },
});

/** The form's field of that name, whatever else the node is. */
export const nameOf = (node: UiNode): string =>
  node.type === "input" ? node.attributes.name : node.attributes.id;
