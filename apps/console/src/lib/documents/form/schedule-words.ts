import { nextRun, parseSchedule } from "@mainstay/contract/schedule.ts";

/** Document 3, section 5. */
export const scheduleOptions = [
  "@every 30s",
  "@every 1m",
  "@every 5m",
  "@every 30m",
  "@hourly",
  "@every 6h",
  "@daily",
  "@weekly",
] as const;

const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const named: Readonly<Record<string, string>> = {
  "@hourly": "Every hour, on the hour",
  "@daily": "Every day at 00:00",
  "@midnight": "Every day at 00:00",
  "@weekly": "Every Sunday at 00:00",
  "@monthly": "On the first of every month at 00:00",
  "@yearly": "On the first of January at 00:00",
  "@annually": "On the first of January at 00:00",
  "@never": "Never by itself: only when somebody runs it",
};
const units: readonly (readonly [string, string])[] = [
  ["w", "week"],
  ["d", "day"],
  ["h", "hour"],
  ["m", "minute"],
  ["s", "second"],
];

function interval(text: string): string | undefined {
  const parts = [...text.matchAll(/(\d+)([wdhms])(?![a-z])/g)];
  if (parts.length === 0 || parts.map(([whole]) => whole).join("") !== text) return undefined;
  const words = parts.map(([, count = "", letter]) => {
    const unit = units.find(([short]) => short === letter)?.[1] ?? "";
    if (count === "1") return parts.length === 1 ? unit : `1 ${unit}`;
    return `${count} ${unit}s`;
  });
  return `Every ${words.join(" ")}`;
}

const number = /^\d{1,2}$/;
const step = /^\*\/(\d{1,2})$/;

/** Cron as people say it, for the forms that most have; nothing for the others. */
function cron(text: string): string | undefined {
  const [minute = "", hour = "", day, month, weekday = ""] = text.split(/\s+/);
  if (month !== "*") return undefined;
  const every = step.exec(minute)?.[1];
  if (day === "*" && weekday === "*" && hour === "*") {
    if (minute === "*") return "Every minute";
    if (every) return `Every ${every} minutes`;
    if (number.test(minute)) return `Every hour, ${Number(minute)} past`;
  }
  if (!number.test(minute)) return undefined;
  const hours = step.exec(hour)?.[1];
  if (day === "*" && weekday === "*" && hours)
    return `Every ${hours} hours, ${Number(minute)} past`;
  if (!number.test(hour)) return undefined;
  const at = `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
  if (day === "*" && weekday === "*") return `Every day at ${at}`;
  if (day === "*" && /^1-5$|^mon-fri$/i.test(weekday)) return `Monday to Friday at ${at}`;
  if (day === "*" && /^[0-7]$/.test(weekday)) return `Every ${days[Number(weekday) % 7]} at ${at}`;
  if (weekday === "*" && number.test(day ?? "")) return `On day ${day} of every month at ${at}`;
  return undefined;
}

/** A schedule as a sentence; nothing where it is none, or one that only cron can say. */
export function scheduleInWords(text: string): string | undefined {
  const trimmed = text.trim().replace(/^(?:CRON_)?TZ=\S+\s+/, "");
  const every = /^@every\s+(\S+)$/.exec(trimmed)?.[1];
  return every === undefined ? (named[trimmed] ?? cron(trimmed)) : interval(every);
}

/** When it runs next, up to three times; nothing for a text that is no schedule. */
export function nextTimes(text: string, timeZone: string | undefined, now: Date): Date[] {
  const times: Date[] = [];
  try {
    const schedule = parseSchedule(text, timeZone);
    for (let after = now; times.length < 3;) {
      const next = nextRun(schedule, after);
      if (!next) break;
      times.push(next);
      after = next;
    }
  } catch {
    // What is wrong with it is said at the field.
  }
  return times;
}
