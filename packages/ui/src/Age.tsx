import { formatAge } from "./duration.ts";
import { useClock } from "./clock.ts";

export interface AgeProps {
  /** ISO text or epoch milliseconds; nothing is shown as a dash. */
  at: string | number | null | undefined;
  className?: string;
}

const localTime = new Intl.DateTimeFormat(undefined, {
  dateStyle: "medium",
  timeStyle: "medium",
  hourCycle: "h23",
});
const localDay = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

/** A moment within a sentence or a title, where no element can stand. Everywhere else `Age` or `Moment`. */
export const momentText = (moment: number): string => localTime.format(moment);
/** Only its day. */
export const dayText = (moment: number): string => localDay.format(moment);

/** The exact moment, for tooltips: local time, then UTC. */
export function exactTime(moment: number): string {
  return `${localTime.format(moment)}\n${new Date(moment).toISOString().replace("T", " ").slice(0, 19)} UTC`;
}

/** How long ago something was. Ticks by itself, without anything around it rendering again. */
export function Age({ at, className }: AgeProps) {
  const moment = at === null || at === undefined ? Number.NaN : new Date(at).getTime();
  const text = useClock((now) => (Number.isNaN(moment) ? "–" : formatAge(moment, now)));
  if (Number.isNaN(moment)) return <span className={className}>–</span>;
  return (
    <time
      dateTime={new Date(moment).toISOString()}
      data-tooltip={exactTime(moment)}
      className={className}
    >
      {text}
    </time>
  );
}

const clockTime = new Intl.DateTimeFormat(undefined, { timeStyle: "medium", hourCycle: "h23" });

/** When something was, for sentences: the time of day, and the day as well when it was not today. */
export function Moment({ at }: { at: number }) {
  const text = useClock((now) =>
    new Date(at).toDateString() === new Date(now).toDateString()
      ? clockTime.format(at)
      : localTime.format(at),
  );
  return (
    <time dateTime={new Date(at).toISOString()} data-tooltip={exactTime(at)}>
      {text}
    </time>
  );
}
