import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import type { CompareOperator, IsValue, SearchOperator, Test } from "../parse/filters.ts";
import type { PlannedEmbed, PlannedField, PlannedLogic } from "../plan/plan.ts";
import { arrayText } from "../plan/plan-call.ts";
import { column } from "./names.ts";

const operators: Record<Exclude<CompareOperator, "isdistinct">, Sql> = {
  eq: raw("="),
  neq: raw("<>"),
  gte: raw(">="),
  gt: raw(">"),
  lte: raw("<="),
  lt: raw("<"),
  like: raw("like"),
  ilike: raw("ilike"),
  match: raw("~"),
  imatch: raw("~*"),
  cs: raw("@>"),
  cd: raw("<@"),
  ov: raw("&&"),
  sl: raw("<<"),
  sr: raw(">>"),
  nxr: raw("&<"),
  nxl: raw("&>"),
  adj: raw("-|-"),
};

const searches: Record<SearchOperator, Sql> = {
  fts: raw("to_tsquery"),
  plfts: raw("plainto_tsquery"),
  phfts: raw("phraseto_tsquery"),
  wfts: raw("websearch_to_tsquery"),
};

const isValues: Record<IsValue, Sql> = {
  null: raw("null"),
  true: raw("true"),
  false: raw("false"),
  unknown: raw("unknown"),
};

/** A column, or the place in it that a JSON path leads to. Keys are parameters. */
export function fieldSql(alias: string, { column: { name, isJson }, path }: PlannedField): Sql {
  const plain = column(alias, name);
  if (path.length === 0) return plain;
  let value = isJson ? plain : sql`to_jsonb(${plain})`;
  for (const { text, key } of path) {
    const arrow = raw(text ? "->>" : "->");
    value =
      typeof key === "number"
        ? sql`${value}${arrow}${raw(`(${key})`)}`
        : sql`${value}${arrow}${key}::text`;
  }
  return value;
}

/** How a condition on an embed is asked: of the join that is there, or by a subquery of its own. */
export type AskEmbed = (embed: PlannedEmbed) => Sql;

export function whereSql(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? empty : sql` where ${join(conditions, " and ")}`;
}

export function logicSql(alias: string, logic: PlannedLogic, hasRows: AskEmbed): Sql {
  if (logic.kind === "group") {
    const items = logic.items.map((item) => logicSql(alias, item, hasRows));
    return sql`${logic.negated ? raw("not ") : empty}(${join(items, ` ${logic.operator} `)})`;
  }
  if (logic.kind === "embedded") {
    const present = hasRows(logic.embed);
    return logic.negated ? present : sql`not ${present}`;
  }
  const field = fieldSql(alias, logic.field);
  return sql`${logic.negated ? raw("not ") : empty}${testSql(field, logic.test)}`;
}

function testSql(field: Sql, test: Test): Sql {
  if (test.kind === "in") return sql`${field} = any (${arrayText(test.values)})`;
  if (test.kind === "is") return sql`${field} is ${isValues[test.value]}`;
  if (test.kind === "search") {
    const query = searches[test.operator];
    return test.language === undefined
      ? sql`${field} @@ ${query}(${test.value})`
      : sql`${field} @@ ${query}(${test.language}::regconfig, ${test.value})`;
  }
  if (test.operator === "isdistinct") return sql`${field} is distinct from ${test.value}`;
  const value =
    test.operator === "like" || test.operator === "ilike"
      ? test.value.replaceAll("*", "%")
      : test.value;
  const operator = operators[test.operator];
  if (test.quantifier === "any") return sql`${field} ${operator} any (${value})`;
  if (test.quantifier === "all") return sql`${field} ${operator} all (${value})`;
  return sql`${field} ${operator} ${value}`;
}
