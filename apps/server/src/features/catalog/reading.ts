import { filterText, type MatchList, parseMatchList } from "@mainstay/contract";
import sql, { type Sql } from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";
import { createShares } from "#platform/http/shares.ts";
import { inMatchList, like } from "#features/search/index.ts";

/** What the endpoints that read much of the catalog at once have in common. */

export const catalogShares = () =>
  createShares({
    // A page asks for its groups and for its changes at the same time.
    asker: { atOnce: 2, waiting: 30, longestWaitMs: 10_000 },
    everybody: { atOnce: 4, waiting: 200, longestWaitMs: 10_000 },
    budget: { mostMs: 20_000, perMinuteMs: 20_000, askers: 10_000 },
  });

/** A statement that takes longer is refused. */
export const longestMs = 5_000;

/** PostgreSQL compares each pattern with each place of a text, and is not stopped in the middle of it. */
const longestFilter = 800;

export const filterOfTexts = filterText.refine(
  (text) => text.length <= longestFilter,
  `A filter has at most ${longestFilter} characters.`,
);

export const isEmpty = ({ include, exclude }: MatchList): boolean =>
  include.length + exclude.length === 0;

/** That a text is one of a filter's; nothing when the filter says nothing. */
export function matches(text: Sql, filter: string | null | undefined): Sql | undefined {
  const list = parseMatchList(filter ?? "");
  return isEmpty(list) ? undefined : inMatchList((pattern) => like(text, pattern), list);
}

/**
 * Which values a filter means, of a column whose values are few and are listed by a view; nothing when the filter says
 * nothing. They are looked up first: a statement that says them is planned by how many rows have them.
 */
export async function lookUp(
  tx: Queryable,
  listed: { view: Sql; column: Sql },
  filter: string | null | undefined,
): Promise<string[] | undefined> {
  const found = matches(listed.column, filter);
  if (!found) return undefined;
  const rows = await tx.rows<{ value: string }>(
    sql`select ${listed.column} as value from ${listed.view} where ${found}`,
  );
  return rows.map(({ value }) => value);
}

/** That a column has one of the values that a filter means. */
export function hasOneOf(
  column: Sql,
  values: readonly string[] | undefined,
  filter: string | null | undefined,
): Sql | undefined {
  if (!values) return undefined;
  const isFound = sql`${column} = any (${values}::text[])`;
  // What says only what it does not want wants what has no value, too.
  return parseMatchList(filter ?? "").include.length > 0
    ? isFound
    : sql`(${isFound} or ${column} is null)`;
}
