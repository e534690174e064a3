import { noResultFor } from "@mainstay/contract/health.ts";
import { useClock } from "@mainstay/ui/clock.ts";
import { toServerTime } from "#lib/server-clock.ts";
import { serverTime } from "./server-time.ts";

/** For how long a check has had no result. Ticks by itself, without anything around it rendering again. */
export function NoResult({
  check,
}: {
  check: { last_runtime?: string | null | undefined; result_due?: string | null | undefined };
}) {
  const since = serverTime(check.last_runtime ?? check.result_due);
  return useClock((now) => noResultFor(toServerTime(now) - since));
}
