import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { FlowForm } from "./FlowForm.tsx";
import { FrontDoor } from "./FrontDoor.tsx";
import { useLogin } from "./use-login.ts";

export function LoginPage() {
  const { flow, failure, isBusy, submit, restart } = useLogin();
  return (
    <FrontDoor title={flow?.requested_aal === "aal2" ? "Confirm it is you" : "Sign in"}>
      {failure !== null ? (
        <ErrorDisplay title="The sign-in could not be opened" message={failure} onRetry={restart} />
      ) : flow ? (
        // Another flow, other fields: nothing typed into one belongs in the next.
        <FlowForm key={flow.id} flow={flow} isBusy={isBusy} onSubmit={submit} />
      ) : (
        <output aria-label="Loading" className="flex flex-col gap-3">
          <span className="skeleton h-4 w-16" />
          <span className="skeleton h-8 w-full" />
          <span className="skeleton h-4 w-20" />
          <span className="skeleton h-8 w-full" />
          <span className="skeleton mt-1 h-8 w-full" />
        </output>
      )}
    </FrontDoor>
  );
}
