/** Moments with all the digits that a program knows: nanoseconds since 1970. */

const nanosPerMs = 1_000_000n;

export const nanosOf = (date: Date): bigint => BigInt(date.getTime()) * nanosPerMs;
export const dateOf = (nanos: bigint): Date => new Date(Number(nanos / nanosPerMs));

/** RFC 3339 in UTC: three digits of a second, or six or nine where there are as many. */
export function printNanos(nanos: bigint): string {
  const inMs = ((nanos % nanosPerMs) + nanosPerMs) % nanosPerMs;
  const text = new Date(Number((nanos - inMs) / nanosPerMs)).toISOString().slice(0, -1);
  if (inMs === 0n) return `${text}Z`;
  const digits = String(inMs).padStart(6, "0");
  return `${text}${digits.endsWith("000") ? digits.slice(0, 3) : digits}Z`;
}

/** What stands in RFC 3339, or close to it: a blank for the T, a comma for the point, no zone (UTC). */
const written =
  /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?\d*\s?(Z|[+-]\d\d:?\d\d)?$/i;

export function readNanos(
  text: string,
  offsetMs: (atMs: number) => number = () => 0,
): bigint | undefined {
  const [, day, time, fraction = "", zone] = written.exec(text.trim()) ?? [];
  if (day === undefined || time === undefined) return undefined;
  const ms = Date.parse(`${day}T${time}Z`);
  if (Number.isNaN(ms)) return undefined;
  const nanos = BigInt(ms) * nanosPerMs + BigInt(fraction.padEnd(9, "0") || "0");
  if (zone === undefined) return nanos - BigInt(offsetMs(ms)) * nanosPerMs;
  const [, sign, hours = "0", minutes = "0"] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? [];
  if (sign === undefined) return nanos;
  const shift = BigInt(Number(hours) * 60 + Number(minutes)) * 60_000n * nanosPerMs;
  return sign === "+" ? nanos - shift : nanos + shift;
}

/** A number of seconds, milliseconds, microseconds or nanoseconds since 1970, told apart by how large it is. */
export function readEpoch(text: string): bigint | undefined {
  const [, whole, fraction = ""] = /^(\d{9,19})(?:\.(\d{1,9}))?\d*$/.exec(text.trim()) ?? [];
  if (whole === undefined) return undefined;
  const power = whole.length <= 11 ? 9 : whole.length <= 14 ? 6 : whole.length <= 17 ? 3 : 0;
  return (
    BigInt(whole) * 10n ** BigInt(power) +
    BigInt(fraction.slice(0, power).padEnd(power, "0") || "0")
  );
}
