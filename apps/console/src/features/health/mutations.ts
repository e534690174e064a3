import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { DryRunReply, RunNowReply } from "@mainstay/contract/health.ts";
import { post } from "#lib/api.ts";
import { db, eq } from "#lib/db.ts";
import type { CanaryRow } from "./queries.ts";

/** Checks that wait for a timeout take as long as they may. */
const runTimeoutMs = 10 * 60_000;

/** H6; afterwards everything about the check is asked again. */
export function useRunCheck(checkId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      post<RunNowReply>(`/api/canary/run/check/${encodeURIComponent(checkId)}`, undefined, {
        timeoutMs: runTimeoutMs,
      }),
    onSettled: () =>
      Promise.all(
        [
          ["health", "check", checkId],
          ["health", "graph", checkId],
          ["health", "history", checkId],
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

/** A dry run: the checks of the text run once, nothing is stored. The dialog itself says what went wrong. */
export function useRunDocument() {
  return useMutation({
    meta: { speaksForItself: true },
    mutationFn: (text: string) =>
      post<DryRunReply>(
        "/api/canary/run/document",
        { document: text },
        { timeoutMs: runTimeoutMs },
      ),
  });
}

export interface NewCanary {
  name: string;
  namespace: string;
  labels?: Record<string, string>;
  spec: Record<string, unknown>;
}

export function useSaveCanaries() {
  const client = useQueryClient();
  return useMutation({
    meta: { speaksForItself: true },
    mutationFn: async (canaries: readonly NewCanary[]) => {
      const [only, ...others] = canaries;
      // Several at once or none: saved one by one, those before a refused one would be in the way of the next try.
      return only && others.length === 0
        ? [await db.insert<"canaries", CanaryRow>("canaries", only)]
        : db.insertAll<"canaries", CanaryRow>("canaries", canaries);
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["health"] }),
  });
}

export function useUpdateCanary(canaryId: string) {
  const client = useQueryClient();
  return useMutation({
    meta: { speaksForItself: true },
    mutationFn: (changes: { labels: Record<string, string>; spec: Record<string, unknown> }) =>
      db.patch("canaries", { id: eq(canaryId) }, changes),
    onSuccess: () => client.invalidateQueries({ queryKey: ["health"] }),
  });
}

/** Soft: its checks go with it. */
export function useDeleteCanary(canaryId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => db.patch("canaries", { id: eq(canaryId) }, { deleted_at: "now()" }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["health"] }),
  });
}
