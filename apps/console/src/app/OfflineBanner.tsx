import { PlugZap, WifiOff } from "lucide-react";
import { timePassed } from "@mainstay/contract/health.ts";
import { Moment } from "@mainstay/ui/Age.tsx";
import { useClock } from "@mainstay/ui/clock.ts";
import { lastAnswer, useReach } from "#lib/reachable.ts";

/** Ticks by itself, without anything around it rendering again. */
function Silence({ since }: { since: number }) {
  return useClock((now) => timePassed(now - since));
}

/** Says that what is shown is old, since when, and for how long nothing new has come. */
export function OfflineBanner() {
  const reach = useReach();
  if (reach === "reached") return null;
  const Mark = reach === "offline" ? WifiOff : PlugZap;
  const since = lastAnswer();
  const what = reach === "offline" ? "No internet connection" : "No answer from the server";
  return (
    <div
      role="status"
      className="flex shrink-0 items-center justify-center gap-2 border-b bg-warning-bg px-4 py-1.5 text-sm text-warning-fg"
    >
      <Mark aria-hidden="true" size={14} strokeWidth={1.75} className="shrink-0" />
      {since === undefined ? (
        `${what}. What you see may be out of date.`
      ) : (
        <span>
          {what} for <Silence since={since} />; what you see is from <Moment at={since} />.
        </span>
      )}
    </div>
  );
}
