const date = new Intl.DateTimeFormat("en-GB", { day: "2-digit", month: "short" });
const time = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hour12: false,
});

/** When a line is of, in local time: to the millisecond. */
export function timeText(timestamp: string): string {
  const moment = new Date(timestamp);
  const millis = String(moment.getMilliseconds()).padStart(3, "0");
  return `${date.format(moment)} ${time.format(moment)}.${millis}`;
}
