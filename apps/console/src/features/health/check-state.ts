import type { CheckSummary } from "@mainstay/contract/health.ts";
import type { Tone } from "@mainstay/ui/StatusDot.tsx";

/** How a check is shown. `stale` is ours: its results stopped coming, so its last status says nothing about now. */
export type CheckState = "healthy" | "unhealthy" | "warning" | "unknown" | "stale";

/** A check counts as stale when its next run is overdue by more than so many intervals. */
const overdueIntervals = 2;

/** Document 1, section 4: red, grey, orange, green; words of other sources included. */
const tones: Record<string, Tone> = {
  degraded: "unhealthy",
  missing: "unhealthy",
  unhealthy: "unhealthy",
  unknown: "unknown",
  suspended: "unknown",
  stale: "unknown",
  warning: "warning",
  warn: "warning",
  mixed: "warning",
};

export const toneOf = (state: string): Tone => tones[state] ?? "healthy";

export function isOverdue(
  check: Pick<CheckSummary, "last_runtime" | "next_runtime">,
  now: number,
): boolean {
  const next = Date.parse(check.next_runtime ?? "");
  const last = Date.parse(check.last_runtime ?? "");
  if (Number.isNaN(next) || Number.isNaN(last) || next <= last) return false;
  return now > next + overdueIntervals * (next - last);
}

export function stateOf(check: CheckSummary, now: number): CheckState {
  // The wire knows three statuses; servers of other makes send `warning` too.
  const status: string = check.status;
  if (status === "unhealthy" || status === "warning") return status;
  if (status !== "healthy") return "unknown";
  return isOverdue(check, now) ? "stale" : "healthy";
}

const words: Record<CheckState, string> = {
  healthy: "Healthy",
  unhealthy: "Unhealthy",
  warning: "Warning",
  unknown: "Unknown",
  stale: "Stale",
};

/** The state in words, with the reason where there is one. */
export function describeState(check: CheckSummary, state: CheckState): string {
  const reason =
    state === "stale"
      ? "no result came when the last ones were due"
      : state === "healthy"
        ? undefined
        : check.message;
  return reason ? `${words[state]}: ${reason}` : words[state];
}
