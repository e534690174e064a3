import { lineLevels, type LogTerm } from "@mainstay/contract";
import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import { storableText } from "#platform/db/storable-text.ts";
import type { LinesQuestion } from "../backends/log-backend.ts";
import { neededWords } from "./needed-words.ts";
import { re2ToPostgres } from "./re2-to-postgres.ts";

export interface Conditions {
  /** What PostgreSQL is asked; ` and …`, or nothing. */
  where: Sql;
  /** The same of levels alone, where any are asked for. */
  ofLevels: Sql | undefined;
  /** What it cannot be asked: looked at afterwards, line by line. */
  rest: readonly LogTerm[];
  /** How the lines are found that are rare: by an index on words or labels, by that on warnings, or by looking at all. */
  by: "index" | "warnings" | "looking";
}

/** The rank from which the index on warnings holds lines (migration 58). */
const warning = 3;
/** What the index on words can find: three characters in a row that belong to a word. */
const hasTrigram = (text: string) => /[\p{L}\p{N}]{3}/u.test(text);

/** `%`, `_` and the escape itself stand for themselves. */
const literally = (text: string) => `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
const has = (name: string, value: string) =>
  sql`labels @> ${JSON.stringify({ [name]: value })}::jsonb`;
const valueOf = (name: string) => sql`coalesce(labels ->> ${name}, '')`;
const turned = (condition: Sql, isNot: boolean) => (isNot ? sql`not (${condition})` : condition);

export function conditionsOf({
  search,
  labels,
}: Pick<LinesQuestion, "search" | "labels">): Conditions {
  const wheres: Sql[] = [];
  const levels: Sql[] = [];
  const rest: LogTerm[] = [];
  let isIndexed = false;
  let areWarnings = false;
  const oneOf = (name: string, values: readonly string[]): Sql => {
    const known = [...new Set(values.map((value) => storableText(value)))];
    if (known.includes("")) return sql`${valueOf(storableText(name))} = any (${known}::text[])`;
    return join(
      known.map((value) => has(storableText(name), value)),
      " or ",
    );
  };
  for (const [name, value] of Object.entries(labels)) {
    wheres.push(oneOf(name, [value]));
    if (value !== "") isIndexed = true;
  }
  for (const term of search.terms) {
    switch (term.kind) {
      case "text":
        wheres.push(
          term.isNot
            ? sql`message not ilike ${literally(storableText(term.text))}`
            : sql`message ilike ${literally(storableText(term.text))}`,
        );
        if (!term.isNot && hasTrigram(term.text)) isIndexed = true;
        break;
      case "label":
        wheres.push(turned(oneOf(term.label, term.values), term.isNot));
        if (!term.isNot && !term.values.includes("")) isIndexed = true;
        break;
      case "pattern": {
        if (!term.isNot && term.label === "message")
          for (const words of neededWords(term.pattern)) {
            const likes = words.map((word) => sql`message ilike ${literally(storableText(word))}`);
            wheres.push(join(likes, " or "));
            isIndexed = true;
          }
        const pattern = re2ToPostgres(term.pattern);
        if (pattern === undefined) {
          rest.push(term);
          break;
        }
        const subject = term.label === "message" ? raw("message") : valueOf(term.label);
        wheres.push(turned(sql`${subject} ~ ${pattern}`, term.isNot));
        break;
      }
      case "level": {
        const ranks = term.levels.map((level) => lineLevels.indexOf(level));
        if (term.isNot) levels.push(sql`(level is null or level <> all (${ranks}::int2[]))`);
        else if (ranks.every((rank) => rank >= warning)) {
          areWarnings = true;
          // The literal is what the index is found by.
          levels.push(sql`level >= 3 and level = any (${ranks}::int2[])`);
        } else levels.push(sql`level = any (${ranks}::int2[])`);
      }
    }
  }
  return {
    where: [...levels, ...wheres].reduce((all, one) => sql`${all} and (${one})`, empty),
    ofLevels: levels.length === 0 ? undefined : join(levels, " and "),
    rest,
    by: isIndexed ? "index" : areWarnings ? "warnings" : "looking",
  };
}
