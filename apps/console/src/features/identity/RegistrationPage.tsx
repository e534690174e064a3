import { paths } from "#lib/paths.ts";
import { parseSearch } from "#lib/search-params.ts";
import { FlowPage } from "./flows/FlowPage.tsx";
import { registrationFlow } from "./flows/flow-kinds.ts";
import { FrontLink } from "./front/FrontDoor.tsx";
import { useFlow } from "./flows/use-flow.ts";

export function RegistrationPage() {
  const state = useFlow(registrationFlow);
  const { return_to } = parseSearch(window.location.search);
  return (
    <FlowPage
      name="registration"
      title="Create an account"
      failureTitle="Registration could not be opened"
      state={state}
    >
      <FrontLink to={paths.login(return_to ? { return_to } : {})}>
        Sign in with an existing account
      </FrontLink>
    </FlowPage>
  );
}
