import { badRange } from "../errors.ts";

/** Which rows of a result are wanted. */
export interface Paging {
  limit?: number;
  offset?: number;
}

const whole = /^[+-]?\d{1,15}$/;

/** A number, or nothing: PostgREST ignores what is not a whole number. */
export function parseCount(name: "limit" | "offset", text: string): number | undefined {
  if (!whole.test(text.trim())) return undefined;
  const count = Number(text);
  if (count < 0 && name === "limit")
    throw badRange("Limit should be greater than or equal to zero.");
  return Math.max(0, count);
}

/** Reads `Range: 0-9` (the unit is always rows here). */
export function parseRangeHeader(header: string | undefined): Paging {
  const found = /^(?:items=)?(\d{1,15})-(\d{1,15})?$/.exec(header?.trim() ?? "");
  if (!found) return {};
  const first = Number(found[1]);
  if (found[2] === undefined) return { offset: first };
  const last = Number(found[2]);
  if (last < first) {
    throw badRange(
      "The lower boundary must be lower than or equal to the upper boundary in the Range header.",
    );
  }
  return { offset: first, limit: last - first + 1 };
}

/** The rows that both a query (`limit`, `offset`) and a `Range` header allow. */
export function intersectPaging(query: Paging, header: Paging): Paging {
  const offset = Math.max(query.offset ?? 0, header.offset ?? 0);
  const end = (paging: Paging) =>
    paging.limit === undefined ? Number.POSITIVE_INFINITY : (paging.offset ?? 0) + paging.limit;
  const last = Math.min(end(query), end(header));
  return {
    offset: offset === 0 ? undefined : offset,
    limit: last === Number.POSITIVE_INFINITY ? undefined : Math.max(0, last - offset),
  };
}
