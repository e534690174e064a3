import { paths } from "#lib/paths.ts";
import { parseSearch } from "#lib/search-params.ts";
import { FlowPage } from "./flows/FlowPage.tsx";
import { loginFlow } from "./flows/flow-kinds.ts";
import { type Flow, type FlowValues, initialValues } from "./flows/flow.ts";
import { FrontLink } from "./front/FrontDoor.tsx";
import { changeAddress, useFlow } from "./flows/use-flow.ts";
import { usePasskeyOffer } from "./use-passkey-offer.ts";

/** A user name and password in the address sign in at once; they do not stay there. */
function credentialsOf(flow: Flow): FlowValues | null {
  const given = new URLSearchParams(window.location.search);
  const [username, password] = [given.get("username"), given.get("password")];
  if (username === null || password === null) return null;
  changeAddress((query) => {
    query.delete("username");
    query.delete("password");
  });
  return {
    csrf_token: initialValues(flow).csrf_token ?? "",
    method: "password",
    password,
    identifier: username,
  };
}

function titleOf(flow: Flow | null): string {
  if (flow?.requested_aal === "aal2") return "Second step";
  return flow?.refresh ? "Confirm it is you" : "Sign in";
}

export function LoginPage() {
  const state = useFlow(loginFlow, { sendFirst: credentialsOf });
  const { flow } = state;
  usePasskeyOffer(flow, state.submit);
  const { return_to } = parseSearch(window.location.search);
  const isFirstStep = flow !== null && flow.requested_aal !== "aal2" && !flow.refresh;
  return (
    <FlowPage
      name="login"
      title={titleOf(flow)}
      failureTitle="The sign-in could not be opened"
      state={state}
    >
      {isFirstStep && (
        <>
          <FrontLink to={paths.recovery({ return_to })}>Forgot your password?</FrontLink>
          {flow.registration_open !== false && (
            <FrontLink to={paths.registration({ return_to })}>Create an account</FrontLink>
          )}
        </>
      )}
    </FlowPage>
  );
}
