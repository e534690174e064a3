const second = 1_000;
const minute = 60_000;
const hour = 3_600_000;
const day = 86_400_000;

const short = (value: number) => String(Number(value.toFixed(value < 10 ? 2 : 1)));

/** A duration as people read it: ms under a second, s under a minute, m under an hour, h, then d. */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return "–";
  const size = Math.abs(ms);
  if (size < second) return `${Math.round(ms)}ms`;
  if (size < minute) return `${short(ms / second)}s`;
  if (size < hour) return `${short(ms / minute)}m`;
  if (size < 2 * day) return `${short(ms / hour)}h`;
  return `${short(ms / day)}d`;
}

const steps: readonly (readonly [size: number, unit: string])[] = [
  [365 * day, "y"],
  [30 * day, "mo"],
  [7 * day, "w"],
  [day, "d"],
  [hour, "h"],
  [minute, "m"],
  [second, "s"],
];

/** How long ago a moment was, or how far ahead it is: "3m ago", "in 2h", "now". */
export function formatAge(moment: number, now: number): string {
  const distance = Math.abs(now - moment);
  const step = steps.find(([size]) => distance >= size);
  if (!step) return "now";
  const text = `${Math.floor(distance / step[0])}${step[1]}`;
  return moment <= now ? `${text} ago` : `in ${text}`;
}

/** A percentage with one decimal when it is not whole, and never rounded up to 100. */
export function formatPercent(part: number, whole: number): string {
  if (whole <= 0) return "–";
  const exact = (part / whole) * 100;
  const rounded = part < whole ? Math.min(99.9, Math.round(exact * 10) / 10) : 100;
  return `${Number.isInteger(rounded) ? rounded : rounded.toFixed(1)}%`;
}
