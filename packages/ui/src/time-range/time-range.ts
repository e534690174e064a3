import { minute } from "../moments.ts";

/**
 * Ranges of time as people choose them: counted from now ("the last 2 days"), between two moments, or by name
 * ("Yesterday"). One text form serves the address bar, the text box and browser storage.
 */

export type TimeRange =
  | { kind: "relative"; from: string; to: string }
  | { kind: "absolute"; from: string; to: string }
  | { kind: "mapped"; name: string };

export interface ResolvedRange {
  from: number;
  to: number;
}

type Unit = "s" | "m" | "h" | "d" | "w" | "mo" | "y";

const fixedMs: Record<Exclude<Unit, "mo" | "y">, number> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

const unitNames: Record<Unit, string> = {
  s: "second",
  m: "minute",
  h: "hour",
  d: "day",
  w: "week",
  mo: "month",
  y: "year",
};

const longestDateMath = 64;
const furthestYears = 1_000;

function asUnit(text: string): Unit | undefined {
  if (text === "M") return "mo";
  return text in unitNames ? (text as Unit) : undefined;
}

function shift(moment: number, count: number, unit: Unit): number {
  if (unit === "mo" || unit === "y") {
    const date = new Date(moment);
    const day = date.getDate();
    date.setDate(1);
    if (unit === "mo") date.setMonth(date.getMonth() + count);
    else date.setFullYear(date.getFullYear() + count);
    // The 31st a month earlier is that month's last day, not a day of the next.
    date.setDate(Math.min(day, new Date(date.getFullYear(), date.getMonth() + 1, 0).getDate()));
    return date.getTime();
  }
  if (unit === "d" || unit === "w") {
    const date = new Date(moment);
    date.setDate(date.getDate() + count * (unit === "w" ? 7 : 1));
    return date.getTime();
  }
  return moment + count * fixedMs[unit];
}

function startOf(moment: number, unit: Unit): number {
  const date = new Date(moment);
  if (unit === "s") date.setMilliseconds(0);
  else if (unit === "m") date.setSeconds(0, 0);
  else if (unit === "h") date.setMinutes(0, 0, 0);
  else {
    date.setHours(0, 0, 0, 0);
    // Weeks start on Monday.
    if (unit === "w") date.setDate(date.getDate() - ((date.getDay() + 6) % 7));
    if (unit === "mo") date.setDate(1);
    if (unit === "y") date.setMonth(0, 1);
  }
  return date.getTime();
}

/** A moment written as `now`, `now-2d`, `now-1d/d` or ISO text. `end` rounds up instead of down. */
export function parseMoment(text: string, now: number, end = false): number | undefined {
  const trimmed = text.trim();
  if (trimmed.length > longestDateMath) return undefined;
  if (!trimmed.startsWith("now")) {
    const moment = /^\d{4}-\d{2}-\d{2}/.test(trimmed)
      ? Date.parse(trimmed.replace(" ", "T"))
      : Number.NaN;
    return Number.isNaN(moment) ? undefined : moment;
  }
  let moment = now;
  let rest = trimmed.slice(3);
  while (rest !== "") {
    const step = /^\s*(?:([+-])\s*(\d{1,6})|\/)\s*(mo|[smhdwMy])/.exec(rest);
    const unit = asUnit(step?.[3] ?? "");
    if (!step || !unit) return undefined;
    const [whole, sign, count] = step;
    if (sign === undefined) {
      moment = end ? shift(startOf(moment, unit), 1, unit) - 1 : startOf(moment, unit);
    } else {
      moment = shift(moment, Number(count) * (sign === "-" ? -1 : 1), unit);
    }
    rest = rest.slice(whole.length);
  }
  const isFar = Math.abs(moment - now) > furthestYears * 366 * fixedMs.d;
  return Number.isNaN(moment) || isFar ? undefined : moment;
}

/** Ranges with a name: both ends as date math, rounded outward. */
export const mappedRanges: readonly { name: string; label: string; from: string; to: string }[] = [
  { name: "today", label: "Today", from: "now/d", to: "now/d" },
  { name: "today-so-far", label: "Today so far", from: "now/d", to: "now" },
  { name: "yesterday", label: "Yesterday", from: "now-1d/d", to: "now-1d/d" },
  { name: "day-before-yesterday", label: "Day before yesterday", from: "now-2d/d", to: "now-2d/d" },
  { name: "this-day-last-week", label: "This day last week", from: "now-7d/d", to: "now-7d/d" },
  { name: "this-week", label: "This week", from: "now/w", to: "now/w" },
  { name: "this-week-so-far", label: "This week so far", from: "now/w", to: "now" },
  { name: "previous-week", label: "Previous week", from: "now-1w/w", to: "now-1w/w" },
  { name: "this-month", label: "This month", from: "now/mo", to: "now/mo" },
  { name: "this-month-so-far", label: "This month so far", from: "now/mo", to: "now" },
  { name: "previous-month", label: "Previous month", from: "now-1mo/mo", to: "now-1mo/mo" },
  { name: "this-year", label: "This year", from: "now/y", to: "now/y" },
  { name: "this-year-so-far", label: "This year so far", from: "now/y", to: "now" },
  { name: "previous-year", label: "Previous year", from: "now-1y/y", to: "now-1y/y" },
];

