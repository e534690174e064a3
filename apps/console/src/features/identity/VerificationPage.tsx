import { paths } from "#lib/paths.ts";
import { FlowPage } from "./FlowPage.tsx";
import { verificationFlow } from "./flow-kinds.ts";
import { FrontLink } from "./FrontDoor.tsx";
import { useFlow } from "./use-flow.ts";

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
