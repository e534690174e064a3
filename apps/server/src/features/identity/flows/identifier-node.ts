import { MAX_ADDRESS_LENGTH } from "#platform/address.ts";
import { messages } from "./messages.ts";
import type { Step } from "./method.ts";
import { partyOf } from "../second-factors/webauthn-flow.ts";
import { hidden, input, type UiNode } from "./ui-nodes.ts";

/** Who wants to sign in, for the methods that must know; who confirms who they are is known. */
export function identifierNode(step: Step): UiNode {
  const { state } = step.flow;
  const value = state.values.identifier ?? "";
  if (state.refresh) return hidden("default", "identifier", value);
  return input(
    "default",
    {
      name: "identifier",
      type: "text",
      value,
      required: true,
      // The browser offers passkeys here, where there can be any.
      autocomplete: partyOf(step) ? "username webauthn" : "email",
      maxlength: MAX_ADDRESS_LENGTH,
    },
    messages.emailLabel,
  );
}