const amounts: readonly string[] =
  "5m 15m 30m 1h 2h 3h 6h 12h 1d 2d 3d 1w 2w 3w 1mo 2mo 3mo 6mo 1y 2y 3y 5y".split(" ");

export const pastRanges: readonly TimeRange[] = amounts.map((amount) => relativeRange(amount));
export const futureRanges: readonly TimeRange[] = amounts.map((amount) => ({
  kind: "relative",
  from: "now",
  to: `now+${amount}`,
}));

/** The last so much, e.g. `2d`. */
export function relativeRange(amount: string): TimeRange {
  return { kind: "relative", from: `now-${amount}`, to: "now" };
}

/** The two moments a range means now, or nothing when it means none or ends before it starts. */
export function resolveRange(range: TimeRange, now: number): ResolvedRange | undefined {
  const mapped =
    range.kind === "mapped" ? mappedRanges.find(({ name }) => name === range.name) : undefined;
  const ends = range.kind === "mapped" ? mapped : range;
  if (!ends) return undefined;
  const from = parseMoment(ends.from, now);
  const to = parseMoment(ends.to, now, true);
  return from === undefined || to === undefined || from >= to ? undefined : { from, to };
}

/**
 * A range from text: `2d`, `now-2d`, `now-2d to now-1d`, `2026-01-01 to 2026-01-02`, a name such as `Yesterday`, or
 * what `formatRange` wrote.
 */
export function parseRange(text: string, now: number = Date.now()): TimeRange | undefined {
  const trimmed = text.trim();
  const named = mappedRanges.find(
    ({ name, label }) =>
      name === trimmed.toLowerCase() || label.toLowerCase() === trimmed.toLowerCase(),
  );
  if (named) return { kind: "mapped", name: named.name };
  const amount = /^(?:last\s+)?(\d{1,6})\s*(mo|[smhdwMy])$/.exec(trimmed);
  if (amount) return checked(relativeRange(`${amount[1]}${amount[2]}`), now);
  const [first = "", second, ...others] = trimmed.split(/\s+to\s+|\.\./);
  if (others.length > 0) return undefined;
  if (second === undefined) {
    return first.startsWith("now+")
      ? checked({ kind: "relative", from: "now", to: first }, now)
      : checked({ kind: "relative", from: first, to: "now" }, now);
  }
  const [from, to] = [parseMoment(first, now), parseMoment(second, now, true)];
  if (from === undefined || to === undefined) return undefined;
  if (first.startsWith("now") || second.startsWith("now")) {
    return checked({ kind: "relative", from: first.trim(), to: second.trim() }, now);
  }
  return checked(
    { kind: "absolute", from: new Date(from).toISOString(), to: new Date(to).toISOString() },
    now,
  );
}

function checked(range: TimeRange, now: number): TimeRange | undefined {
  return resolveRange(range, now) ? range : undefined;
}

/** The text of a range for an address: `2d`, `now-2d..now-1d`, `{iso}..{iso}`, `yesterday`. */
export function formatRange(range: TimeRange): string {
  if (range.kind === "mapped") return range.name;
  const amount = /^now-(\d+(?:mo|[smhdwy]))$/.exec(range.from)?.[1];
  if (range.kind === "relative" && range.to === "now" && amount) return amount;
  return `${range.from}..${range.to}`;
}

/** A range as people read it: "Last 2 days", "Yesterday", or both ends. */
export function describeRange(range: TimeRange): string {
  if (range.kind === "mapped")
    return mappedRanges.find(({ name }) => name === range.name)?.label ?? range.name;
  if (range.kind === "absolute")
    return minute.formatRange(new Date(range.from), new Date(range.to));
  const words = (end: string, sign: string): string | undefined => {
    const match = new RegExp(`^now\\${sign}(\\d+)(mo|[smhdwy])$`).exec(end);
    const unit = asUnit(match?.[2] ?? "");
    if (!match || !unit) return undefined;
    return match[1] === "1" ? unitNames[unit] : `${match[1]} ${unitNames[unit]}s`;
  };
  const past = range.to === "now" ? words(range.from, "-") : undefined;
  if (past) return `Last ${past}`;
  const future = range.from === "now" ? words(range.to, "+") : undefined;
  return future ? `Next ${future}` : `${range.from} to ${range.to}`;
}

/** How long a range is, in minutes. */
export function rangeMinutes(range: TimeRange, now: number = Date.now()): number {
  const ends = resolveRange(range, now);
  return ends ? (ends.to - ends.from) / 60_000 : 0;
}
