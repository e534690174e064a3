import { shortDay, timeOfDay } from "@mainstay/ui/moments.ts";

/** When a line is of, in local time: to the millisecond. */
export function timeText(timestamp: string): string {
  const at = new Date(timestamp);
  const millis = String(at.getMilliseconds()).padStart(3, "0");
  return `${shortDay.format(at)} ${timeOfDay.format(at)}.${millis}`;
}
