/** Durations as the documents write them: `30s`, `5m`, `1d12h`. A day is 24 hours, a week 7 days, a year 365 days. */

const second = 1000;
const units: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: second,
  m: 60 * second,
  h: 3600 * second,
  d: 86_400 * second,
  w: 7 * 86_400 * second,
  y: 365 * 86_400 * second,
};
const longestMs = 100 * 365 * 86_400 * second;
const longestText = 64;
const term = /(\d+(?:\.\d+)?|\.\d+)(ns|us|µs|μs|ms|s|m|h|d|w|y)/y;

const wrong = (text: string, why: string) =>
  new Error(`"${text.slice(0, longestText)}" is not a duration: ${why}`);

/** Milliseconds of a duration. Throws an error that says what is wrong with the text. */
export function parseDuration(text: string): number {
  const trimmed = text.trim();
  if (trimmed === "") throw wrong(text, "it is empty; write for example 30s, 5m or 1d12h");
  if (trimmed.length > longestText) throw wrong(text, "it is too long");
  if (trimmed === "0") return 0;
  if (trimmed.startsWith("-")) throw wrong(text, "it is negative");
  let total = 0;
  let at = 0;
  while (at < trimmed.length) {
    term.lastIndex = at;
    const match = term.exec(trimmed);
    if (!match) {
      const why = /^[\d.]+$/.test(trimmed.slice(at))
        ? "a number needs a unit (ns us ms s m h d w y)"
        : "write numbers with units, for example 30s, 5m or 1d12h";
      throw wrong(text, why);
    }
    total += Number(match[1]) * (units[match[2] as string] as number);
    at = term.lastIndex;
  }
  if (total > longestMs) throw wrong(text, "it is longer than 100 years");
  // Rounded to the nanosecond, so that 0.1s + 0.2s is 300 ms.
  const whole = Math.trunc(total);
  return whole + Math.round((total - whole) * 1e6) / 1e6;
}

export function isDuration(text: string): boolean {
  try {
    parseDuration(text);
    return true;
  } catch {
    return false;
  }
}

const written: readonly [string, number][] = [
  ["d", units.d as number],
  ["h", units.h as number],
  ["m", units.m as number],
  ["s", second],
  ["ms", 1],
];

/** The shortest text for a number of milliseconds that `parseDuration` reads back: `1d12h`, `90s` as `1m30s`. */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0)
    throw new Error(`${ms} milliseconds cannot be written as a duration.`);
  let nanoseconds = Math.round((ms % 1) * 1e6);
  let rest = Math.trunc(ms);
  if (nanoseconds === 1e6) {
    rest += 1;
    nanoseconds = 0;
  }
  let text = "";
  for (const [unit, size] of written) {
    const count = Math.floor(rest / size);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * size;
  }
  if (nanoseconds >= 1000) text += `${Math.floor(nanoseconds / 1000)}us`;
  if (nanoseconds % 1000 > 0) text += `${nanoseconds % 1000}ns`;
  return text || "0s";
}
