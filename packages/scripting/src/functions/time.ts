import { Duration } from "../values.ts";

/** Times and lengths of time, in nanoseconds since 1970 where a `Date` is too coarse. */

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
  d: 86_400_000_000_000n,
  w: 604_800_000_000_000n,
  y: 31_536_000_000_000_000n,
};
const goUnits = new Set(["ns", "us", "µs", "μs", "ms", "s", "m", "h"]);

/**
 * Nanoseconds of a text like `1h30m`, `-2.5s`; undefined of what is none.
 * Go knows no unit above hours; documents write days, weeks and years as well.
 */
export function parseDuration(text: string, { days }: { days: boolean }): bigint | undefined {
  const [, sign, rest] = /^\s*([-+]?)(.*?)\s*$/s.exec(text.slice(0, 128)) ?? [];
  if (!rest) return undefined;
  if (rest === "0") return 0n;
  let total = 0n;
  let end = 0;
  for (const [all, whole, fraction, unit] of rest.matchAll(
    /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h|d|w|y)/gy,
  )) {
    if (!whole && !fraction) return undefined;
    if (!days && !goUnits.has(unit!)) return undefined;
    const factor = units[unit!]!;
    total += BigInt(whole || 0) * factor;
    if (fraction) total += (BigInt(fraction) * factor) / 10n ** BigInt(fraction.length);
    end += all.length;
  }
  if (end !== rest.length) return undefined;
  return sign === "-" ? -total : total;
}

/** Nanoseconds since 1970 of a time in RFC 3339; undefined of what is none. */
export function parseTimestamp(text: string): bigint | undefined {
  const found =
    /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9})\d*)?(?:[Zz]|([-+])(\d\d):(\d\d))$/.exec(
      text,
    );
  if (!found) return undefined;
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const milliseconds = utc(year, month, day, hour, minute, second);
  if (milliseconds === undefined) return undefined;
  const [fraction, sign, hours, minutes] = found.slice(7);
  const offset = sign ? (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1) : 0;
  return (
    BigInt(milliseconds - offset * 60_000) * 1_000_000n + BigInt((fraction ?? "").padEnd(9, "0"))
  );
}

