/**
 * How moments are written, everywhere: in the order of the reader's language, and by one clock of 24 hours, so that two
 * places that speak of one moment say it alike. An architecture test keeps other formats out.
 */
const hourCycle = "h23";
const dated = { month: "short", day: "numeric" } as const;

/** To the second, with its day. */
export const moment = new Intl.DateTimeFormat(undefined, {
  dateStyle: "medium",
  timeStyle: "medium",
  hourCycle,
});
/** To the minute, with its day. */
export const minute = new Intl.DateTimeFormat(undefined, {
  dateStyle: "medium",
  timeStyle: "short",
  hourCycle,
});
/** To the minute, with its weekday: of what is days away at most. */
export const weekdayMinute = new Intl.DateTimeFormat(undefined, {
  ...dated,
  weekday: "short",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle,
});
/** A day. */
export const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
/** A day where there is little room and the year is known. */
export const shortDay = new Intl.DateTimeFormat(undefined, dated);
/** The time of day, to the second. */
export const timeOfDay = new Intl.DateTimeFormat(undefined, { timeStyle: "medium", hourCycle });
/** The time of day, to the minute. */
export const shortTimeOfDay = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  hourCycle,
});
