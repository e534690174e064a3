import { paths } from "#lib/paths.ts";
import { FlowPage } from "./FlowPage.tsx";
import { recoveryFlow } from "./flow-kinds.ts";
import { FrontLink } from "./FrontDoor.tsx";
import { useFlow } from "./use-flow.ts";

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
