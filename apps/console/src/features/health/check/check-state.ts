import { type CheckSummary, isStale } from "@mainstay/contract/health.ts";
import type { Tone } from "@mainstay/ui/StatusDot.tsx";
import { serverTime } from "./server-time.ts";

/** How a check is shown. `stale`: its next result is overdue, so its last one says nothing about now. */
export type CheckState = "healthy" | "unhealthy" | "warning" | "unknown" | "stale" | "paused";

/** As what it is counted and filtered: of what is stale or paused nobody can say how it is. */
export const countedAs = (state: CheckState) =>
  state === "stale" || state === "paused" ? "unknown" : state;

/** Document 1, section 4: red, grey, orange, green; words of other sources included. */
const tones: Record<string, Tone> = {
  degraded: "unhealthy",
  missing: "unhealthy",
  unhealthy: "unhealthy",
  unknown: "unknown",
  suspended: "unknown",
  paused: "unknown",
  stale: "unknown",
  warning: "warning",
  warn: "warning",
  mixed: "warning",
};

export const toneOf = (state: string): Tone => tones[state] ?? "healthy";

/** Whether a result is overdue, by the server's clock as this page knows it. */
export const isOverdue = (
  check: { result_due?: string | null | undefined },
  serverNow: number,
): boolean => isStale(serverTime(check.result_due), serverNow);

export function stateOf(check: CheckSummary, serverNow: number): CheckState {
  // Its status is what was known before.
  if (check.held !== undefined) return "unknown";
  if (check.paused === true) return "paused";
  if (isOverdue(check, serverNow)) return "stale";
  if (check.untried !== undefined) return "unknown";
  // The wire knows three statuses; servers of other makes send `warning` too.
  const status: string | undefined = check.status;
  return status === "healthy" || status === "unhealthy" || status === "warning"
    ? status
    : "unknown";
}

const words: Record<CheckState, string> = {
  healthy: "Healthy",
  unhealthy: "Unhealthy",
  warning: "Warning",
  unknown: "Unknown",
  stale: "Stale",
  paused: "Paused",
};

/** The state in words, with the reason where there is one. */
export function describeState(check: CheckSummary, state: CheckState): string {
  const reason =
    state === "stale"
      ? "no result came when one was due"
      : state === "healthy" || state === "paused"
        ? undefined
        : check.message;
  return reason ? `${words[state]}: ${reason}` : words[state];
}
