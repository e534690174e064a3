import { useEffect, useEffectEvent } from "react";
import { type Flow, flowBody, type FlowValues, isInput, takesOffered } from "./flows/flow.ts";

/** While somebody types an address, the browser offers the passkeys it has for this console, and one of them signs in. */
export function usePasskeyOffer(flow: Flow | null, submit: (values: FlowValues) => void): void {
  // A form that was refused comes back with another challenge, and is offered again.
  const offer = flow?.ui.nodes.filter(isInput).some(takesOffered) ? challengeOf(flow) : null;
  const wait = useEffectEvent(async (gone: AbortSignal) => {
    if (!flow) return;
    const { offerPasskeys } = await import("./web-authn.ts");
    const found = await offerPasskeys(flow, gone);
    if (found && !gone.aborted)
      submit(flowBody(flow, {}, { groups: ["default", "passkey"], found }));
  });
  useEffect(() => {
    if (offer === null) return;
    const gone = new AbortController();
    void wait(gone.signal);
    return () => gone.abort();
  }, [offer]);
}

const challengeOf = (flow: Flow): string =>
  flow.ui.nodes
    .filter(isInput)
    .filter(({ group }) => group === "passkey")
    .map(({ attributes }) => String(attributes.value ?? ""))
    .join(" ");
