import type { HealthSummary } from "@mainstay/contract/health.ts";
import { Moment } from "@mainstay/ui/Age.tsx";
import { serverTime } from "../check/server-time.ts";

/** What the list's uptime and latency are of: it reads whole steps, which may hold more than the chosen range. */
export function CountedRange({ of: { start, end } }: { of: HealthSummary["range"] }) {
  return (
    <span className="truncate text-xs whitespace-nowrap text-muted tabular-nums max-tablet:px-2">
      Runs since <Moment at={serverTime(start)} />
      {end !== undefined && (
        <>
          {" "}
          until <Moment at={serverTime(end)} />
        </>
      )}
    </span>
  );
}
