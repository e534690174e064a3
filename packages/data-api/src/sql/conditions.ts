import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import type { CompareOperator, IsValue, SearchOperator } from "../parse/filters.ts";
import type { PlannedEmbed, PlannedField, PlannedLogic } from "../plan/plan.ts";
import { secretPlaceholder } from "../declare.ts";
import { arrayText } from "./array-text.ts";
import { column, relation } from "./names.ts";

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
  not_null: raw("not null"),
  true: raw("true"),
  false: raw("false"),
  unknown: raw("unknown"),
};

/** A column, or the place in it that a JSON path leads to. Keys are parameters. */
export function fieldSql(alias: string, field: PlannedField): Sql {
  const { path } = field;
  const { name, isJson, computedBy, secret } = field.column;
  if (secret)
    return sql`case when ${column(alias, name)} is not null then ${secretPlaceholder}::text end`;
  const plain = computedBy
    ? sql`${relation(computedBy.schema, computedBy.name)}(${raw(alias)})`
    : column(alias, name);
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

type PlannedTest = Extract<PlannedLogic, { kind: "test" }>;

/** How a condition on an embed is asked: of the join that is there, or by a subquery of its own. */
export type AskEmbed = (embed: PlannedEmbed) => Sql;

export function whereSql(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? empty : sql` where ${join(conditions, " and ")}`;
}

/**
 * The conditions of a plan, to be joined by `and`. PostgreSQL asks them in whatever order is cheapest, and tries some on
 * its statistics while it plans. What could fail on a row is therefore kept from rows that a rule hides: its failure
 * would tell of them.
 */
export function conditionsSql(
  alias: string,
  where: readonly PlannedLogic[],
  hasRows: AskEmbed,
): Sql[] {
  const rules = where.filter(({ kind }) => kind === "rule");
  const asked = where.filter(({ kind }) => kind !== "rule");
  const made = (logics: readonly PlannedLogic[]) =>
    logics.map((logic) => logicSql(alias, logic, hasRows));
  const risky = rules.length === 0 ? [] : asked.filter(mayFail);
  const safe = made([...rules, ...asked.filter((logic) => !risky.includes(logic))]);
  if (risky.length === 0) return safe;
  return [
    ...safe,
    sql`case when ${join(made(rules), " and ")} then ${join(made(risky), " and ")} end`,
  ];
}

/** Whether it can depend on a row's values that asking fails. */
function mayFail(logic: PlannedLogic): boolean {
  if (logic.kind === "group") return logic.items.some(mayFail);
  if (logic.kind !== "test") return false;
  const { field, test } = logic;
  const { computedBy, fromText, base } = field.column;
  if (computedBy || fromText !== null || (field.path.length > 0 && base !== "jsonb")) return true;
  if (test.kind === "search") return true;
  if (test.kind !== "compare") return false;
  const { operator, value, quantifier } = test;
  if (operator === "match" || operator === "imatch") return true;
  // A pattern is read only as far as a text takes it, and fails where an escape is of nothing.
  const isLike = operator === "like" || operator === "ilike";
  return isLike && (quantifier !== undefined || /(?<!\\)(?:\\\\)*\\$/.test(value));
}

function logicSql(alias: string, logic: PlannedLogic, hasRows: AskEmbed): Sql {
  if (logic.kind === "group") {
    const items = logic.items.map((item) => logicSql(alias, item, hasRows));
    return sql`${logic.negated ? raw("not ") : empty}(${join(items, ` ${logic.operator} `)})`;
  }
  if (logic.kind === "rule") return sql`(${logic.condition})`;
  if (logic.kind === "embedded") {
    const present = hasRows(logic.embed);
    return logic.negated ? present : sql`not ${present}`;
  }
  const field = fieldSql(alias, logic.field);
  return sql`${logic.negated ? raw("not ") : empty}${testSql(field, logic)}`;
}

function testSql(field: Sql, { test, field: { column: of, path } }: PlannedTest): Sql {
  const represented = path.length === 0 ? of.fromText : null;
  if (represented !== null) {
    const made = (value: string) => sql`${raw(represented)}(${value}::text)`;
    if (test.kind === "in" && test.values.length > 0)
      return sql`${field} = any (array[${join(test.values.map(made))}])`;
    if (test.kind === "compare" && test.operator !== "isdistinct" && !test.quantifier)
      return sql`${field} ${operators[test.operator]} ${made(test.value)}`;
  }
  if (test.kind === "in") return sql`${field} = any (${arrayText(test.values)})`;
  if (test.kind === "is") return sql`${field} is ${isValues[test.value]}`;
  if (test.kind === "search") {
    const query = searches[test.operator];
    const language = test.language === undefined ? empty : sql`${test.language}::regconfig, `;
    // What is not made ready for searching is made so now.
    const words =
      of.base === "tsvector" && path.length === 0 ? field : sql`to_tsvector(${language}${field})`;
    return sql`${words} @@ ${query}(${language}${test.value})`;
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
