import { invalid } from "#platform/errors.ts";

/**
 * Where a line stands among all: its moment in microseconds since 1970, the nanoseconds below that, and its number, which
 * is that in which it came.
 */
export interface LinePosition {
  micros: number;
  nanos: number;
  id: number;
}

const pad = (value: number, digits: number) => String(value).padStart(digits, "0");

/** As the id of a line, and as a cursor: `1764000000123456789-42`. */
export const printPosition = ({ micros, nanos, id }: LinePosition): string =>
  `${micros}${pad(nanos, 3)}-${id}`;

/** @throws invalid for what was not printed here */
export function readPosition(text: string): LinePosition {
  const found = /^(\d{1,16})(\d{3})-(\d{1,15})$/.exec(text);
  if (!found) throw invalid("This is no line of the store.");
  return { micros: Number(found[1]), nanos: Number(found[2]), id: Number(found[3]) };
}

/** RFC 3339 in UTC with microseconds, as PostgreSQL reads it exactly. */
export const timeOf = (micros: number): string =>
  `${new Date(Math.floor(micros / 1000)).toISOString().slice(0, -1)}${pad(micros % 1000, 3)}Z`;

/** RFC 3339 in UTC with the digits that say something, three at a time. */
export function timestampOf({ micros, nanos }: Pick<LinePosition, "micros" | "nanos">): string {
  const text = timeOf(micros);
  if (nanos > 0) return `${text.slice(0, -1)}${pad(nanos, 3)}Z`;
  return micros % 1000 === 0 ? `${text.slice(0, -4)}Z` : text;
}
