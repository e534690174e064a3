import type { Proof } from "./codes.ts";
import { messages } from "../flows/messages.ts";
import type { Method, Step } from "../flows/method.ts";
import { submit } from "../flows/ui-nodes.ts";

/**
 * Links that were mailed or handed over. Looking at one begins a flow in the browser that looks, and uses nothing up;
 * the form has one button, and that does.
 */

const keptLink = ({ flow }: Step) => flow.state.kept.link as Proof | undefined;
const button = () => [submit("link", "method", "link", messages.goOn)];
const isOffered = (step: Step) =>
  keptLink(step) !== undefined && step.flow.state.phase !== "passed_challenge";

export const link: Method = {
  name: "link",
  recovery: {
    isOffered,
    nodes: button,
    submit: async (step) => {
      const proof = keptLink(step)!;
      return { done: { identityId: proof.identity_id!, method: "link_recovery", proof } };
    },
  },
  verification: {
    isOffered,
    nodes: button,
    submit: async (step) => ({ done: { proof: keptLink(step)! } }),
  },
};
