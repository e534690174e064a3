import { type CheckNow, noResultFor, timePassed } from "@mainstay/contract/health.ts";
import type { Tone } from "@mainstay/ui/StatusDot.tsx";
import { isOverdue } from "../check/check-state.ts";
import { serverTime } from "../check/server-time.ts";

/** What is said first of a check: how it stands, for how long, and why. */
export interface CheckSentence {
  tone: Tone;
  /** Whatever it says is of the past. */
  isOld?: boolean;
  /** "Failing for 18 min" */
  head: string;
  /** "answered 500, wanted 200" */
  why?: string | undefined;
}

const firstLine = (text: string | undefined) => text?.split("\n")[0]?.trim() || undefined;

/** At a moment of the server's clock. */
export function sentenceOf(now: CheckNow, serverNow: number): CheckSentence {
  const why = firstLine(now.message);
  const since = serverTime(now.since);
  const lasting = Number.isNaN(since) ? "" : ` for ${timePassed(serverNow - since)}`;
  if (now.held !== undefined) return { tone: "unknown", head: "Held, not run", why: now.held };
  const was = now.passed === true ? "it passed last" : now.passed === false ? "it failed last" : "";
  const ofLast =
    [was, now.passed === true ? undefined : why].filter(Boolean).join(": ") || undefined;
  if (now.paused) return { tone: "unknown", isOld: true, head: "Paused", why: ofLast };
  if (now.last_runtime === undefined && now.passed === undefined)
    return {
      tone: "unknown",
      head: "Never run",
      why: now.next_runtime === undefined ? "nothing says when it would" : undefined,
    };
  if (isOverdue(now, serverNow)) {
    const last = serverTime(now.last_runtime ?? now.result_due);
    return {
      tone: "unknown",
      isOld: true,
      head: `Stale, ${noResultFor(serverNow - last)}`,
      why: ofLast,
    };
  }
  if (now.passed === null)
    return { tone: "unknown", head: `Unknown${lasting}, it could not be tried`, why };
  if (now.streak) {
    const { passed, runs, needed } = now.streak;
    const before =
      now.status === "healthy"
        ? "counts as passing"
        : now.status === "unhealthy"
          ? "counts as failing"
          : "";
    return {
      tone: now.status === "unknown" ? "unknown" : "warning",
      head: `${passed ? "Passing" : "Failing"} ${runs} of ${needed}${before && `, ${before} until then`}`,
      why: passed ? undefined : why,
    };
  }
  if (now.status === "unhealthy") return { tone: "unhealthy", head: `Failing${lasting}`, why };
  if (now.status === "healthy") return { tone: "healthy", head: `Passing${lasting}`, why };
  return { tone: "unknown", head: "Unknown", why };
}
