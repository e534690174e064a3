import {
  type CanaryChange,
  type CanaryChanged,
  mostCanaryChanges,
} from "@mainstay/contract/canary-changes.ts";
import type { CheckSummary, RunNowReply } from "@mainstay/contract/health.ts";
import type { QueryClient } from "@tanstack/react-query";
import { toastDone, toastFailed } from "@mainstay/ui/toasts.ts";
import { formatDuration } from "@mainstay/ui/duration.ts";
import { messageOf } from "#lib/api-error.ts";
import { post } from "#lib/api.ts";
import { runTimeoutMs } from "../mutations.ts";
import { canariesWords } from "./plan-bulk.ts";

/** What became of one thing that was acted on. */
export interface BulkResult {
  id: string;
  outcome: "done" | "unchanged" | "failed" | "refused";
  words: string;
  undo?: CanaryChange;
}

export interface BulkOptions {
  signal: AbortSignal;
  onResults: (results: readonly BulkResult[]) => void;
}

/** Runs that are asked for at the same time. */
const runsAtOnce = 4;

/** Runs checks, some at a time; each says by itself how it ended. */
export async function runChecks(
  checks: readonly CheckSummary[],
  { signal, onResults }: BulkOptions,
): Promise<void> {
  const waiting = [...checks];
  const work = async () => {
    for (let next = waiting.shift(); next && !signal.aborted; next = waiting.shift())
      onResults([await runOne(next.id, signal)]);
  };
  await Promise.all(Array.from({ length: runsAtOnce }, work));
}

async function runOne(id: string, signal: AbortSignal): Promise<BulkResult> {
  try {
    const address = `/api/canary/run/check/${encodeURIComponent(id)}`;
    const reply = await post<RunNowReply>(address, undefined, { timeoutMs: runTimeoutMs, signal });
    const took = reply.duration === undefined ? "" : ` in ${formatDuration(reply.duration)}`;
    if (reply.pass) return { id, outcome: "done", words: `Passed${took}` };
    if (reply.untried === true)
      return { id, outcome: "refused", words: reply.error ?? "It could not be tried." };
    return { id, outcome: "failed", words: reply.error ?? reply.message ?? `Failed${took}` };
  } catch (error) {
    return {
      id,
      outcome: "refused",
      words: signal.aborted ? "Stopped waiting; it may still run." : messageOf(error),
    };
  }
}

const words = {
  changed: "Done",
  deleted: "Deleted",
  unchanged: "It was so already",
  refused: "Refused",
} as const;

/** A request for so many: small enough to see it going on. */
const changesAtOnce = Math.min(10, mostCanaryChanges);

/** Takes changes back when nothing is open any more that would say what came of it. */
export async function undoAll(client: QueryClient, undo: readonly CanaryChange[]): Promise<void> {
  const results: BulkResult[] = [];
  const { signal } = new AbortController();
  await changeCanaries(undo, { signal, onResults: (some) => results.push(...some) });
  const refused = results.filter(({ outcome }) => outcome === "refused");
  if (refused.length < results.length)
    toastDone(`${canariesWords(results.length - refused.length)} as before`);
  if (refused.length > 0)
    toastFailed(
      `${canariesWords(refused.length)} could not be taken back: ${[...new Set(refused.map(({ words: why }) => why))].join(" ")}`,
    );
  await client.invalidateQueries({ queryKey: ["health"] });
}

/** Changes canaries, a few in each request; what is stopped has not been asked for. */
export async function changeCanaries(
  changes: readonly CanaryChange[],
  { signal, onResults }: BulkOptions,
): Promise<void> {
  for (let at = 0; at < changes.length && !signal.aborted; at += changesAtOnce) {
    const some = changes.slice(at, at + changesAtOnce);
    try {
      const { results } = await post<{ results: CanaryChanged[] }>("/api/canary/changes", {
        changes: some,
      });
      onResults(
        results.map(({ canary, outcome, reason, undo }) => ({
          id: canary,
          outcome: outcome === "changed" || outcome === "deleted" ? "done" : outcome,
          words: reason ?? words[outcome],
          ...(undo && { undo }),
        })),
      );
    } catch (error) {
      const failure = messageOf(error);
      onResults(some.map(({ canary }) => ({ id: canary, outcome: "refused", words: failure })));
    }
  }
}
