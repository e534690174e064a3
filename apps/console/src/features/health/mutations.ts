import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { RunNowReply } from "@mainstay/contract/health.ts";
import { post } from "#lib/api.ts";

/** Checks that wait for a timeout take as long as they may. */
export const runTimeoutMs = 10 * 60_000;

/** H6 */
export const runCheck = (checkId: string) =>
  post<RunNowReply>(`/api/canary/run/check/${encodeURIComponent(checkId)}`, undefined, {
    timeoutMs: runTimeoutMs,
  });

/** H6; afterwards everything about the check is asked again. */
export function useRunCheck(checkId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => runCheck(checkId),
    // The dialog says what came of it, also when it was not run.
    meta: { speaksForItself: true },
    onSettled: () =>
      Promise.all(
        [
          ["health", "check", checkId],
          ["health", "graph", checkId],
          ["health", "summary"],
        ].map((queryKey) => client.invalidateQueries({ queryKey })),
      ),
  });
}

/** A new address for what a heartbeat check waits for; the one before is void. */
export function useNewBeatAddress(checkId: string) {
  return useMutation({
    mutationFn: () =>
      post<{ url: string }>(`/api/canary/beat-url/${encodeURIComponent(checkId)}`, undefined),
  });
}
