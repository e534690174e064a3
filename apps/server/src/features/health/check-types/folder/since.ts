import { parseDuration } from "@mainstay/contract";

/** Reads `now`, `now-1d`, `now+2h` or an RFC 3339 time; a time without a zone is UTC. */
export function parseSince(text: string, now: Date): Date {
  const math = /^now(?:([+-])(\S+))?$/.exec(text.trim());
  if (math) {
    const offsetMs = math[2] === undefined ? 0 : parseDuration(math[2]);
    return new Date(now.getTime() + (math[1] === "-" ? -offsetMs : offsetMs));
  }
  const isTime =
    /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(?:Z|[+-]\d\d:\d\d)?$/i.test(
      text.trim(),
    );
  const hasZone = /(?:Z|[+-]\d\d:\d\d)$/i.test(text.trim()) || !/[T ]/.test(text.trim());
  const time = new Date(hasZone ? text.trim() : `${text.trim()}Z`);
  if (!isTime || Number.isNaN(time.getTime())) {
    throw new Error(`"${text.slice(0, 64)}" is not a time: write now-1d or an RFC 3339 time`);
  }
  return time;
}
