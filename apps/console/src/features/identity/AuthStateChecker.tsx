import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { ApiError, messageOf } from "#lib/api-error.ts";
import { paths, safeReturnTo } from "#lib/paths.ts";
import { parseSearch } from "#lib/search-params.ts";
import { checkSession } from "./calls.ts";
import { FrontDoor } from "./FrontDoor.tsx";

/** Where a 401 leads (rulings): back when the session is good after all, else on to the sign-in. */
export function AuthStateChecker() {
  const returnTo = safeReturnTo(parseSearch(window.location.search).return_to);
  const { data, error, refetch } = useQuery({
    queryKey: ["session-check"],
    staleTime: 0,
    gcTime: 0,
    retry: false,
    queryFn: async ({ signal }): Promise<{ to: string }> => {
      try {
        await checkSession(signal);
        return { to: returnTo };
      } catch (failure) {
        const status = failure instanceof ApiError ? failure.status : 0;
        if (status === 401) return { to: paths.login({ return_to: returnTo }) };
        if (status === 403 || status === 422)
          return { to: paths.login({ aal: "aal2", return_to: returnTo }) };
        throw failure;
      }
    },
  });
  const to = data?.to;
  useEffect(() => {
    if (to !== undefined) window.location.replace(to);
  }, [to]);

  return (
    <FrontDoor title="Checking your session">
      {error ? (
        <ErrorDisplay
          title="Your session could not be checked"
          message={messageOf(error)}
          onRetry={() => void refetch()}
        />
      ) : (
        <output aria-label="Checking your session" className="skeleton block h-8 w-full" />
      )}
    </FrontDoor>
  );
}
