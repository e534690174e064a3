import { paths } from "#lib/paths.ts";
import { FlowPage } from "./flows/FlowPage.tsx";
import { verificationFlow } from "./flows/flow-kinds.ts";
import { FrontLink } from "./front/FrontDoor.tsx";
import { useFlow } from "./flows/use-flow.ts";

export function VerificationPage() {
  const state = useFlow(verificationFlow);
  return (
    <FlowPage
      name="verification"
      title="Verify your address"
      failureTitle="Verification could not be opened"
      state={state}
    >
      <FrontLink to={paths.home()}>Go to the console</FrontLink>
    </FlowPage>
  );
}
