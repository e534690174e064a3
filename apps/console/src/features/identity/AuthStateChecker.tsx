import { useEffect } from "react";
import { ApiError, messageOf } from "#lib/api-error.ts";
import { paths, safeReturnTo } from "#lib/paths.ts";
import { parseSearch } from "#lib/search-params.ts";
import { checkSession } from "./front/calls.ts";
import { FrontDoor, FrontFailure } from "./front/FrontDoor.tsx";
import { useAnswer } from "./use-answer.ts";

async function whereTo(signal: AbortSignal): Promise<string> {
  const returnTo = safeReturnTo(parseSearch(window.location.search).return_to);
  try {
    await checkSession(signal);
    return returnTo;
  } catch (failure) {
    const status = failure instanceof ApiError ? failure.status : 0;
    if (status === 401) return paths.login({ return_to: returnTo });
    if (status === 403 || status === 422) return paths.login({ aal: "aal2", return_to: returnTo });
    throw failure;
  }
}

/** Where a 401 leads (rulings): back when the session is good after all, else on to the sign-in. */
export function AuthStateChecker() {
  const { data: to, error, retry } = useAnswer(whereTo);
  useEffect(() => {
    if (to !== undefined) window.location.replace(to);
  }, [to]);

  return (
    <FrontDoor title="Checking your session">
      {error !== undefined ? (
        <FrontFailure
          title="Your session could not be checked"
          message={messageOf(error)}
          onRetry={retry}
        />
      ) : (
        <output aria-label="Checking your session" className="skeleton block h-8 w-full" />
      )}
    </FrontDoor>
  );
}
