import { PlugZap, WifiOff } from "lucide-react";
import { type Reach, useReach } from "#lib/reachable.ts";

const words: Record<Exclude<Reach, "reached">, string> = {
  offline: "No internet connection. What you see may be out of date.",
  silent: "The server does not answer. What you see may be out of date.",
};

/** Says that what is shown may be old, for as long as nothing new can come. */
export function OfflineBanner() {
  const reach = useReach();
  if (reach === "reached") return null;
  const Mark = reach === "offline" ? WifiOff : PlugZap;
  return (
    <div
      role="status"
      className="flex shrink-0 items-center justify-center gap-2 border-b bg-warning-bg px-4 py-1.5 text-sm text-warning-fg"
    >
      <Mark aria-hidden="true" size={14} strokeWidth={1.75} className="shrink-0" />
      {words[reach]}
    </div>
  );
}
