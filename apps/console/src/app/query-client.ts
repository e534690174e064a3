import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { toastFailed } from "@mainstay/ui/toasts.ts";
import { SignInNeeded } from "#features/identity/index.ts";
import { ApiError, isAborted, messageOf } from "#lib/api-error.ts";
import { reachNow } from "#lib/reachable.ts";

const staleMs = 5 * 60_000;
const retries = 3;

/** No answer may be a passing thing; an answer is an answer. */
const isWorthRetrying = (failures: number, error: Error) =>
  error instanceof ApiError && error.status === 0 && failures < retries;

/** What the page says by itself: it leaves for the sign-in, or the banner says that nothing can be reached. */
const isSaidElsewhere = (error: unknown): boolean =>
  isAborted(error) ||
  error instanceof SignInNeeded ||
  (error instanceof ApiError &&
    (error.status === 401 || (error.status === 0 && reachNow() !== "reached")));

/** Writes whose dialog was closed before the answer: nobody is left there who would say what came of them. */
const left = new WeakSet<object>();

export function makeQueryClient(): QueryClient {
  const mutationCache = new MutationCache({
    // A write that nobody speaks for says itself what went wrong.
    onError: (error, _variables, _result, mutation) => {
      if ((mutation.meta?.speaksForItself !== true || left.has(mutation)) && !isAborted(error))
        toastFailed(messageOf(error));
    },
  });
  mutationCache.subscribe(({ type, mutation }) => {
    if (type === "observerRemoved") left.add(mutation);
  });
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: staleMs,
        gcTime: staleMs,
        retry: isWorthRetrying,
        // Without a network a request fails at once and says so, rather than waiting in silence.
        networkMode: "always",
        refetchOnReconnect: true,
      },
      mutations: { networkMode: "always" },
    },
    queryCache: new QueryCache({
      // Where there is nothing to show yet the failure stands in its place; what is shown already stays, and is old.
      onError: (error, query) => {
        if (
          query.state.data !== undefined &&
          query.meta?.speaksForItself !== true &&
          !isSaidElsewhere(error)
        )
          toastFailed(`Could not refresh: ${messageOf(error)}`);
      },
    }),
    mutationCache,
  });
}
