import { MutationCache, QueryClient } from "@tanstack/react-query";
import { toastFailed } from "@mainstay/ui/toasts.ts";
import { ApiError, isAborted, messageOf } from "#lib/api-error.ts";

const staleMs = 5 * 60_000;
const retries = 3;

/** No answer may be a passing thing; an answer is an answer. */
const isWorthRetrying = (failures: number, error: Error) =>
  error instanceof ApiError && error.status === 0 && failures < retries;

export function makeQueryClient(): QueryClient {
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
    mutationCache: new MutationCache({
      // A write that nobody speaks for says itself what went wrong.
      onError: (error, _variables, _result, mutation) => {
        if (mutation.meta?.speaksForItself !== true && !isAborted(error))
          toastFailed(messageOf(error));
      },
    }),
  });
}
