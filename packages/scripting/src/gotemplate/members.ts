import { goDuration, goTime } from "../functions/go-format.ts";
import { Duration, type Value } from "../values.ts";
import { type Callable, callable, textArgument } from "./callable.ts";

/** What can be asked of times and durations with a dot: `.Format "15:04"`, `.Hours`. */

const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

const layoutPart =
  /January|Jan|Monday|Mon|2006|06|01|02|03|04|05|002|15|_2|MST|Z07:00|Z0700|Z07|-07:00|-0700|-07|PM|pm|[.,](?:0+|9+)(?!\d)|[12345]/g;

/** A time of UTC by a layout of Go's, which shows Monday, 2 January 2006, 15:04:05. */
export function formatTime(time: Date, layout: string): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  const hour = time.getUTCHours();
  const twelve = hour % 12 === 0 ? 12 : hour % 12;
  const month = months[time.getUTCMonth()] ?? "";
  const day = days[time.getUTCDay()] ?? "";
  const ofYear =
    Math.floor(
      (Date.UTC(time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate()) -
        Date.UTC(time.getUTCFullYear(), 0, 1)) /
        86_400_000,
    ) + 1;
  const parts: Record<string, string> = {
    January: month,
    Jan: month.slice(0, 3),
    Monday: day,
    Mon: day.slice(0, 3),
    "2006": String(time.getUTCFullYear()).padStart(4, "0"),
    "06": two(time.getUTCFullYear() % 100),
    "01": two(time.getUTCMonth() + 1),
    "1": String(time.getUTCMonth() + 1),
    "02": two(time.getUTCDate()),
    "2": String(time.getUTCDate()),
    _2: String(time.getUTCDate()).padStart(2),
    "002": String(ofYear).padStart(3, "0"),
    "15": two(hour),
    "03": two(twelve),
    "3": String(twelve),
    "04": two(time.getUTCMinutes()),
    "4": String(time.getUTCMinutes()),
    "05": two(time.getUTCSeconds()),
    "5": String(time.getUTCSeconds()),
    PM: hour >= 12 ? "PM" : "AM",
    pm: hour >= 12 ? "pm" : "am",
    MST: "UTC",
    "Z07:00": "Z",
    Z0700: "Z",
    Z07: "Z",
    "-07:00": "+00:00",
    "-0700": "+0000",
    "-07": "+00",
  };
  const fraction = String(time.getUTCMilliseconds()).padStart(3, "0").padEnd(9, "0");
  return layout.replace(layoutPart, (part) => {
    const plain = parts[part];
    if (plain !== undefined) return plain;
    const digits = fraction.slice(0, part.length - 1);
    if (part[1] === "0") return `${part[0]}${digits}`;
    const shown = digits.replace(/0+$/, "");
    return shown === "" ? "" : `${part[0]}${shown}`;
  });
}

const nanoseconds = (value: Value): bigint => {
  if (value instanceof Duration) return value.nanoseconds;
  if (typeof value === "bigint") return value;
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  throw new Error("expected a duration");
};

const asTime = (value: Value): Date => {
  if (value instanceof Date) return value;
  throw new Error("expected a time");
};

const add = (time: Date, by: bigint): Date => new Date(time.getTime() + Number(by / 1_000_000n));

const integer = (value: Value): number => {
  if (typeof value === "bigint" || typeof value === "number") return Number(value);
  throw new Error("expected an integer");
};

const timeMembers: Record<string, (time: Date) => Callable> = {
  Format: (time) => callable("Format", 1, ([layout]) => formatTime(time, textArgument(layout))),
  String: (time) => callable("String", 0, () => goTime(time)),
  UTC: (time) => callable("UTC", 0, () => time),
  Local: (time) => callable("Local", 0, () => time),
  Unix: (time) => callable("Unix", 0, () => BigInt(Math.floor(time.getTime() / 1000))),
  UnixMilli: (time) => callable("UnixMilli", 0, () => BigInt(time.getTime())),
  UnixNano: (time) => callable("UnixNano", 0, () => BigInt(time.getTime()) * 1_000_000n),
  Year: (time) => callable("Year", 0, () => BigInt(time.getUTCFullYear())),
  Month: (time) => callable("Month", 0, () => months[time.getUTCMonth()] ?? ""),
  Day: (time) => callable("Day", 0, () => BigInt(time.getUTCDate())),
  Weekday: (time) => callable("Weekday", 0, () => days[time.getUTCDay()] ?? ""),
  Hour: (time) => callable("Hour", 0, () => BigInt(time.getUTCHours())),
  Minute: (time) => callable("Minute", 0, () => BigInt(time.getUTCMinutes())),
  Second: (time) => callable("Second", 0, () => BigInt(time.getUTCSeconds())),
  Add: (time) => callable("Add", 1, ([by = null]) => add(time, nanoseconds(by))),
  Sub: (time) =>
    callable(
      "Sub",
      1,
      ([other = null]) =>
        new Duration(BigInt(time.getTime() - asTime(other).getTime()) * 1_000_000n),
    ),
  AddDate: (time) =>
    callable("AddDate", 3, ([years = null, inMonths = null, inDays = null]) => {
      const moved = new Date(time);
      moved.setUTCFullYear(
        time.getUTCFullYear() + integer(years),
        time.getUTCMonth() + integer(inMonths),
        time.getUTCDate() + integer(inDays),
      );
      return moved;
    }),
  Before: (time) =>
    callable("Before", 1, ([other = null]) => time.getTime() < asTime(other).getTime()),
  After: (time) =>
    callable("After", 1, ([other = null]) => time.getTime() > asTime(other).getTime()),
  Equal: (time) =>
    callable("Equal", 1, ([other = null]) => time.getTime() === asTime(other).getTime()),
  IsZero: (time) => callable("IsZero", 0, () => Number.isNaN(time.getTime())),
};

const inUnits =
  (name: string, unit: number) =>
  (duration: Duration): Callable =>
    callable(name, 0, () => Number(duration.nanoseconds) / unit);

const durationMembers: Record<string, (duration: Duration) => Callable> = {
  Hours: inUnits("Hours", 3_600e9),
  Minutes: inUnits("Minutes", 60e9),
  Seconds: inUnits("Seconds", 1e9),
  Milliseconds: (duration) => callable("Milliseconds", 0, () => duration.nanoseconds / 1_000_000n),
  Microseconds: (duration) => callable("Microseconds", 0, () => duration.nanoseconds / 1_000n),
  Nanoseconds: (duration) => callable("Nanoseconds", 0, () => duration.nanoseconds),
  String: (duration) => callable("String", 0, () => goDuration(duration)),
};

export function memberOf(receiver: Value, name: string): Callable | undefined {
  if (receiver instanceof Date) {
    return Object.hasOwn(timeMembers, name) ? timeMembers[name]?.(receiver) : undefined;
  }
  if (receiver instanceof Duration) {
    return Object.hasOwn(durationMembers, name) ? durationMembers[name]?.(receiver) : undefined;
  }
  return undefined;
}