/** Milliseconds since 1970; undefined of a day or an hour that no calendar or clock has. */
function utc(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
): number | undefined {
  if (month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  return date.getUTCDate() === day && date.getUTCMonth() === month - 1 ? date.getTime() : undefined;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** What a clock in a time zone (`Europe/Berlin`, `+02:00`, `UTC`) is ahead of UTC at a moment. @throws for unknown zones. */
export function zoneOffsetMinutes(milliseconds: number, zone: string): number {
  const fixed = /^([-+]?)(\d\d?):?(\d\d)$/.exec(zone);
  if (fixed) return (Number(fixed[2]) * 60 + Number(fixed[3])) * (fixed[1] === "-" ? -1 : 1);
  // The server has no zone of its own for scripts, so that they mean the same wherever they run.
  if (zone === "" || zone === "UTC" || zone === "Z" || zone === "Local") return 0;
  let format = formats.get(zone);
  if (!format) {
    try {
      format = new Intl.DateTimeFormat("en-US", {
        timeZone: zone,
        calendar: "gregory",
        hourCycle: "h23",
        era: "short",
        year: "numeric",
        month: "numeric",
        day: "numeric",
        hour: "numeric",
        minute: "numeric",
        second: "numeric",
      });
    } catch (error) {
      throw new Error(`there is no time zone ${zone}`, { cause: error });
    }
    if (formats.size > 100) formats.clear();
    formats.set(zone, format);
  }
  const part = Object.fromEntries(
    format.formatToParts(milliseconds).map(({ type, value }) => [type, value]),
  );
  const year = part.era === "BC" ? 1 - Number(part.year) : Number(part.year);
  const local = new Date(0);
  local.setUTCFullYear(year, Number(part.month) - 1, Number(part.day));
  local.setUTCHours(Number(part.hour), Number(part.minute), Number(part.second));
  return Math.round((local.getTime() - Math.floor(milliseconds / 1000) * 1000) / 60_000);
}

/** A `Date` whose UTC fields are those of a clock in the zone. */
export const inZone = (milliseconds: number, zone: string): Date =>
  new Date(milliseconds + zoneOffsetMinutes(milliseconds, zone) * 60_000);

const months =
  "January February March April May June July August September October November December".split(
    " ",
  );
const weekdays = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
const layoutParts =
  /January|Jan|Monday|Mon|MST|2006|Z07:00:00|Z07:00|Z0700|Z07|-07:00:00|-07:00|-0700|-07|[.,](?:0+|9+)(?!\d)|01|02|03|04|05|06|002|__2|15|PM|pm|_2|1|2|3|4|5/g;

const pattern = (names: readonly string[], length?: number) =>
  names.map((name) => name.slice(0, length)).join("|");

/**
 * Reads a text by a layout of Go (`2006-01-02 15:04`), in a time zone where the text names none.
 * @throws when the text is not as the layout says.
 */
export function parseByLayout(layout: string, text: string, zone: string): bigint {
  const fields: string[] = [];
  const quote = (part: string) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  let expression = "";
  let end = 0;
  for (const found of layout.matchAll(layoutParts)) {
    expression += quote(layout.slice(end, found.index));
    end = found.index + found[0].length;
    fields.push(found[0]);
    expression += `(${fieldPattern(found[0])})`;
    // Digits of a second may follow where the layout has none.
    if ((found[0] === "05" || found[0] === "5") && !/^[.,][09]/.test(layout.slice(end))) {
      fields.push(".9");
      expression += "([.,]\\d+)?";
    }
  }
  expression += quote(layout.slice(end));
  const found = new RegExp(`^${expression}$`, "i").exec(text);
  if (!found) throw new Error(`"${text}" is not a time as in "${layout}"`);

  const date = { year: 0, month: 1, day: 1, hour: 0, minute: 0, second: 0, fraction: "" };
  let afternoon: boolean | undefined;
  let offset: number | undefined;
  for (const [place, field] of fields.entries()) {
    const value = found[place + 1] ?? "";
    const number = Number(value.trim());
    if (field === "2006") date.year = number;
    else if (field === "06") date.year = number + (number >= 69 ? 1900 : 2000);
    else if (field === "01" || field === "1") date.month = number;
    else if (field === "January" || field === "Jan")
      date.month =
        1 +
        months.findIndex((name) => name.toLowerCase().startsWith(value.toLowerCase().slice(0, 3)));
    else if (field === "02" || field === "2" || field === "_2") date.day = number;
    else if (field === "002" || field === "__2") {
      date.month = 1;
      date.day = number;
    } else if (field === "15" || field === "03" || field === "3") date.hour = number;
    else if (field === "04" || field === "4") date.minute = number;
    else if (field === "05" || field === "5") date.second = number;
    else if (/^[.,]/.test(field)) date.fraction = value.slice(1);
    else if (field === "PM" || field === "pm") afternoon = value.toLowerCase() === "pm";
    else if (/^(?:Z|-)07/.test(field)) {
      const [, sign, hours, minutes] = /^([-+])(\d\d):?(\d\d)?/.exec(value) ?? [];
      offset = sign ? (Number(hours) * 60 + Number(minutes ?? 0)) * (sign === "-" ? -1 : 1) : 0;
    } else if (field === "MST" && /^(?:UTC|GMT|Z)$/i.test(value)) offset = 0;
  }
  if (afternoon !== undefined) date.hour = (date.hour % 12) + (afternoon ? 12 : 0);
  const dayOfYear = fields.includes("002") || fields.includes("__2");
  const local = dayOfYear
    ? Date.UTC(date.year, 0, date.day, date.hour, date.minute, date.second)
    : utc(date.year, date.month, date.day, date.hour, date.minute, date.second);
  if (local === undefined) throw new Error(`"${text}" is a day or an hour that there is not`);
  const milliseconds = offset === undefined ? fromZone(local, zone) : local - offset * 60_000;
  return BigInt(milliseconds) * 1_000_000n + BigInt(date.fraction.slice(0, 9).padEnd(9, "0"));
}

function fieldPattern(field: string): string {
  switch (field) {
    case "January":
      return pattern(months);
    case "Jan":
      return pattern(months, 3);
    case "Monday":
      return pattern(weekdays);
    case "Mon":
      return pattern(weekdays, 3);
    case "MST":
      return "[A-Z]{1,5}";
    case "2006":
      return "\\d{4}";
    case "002":
      return "\\d{3}";
    case "PM":
    case "pm":
      return "am|pm";
    case "_2":
    case "__2":
      return "\\s*\\d{1,3}";
    default:
  }
  if (field.startsWith("Z07")) return "Z|[-+]\\d\\d(?::?\\d\\d){0,2}";
  if (field.startsWith("-07")) return "[-+]\\d\\d(?::?\\d\\d){0,2}";
  if (/^[.,]0/.test(field)) return `[.,]\\d{${field.length - 1}}`;
  if (/^[.,]9/.test(field)) return "(?:[.,]\\d+)?";
  return field.length === 2 && field !== "15" ? "\\d\\d" : "\\d{1,2}";
}

/** The moment at which a clock in the zone shows what a `Date` has in its UTC fields. */
function fromZone(local: number, zone: string): number {
  const first = local - zoneOffsetMinutes(local, zone) * 60_000;
  return local - zoneOffsetMinutes(first, zone) * 60_000;
}

/** Whether the time of day, as its own clock shows it, is from `start` to `end`, both `HH:MM` or `HH:MM:SS`. */
export function isInTimeRange(milliseconds: number, start: string, end: string): boolean {
  const second = ((Math.floor(milliseconds / 1000) % 86_400) + 86_400) % 86_400;
  const [from, to] = [secondOfDay(start), secondOfDay(end)];
  // Over midnight, when it ends before it begins.
  return from <= to ? second >= from && second <= to : second >= from || second <= to;
}

function secondOfDay(text: string): number {
  const found = /^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/.exec(text);
  if (!found) throw new Error(`"${text}" is no time of day: 09:00 or 09:00:30`);
  return Number(found[1]) * 3600 + Number(found[2]) * 60 + Number(found[3] ?? 0);
}

/** Monday to Friday from nine to five, in the zone. */
export function isInBusinessHours(milliseconds: number, zone = "UTC"): boolean {
  const local = inZone(milliseconds, zone);
  const day = local.getUTCDay();
  return day >= 1 && day <= 5 && local.getUTCHours() >= 9 && local.getUTCHours() < 17;
}

/** As `Duration()` means it: days and weeks too, and nonsense is none. */
export const lenientDuration = (text: string): Duration =>
  new Duration(parseDuration(text, { days: true }) ?? 0n);
