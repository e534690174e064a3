import { Clock, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { timePassed } from "@mainstay/contract/health.ts";
import { Moment } from "@mainstay/ui/Age.tsx";
import { Button } from "@mainstay/ui/Button.tsx";
import { classNames } from "@mainstay/ui/class-names.ts";
import { useClock } from "@mainstay/ui/clock.ts";
import { ApiError, messageOf } from "#lib/api-error.ts";
import { useReach } from "#lib/reachable.ts";

export interface StaleNoticeProps {
  /** Why the last refresh failed, when it did. */
  error: Error | null;
  /** When what is shown was read. */
  updatedAt: number;
  /** Checks whose result is overdue. */
  stale: number;
  /** Why results are late, when the server says so. */
  late: string | undefined;
  onRetry: () => void;
}

/** What was read longer ago may be old by itself; nothing need be wrong with the server. */
const freshMs = 20_000;

/** Says that what is shown is old, or that the server has nothing newer to say, and which of the two. */
export function StaleNotice({ error, updatedAt, stale, late, onRetry }: StaleNoticeProps) {
  const reach = useReach();
  const isOld = useClock((now) => now - updatedAt > freshMs);
  // The banner above every page says it.
  if (reach !== "reached" && (error === null || (error instanceof ApiError && error.status === 0)))
    return null;
  if (error !== null)
    return (
      <Notice tone="unhealthy" onRetry={onRetry}>
        Could not refresh: {messageOf(error)} What you see is from <Moment at={updatedAt} />.
      </Notice>
    );
  if (stale > 0 && isOld)
    return (
      <Notice tone="warning" onRetry={onRetry}>
        Not refreshed for <Passed since={updatedAt} />; what you see is from{" "}
        <Moment at={updatedAt} />.
      </Notice>
    );
  if (stale === 0 && late === undefined) return null;
  return (
    <Notice tone="warning">
      {stale > 0 &&
        `${stale === 1 ? "1 check has" : `${stale} checks have`} no result although one was due, so nobody knows ${stale === 1 ? "its" : "their"} state. `}
      {late === undefined
        ? "Checks may not be run at the moment: see whether the server's workers are up."
        : `The server says: ${late}.`}
    </Notice>
  );
}

function Passed({ since }: { since: number }) {
  return useClock((now) => timePassed(now - since));
}

function Notice({
  tone,
  onRetry,
  children,
}: {
  tone: "unhealthy" | "warning";
  onRetry?: () => void;
  children: ReactNode;
}) {
  const Mark = tone === "unhealthy" ? TriangleAlert : Clock;
  const text = tone === "unhealthy" ? "text-unhealthy-fg" : "text-warning-fg";
  return (
    <div
      role="alert"
      className={classNames(
        "flex shrink-0 items-center gap-2 border-b px-4 py-1 text-sm",
        tone === "unhealthy" ? "bg-unhealthy-bg" : "bg-warning-bg",
        text,
      )}
    >
      <Mark aria-hidden="true" size={16} strokeWidth={1.75} className="shrink-0" />
      <span className="min-w-0 flex-1 py-1">{children}</span>
      {onRetry && (
        <Button kind="quiet" className={`${text}!`} onClick={onRetry}>
          Refresh now
        </Button>
      )}
    </div>
  );
}
