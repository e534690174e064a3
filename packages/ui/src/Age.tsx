import { formatAge } from "./duration.ts";
import { useClock } from "./clock.ts";

export interface AgeProps {
  /** ISO text or epoch milliseconds; nothing is shown as a dash. */
  at: string | number | null | undefined;
  className?: string;
}

const localTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

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
