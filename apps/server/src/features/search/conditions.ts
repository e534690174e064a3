import { isExact, type MatchList, type Pattern } from "@mainstay/contract";
import sql, { join, raw, type Sql } from "sql-template-tag";

/** Conditions in SQL. Everything that somebody wrote is a parameter; case never matters. */

export const nothing: Sql = sql`false`;
export const everything: Sql = sql`true`;

export const all = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? everything : sql`(${join(conditions, " and ")})`;
export const any = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? nothing : sql`(${join(conditions, " or ")})`;

/** Also true where the condition knows no answer, because something is missing. */
export const not = (condition: Sql): Sql => sql`(${condition}) is not true`;

const likeEscaped = (text: string) => text.replaceAll(/[\\%_]/g, "\\$&");
const likeText = (pattern: Pattern) => pattern.map(likeEscaped).join("%");

/** What an index on names is made of; its order is by code points, wherever the database runs. */
export const lowered = (text: Sql): Sql => sql`lower(${text}) collate "C"`;

/** What begins with anything is compared in the words of the indexes on parts of texts. */
export const like = (text: Sql, pattern: Pattern): Sql =>
  isExact(pattern)
    ? sql`${lowered(text)} = lower(${pattern[0]}::text)`
    : pattern[0] === ""
      ? sql`${text} ilike ${likeText(pattern)}::text`
      : sql`${lowered(text)} like lower(${likeText(pattern)}::text)`;

export const startsWith = (text: Sql, pattern: Pattern): Sql => like(text, [...pattern, ""]);
export const contains = (text: Sql, pattern: Pattern): Sql => like(text, ["", ...pattern, ""]);

/** One of the included ones, unless there are none, and none of the excluded ones. */
export function inMatchList(matches: (pattern: Pattern) => Sql, list: MatchList): Sql {
  return all([
    ...(list.include.length > 0 ? [any(list.include.map(matches))] : []),
    ...list.exclude.map((pattern) => not(matches(pattern))),
  ]);
}

/** The name of a table or column of ours. */
export const named = (...names: string[]): Sql => raw(names.join("."));
