import { formatAge } from "./duration.ts";
import { useClock } from "./clock.ts";
import { day, moment, timeOfDay } from "./moments.ts";

export interface AgeProps {
  /** ISO text or epoch milliseconds; nothing is shown as a dash. */
  at: string | number | null | undefined;
  className?: string;
}

/** A moment within a sentence or a title, where no element can stand. Everywhere else `Age` or `Moment`. */
export const momentText = (at: number): string => moment.format(at);
/** Only its day. */
export const dayText = (at: number): string => day.format(at);

/** The exact moment, for tooltips: local time, then UTC. */
export function exactTime(at: number): string {
  return `${moment.format(at)}\n${new Date(at).toISOString().replace("T", " ").slice(0, 19)} UTC`;
}

/** How long ago something was. Ticks by itself, without anything around it rendering again. */
export function Age({ at, className }: AgeProps) {
  const ms = at === null || at === undefined ? Number.NaN : new Date(at).getTime();
  const text = useClock((now) => (Number.isNaN(ms) ? "–" : formatAge(ms, now)));
  if (Number.isNaN(ms)) return <span className={className}>–</span>;
  return (
    <time dateTime={new Date(ms).toISOString()} data-tooltip={exactTime(ms)} className={className}>
      {text}
    </time>
  );
}

/** When something was, for sentences: the time of day, and the day as well when it was not today. */
export function Moment({ at }: { at: number }) {
  const text = useClock((now) =>
    new Date(at).toDateString() === new Date(now).toDateString()
      ? timeOfDay.format(at)
      : moment.format(at),
  );
  return (
    <time dateTime={new Date(at).toISOString()} data-tooltip={exactTime(at)}>
      {text}
    </time>
  );
}
