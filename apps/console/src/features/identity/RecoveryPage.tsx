import { paths } from "#lib/paths.ts";
import { FlowPage } from "./flows/FlowPage.tsx";
import { recoveryFlow } from "./flows/flow-kinds.ts";
import { FrontLink } from "./front/FrontDoor.tsx";
import { useFlow } from "./flows/use-flow.ts";

export function RecoveryPage() {
  const state = useFlow(recoveryFlow);
  return (
    <FlowPage
      name="recovery"
      title="Recover your account"
      failureTitle="Recovery could not be opened"
      state={state}
    >
      <FrontLink to={paths.login()}>Back to the sign-in</FrontLink>
    </FlowPage>
  );
}
