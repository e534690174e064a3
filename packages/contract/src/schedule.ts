import { Cron } from "croner";
import { parseDuration } from "./duration.ts";

/**
 * When something runs: five-field cron in a time zone, a fixed interval, or never by itself.
 *
 * Cron and clock changes, as cron daemons have always done it: a fixed time that the clock jumps over runs once right
 * after the jump, a fixed time that happens twice runs at its first occurrence, and wildcard times keep their interval.
 */
export type Schedule =
  | { kind: "never" }
  | { kind: "every"; everyMs: number }
  | { kind: "cron"; expression: string; timeZone: string };

const shortestMs = 1000;
const longestText = 256;

const named: Record<string, string> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
};

const crons = new Map<string, Cron>();
const cronsKept = 1000;
const timeZonesKept = 1_000;

function cronOf(expression: string, timeZone: string): Cron {
  const key = `${timeZone} ${expression}`;
  const known = crons.get(key);
  if (known) return known;
  const cron = new Cron(expression, { timezone: timeZone, mode: "5-part", paused: true });
  if (crons.size >= cronsKept) crons.clear();
  crons.set(key, cron);
  return cron;
}

/** Each question makes a format with a table of its own, which costs more than the rest of a schedule. */
const timeZones = new Set<string>();

export function isTimeZone(name: string): boolean {
  if (timeZones.has(name)) return true;
  try {
    const format = new Intl.DateTimeFormat("en", { timeZone: name });
    if (format.resolvedOptions().timeZone === "") return false;
  } catch {
    return false;
  }
  // Those that exist are some hundreds, but each in any mix of large and small letters.
  if (timeZones.size >= timeZonesKept) timeZones.clear();
  timeZones.add(name);
  return true;
}

/**
 * Reads `* * * * *`, `@every 30s`, `@hourly` and its like, or `@never`. A leading `CRON_TZ=<zone>` or `TZ=<zone>` wins
 * over `timeZone`; without either it is UTC. Throws an error that says what is wrong with the text.
 */
export function parseSchedule(text: string, timeZone = "UTC"): Schedule {
  let rest = text.trim();
  const wrong = (why: string) => new Error(`"${text.slice(0, 80)}" is not a schedule: ${why}`);
  if (rest.length > longestText) throw wrong("it is too long");
  if (rest === "")
    throw wrong("it is empty; write a cron expression, @every 1m, @hourly or @never");
  let zone = timeZone;
  const zoned = /^(?:CRON_)?TZ=(\S+)\s+/.exec(rest);
  if (zoned) {
    zone = zoned[1] as string;
    rest = rest.slice(zoned[0].length).trim();
  }
  if (!isTimeZone(zone)) throw wrong(`"${zone}" is not a time zone name such as Europe/Berlin`);
  if (rest === "@never") return { kind: "never" };
  const every = /^@every\s+(.+)$/.exec(rest);
  if (every) {
    const everyMs = parseDuration(every[1] as string);
    if (everyMs < shortestMs) throw wrong("the shortest interval is 1s");
    return { kind: "every", everyMs: Math.round(everyMs) };
  }
  const expression = named[rest] ?? rest;
  if (expression.startsWith("@"))
    throw wrong("known names are @every, @hourly, @daily, @weekly, @monthly, @yearly and @never");
  const fields = expression.split(/\s+/).length;
  if (fields !== 5) throw wrong(`a cron expression has 5 fields, this has ${fields}`);
  try {
    cronOf(expression, zone);
  } catch (error) {
    throw wrong((error as Error).message.replace(/^CronPattern: /, ""));
  }
  return { kind: "cron", expression, timeZone: zone };
}

/**
 * The first slot after a moment, or undefined when there is none (`@never`, 30 February).
 *
 * The slots of an interval are `origin + n × interval`, whatever ran when: they do not drift, and every server computes
 * the same ones. The origin is the epoch unless given.
 */
export function nextRun(
  schedule: Schedule,
  after: Date,
  origin: Date = new Date(0),
): Date | undefined {
  switch (schedule.kind) {
    case "never":
      return undefined;
    case "every": {
      const sinceOrigin = after.getTime() - origin.getTime();
      const slot = Math.floor(sinceOrigin / schedule.everyMs) + 1;
      return new Date(origin.getTime() + slot * schedule.everyMs);
    }
    case "cron":
      return cronOf(schedule.expression, schedule.timeZone).nextRun(after) ?? undefined;
  }
}
