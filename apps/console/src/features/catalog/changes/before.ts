import { formatRange } from "@mainstay/ui/time-range/time-range.ts";
import { paths } from "#lib/paths.ts";

const lookedBackMs = 3_600_000;

/** The changes of an item, and of what it hangs on, in the hour before something happened to it; that is the newest. */
export function changesBefore(itemId: string, at: string): string {
  const moment = Date.parse(at);
  const range = formatRange({
    kind: "absolute",
    from: new Date(moment - lookedBackMs).toISOString(),
    // The end is not in the range.
    to: new Date(moment + 1).toISOString(),
  });
  return paths.catalogItemTab(itemId, "changes", {
    downstream: false,
    upstream: true,
    timeRange: range,
  });
}
