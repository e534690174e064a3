import { paths } from "#lib/paths.ts";
import { FlowPage } from "./flows/FlowPage.tsx";
import { recoveryFlow } from "./flows/flow-kinds.ts";
import { FrontLink } from "./front/FrontDoor.tsx";
import type { Flow } from "./flows/flow.ts";
import { useFlow } from "./flows/use-flow.ts";

/** Whoever has never been here recovers nothing: the same flow is their way in. */
const isInvitation = (flow: Flow | undefined | null) =>
  flow?.ui.messages?.some(({ context }) => context?.["invited"] === true) === true;

export function RecoveryPage() {
  const state = useFlow(recoveryFlow);
  return (
    <FlowPage
      name="recovery"
      title={isInvitation(state.flow) ? "Welcome to Mainstay" : "Recover your account"}
      failureTitle="Recovery could not be opened"
      state={state}
    >
      <FrontLink to={paths.login()}>Back to the sign-in</FrontLink>
    </FlowPage>
  );
}
