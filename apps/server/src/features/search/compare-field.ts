import {
  type CompareOperator,
  type Pattern,
  type SearchNode,
  SelectorError,
} from "@mainstay/contract";
import { evaluateDateMath } from "@mainstay/data-api/parse/date-math.ts";
import sql, { raw, type Sql } from "sql-template-tag";
import { all, any, inMatchList, like, named, not } from "./conditions.ts";
import type { FieldType } from "#platform/resource.ts";
import type { Searchable } from "./searchable.ts";

type Comparison = Extract<SearchNode, { kind: "compare" }>;

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const localAgent = "00000000-0000-0000-0000-000000000000";
const number = /^-?\d{1,15}(?:\.\d{1,15})?$/;

export const isId = (text: string): boolean => uuid.test(text);

/** The condition that rows are of an agent: `self` and `local` for this server's own, an id, or a name. */
export function ofAgent(column: Sql, pattern: Pattern): Sql {
  const [name = ""] = pattern;
  if (pattern.length === 1) {
    if (["", "self", "local"].includes(name.toLowerCase()))
      return sql`${column} = ${localAgent}::uuid`;
    if (isId(name)) return sql`${column} = ${name}::uuid`;
  }
  const isNamed = like(sql`agents.name`, pattern);
  return sql`${column} in (select agents.id from agents where agents.deleted_at is null and ${isNamed})`;
}

/** The field of that name, or of which that is another name. */
export function fieldOf(
  { fields, aliases }: Searchable,
  name: string,
): { column: string; type: FieldType } | undefined {
  const column = Object.hasOwn(aliases, name) ? aliases[name]! : name;
  return Object.hasOwn(fields, column) ? { column, type: fields[column]! } : undefined;
}

/** Where a field is: a column, or a path in one of JSON. */
interface Target {
  text: Sql;
  type: Exclude<FieldType, "json"> | "path";
}

/** A column as its readers see it, which may be more than what is stored. */
export const columnOf = ({ table, shown }: Searchable, column: string): Sql =>
  Object.hasOwn(shown, column) ? raw(`(${shown[column]!})`) : named(table, column);

/** Finds a field of a search by its name; the others of its kind are named when there is no such field. */
export function findField(
  kind: Searchable,
  name: string,
): Target | { property: string } | undefined {
  const [head = "", ...rest] = name.split(".");
  if (rest.length > 0) {
    const key = rest.join(".");
    const map = kind.maps.find((one) => one === head);
    if (map) return { text: sql`(${named(kind.table, map)} ->> ${key}::text)`, type: "text" };
    if (head === "properties") return kind.hasProperties ? { property: key } : undefined;
    const field = fieldOf(kind, head);
    if (field?.type === "json")
      return { text: sql`(${named(kind.table, field.column)} #>> ${rest}::text[])`, type: "path" };
  }
  if (name === "namespace") return { text: sql`(${raw(kind.namespace)})`, type: "text" };
  const field = fieldOf(kind, name);
  if (field) {
    const text = columnOf(kind, field.column);
    return field.type === "json" ? undefined : { text, type: field.type };
  }
  return kind.hasProperties && !kind.maps.some((map) => map === name)
    ? { property: name }
    : undefined;
}

export function noField(kind: Searchable, name: string, at: number): SelectorError {
  const known = [
    ...Object.entries(kind.fields).map(([field, type]) => (type === "json" ? `${field}.…` : field)),
    ...kind.maps.map((map) => `${map}.…`),
    ...(kind.hasProperties ? ["properties.…"] : []),
  ];
  return new SelectorError(`there is no field ${name} here; there are ${known.join(", ")}`, at);
}

const propertyText = sql`coalesce(property.one ->> 'text', property.one ->> 'value')`;

/** That a resource has a property of that name for which something holds. */
export function hasProperty(kind: Searchable, name: string, holds?: Sql): Sql {
  const list = named(kind.table, "properties");
  return sql`exists (
    select from jsonb_array_elements(case jsonb_typeof(${list}) when 'array' then ${list} else '[]'::jsonb end)
           as property (one)
     where ${all([like(sql`property.one ->> 'name'`, [name]), ...(holds ? [holds] : [])])})`;
}

/** One comparison of a search. */
export function compare(kind: Searchable, comparison: Comparison, now: Date): Sql {
  const { field, operator, values, at } = comparison;
  const target = findField(kind, field);
  if (!target) throw noField(kind, field, at);
  if ("property" in target) {
    const holds = (match: Sql) => hasProperty(kind, target.property, match);
    if (operator === "=" || operator === "!=")
      return matchValues(comparison, ({ pattern }) => holds(like(propertyText, pattern)));
    return holds(compareNumber(propertyText, comparison));
  }
  const { text, type } = target;
  if (type === "date")
    return operator === "=" || operator === "!="
      ? matchValues(comparison, (value) => onDate(text, value, now))
      : sql`${text} ${raw(operator)} ${readDate(values[0]!, now)}`;
  if (operator === "=" || operator === "!=")
    return matchValues(comparison, (value) => matchValue(text, type, value));
  if (type === "path" || (type === "text" && field.includes(".")))
    return compareNumber(text, comparison);
  throw new SelectorError(`${field} is compared with = and != only`, at);
}

type Value = Comparison["values"][number];

function matchValues({ operator, values }: Comparison, match: (value: Value) => Sql): Sql {
  const byPattern = new Map(values.map((value) => [value.pattern, value]));
  const condition = inMatchList((pattern) => match(byPattern.get(pattern)!), {
    include: values.filter(({ isExcluded }) => !isExcluded).map(({ pattern }) => pattern),
    exclude: values.filter(({ isExcluded }) => isExcluded).map(({ pattern }) => pattern),
  });
  return operator === "!=" ? not(condition) : condition;
}

function matchValue(text: Sql, type: Target["type"], { pattern, at }: Value): Sql {
  switch (type) {
    case "text":
    case "path":
      return like(text, pattern);
    case "health":
      return like(orUnknown(text), pattern);
    case "type":
      return any([like(text, pattern), like(text, ["", `::${pattern[0]}`, ...pattern.slice(1)])]);
    case "texts":
      return sql`exists (select from unnest(${text}) as one (value) where ${like(sql`one.value`, pattern)})`;
    case "agent":
      return ofAgent(text, pattern);
    case "id":
      return sql`${text} = ${readId(pattern, at)}::uuid`;
    case "date":
      throw new Error("Dates are compared elsewhere.");
  }
}

/** A status that nobody has told yet. */
export const orUnknown = (text: Sql): Sql => sql`coalesce(nullif(${text}, ''), 'unknown')`;

function readId([text = "", ...rest]: Pattern, at: number): string {
  if (rest.length > 0 || !isId(text))
    throw new SelectorError(`"${[text, ...rest].join("*")}" is not an id`, at);
  return text;
}

function readDate({ pattern, isExcluded, at }: Value, now: Date): Date {
  const date = pattern.length === 1 && !isExcluded ? evaluateDateMath(pattern[0]!, now) : undefined;
  if (!date)
    throw new SelectorError(
      `"${pattern.join("*")}" is no date; write for example now-1d or 2026-01-31T10:00:00Z`,
      at,
    );
  return date;
}

/** A day is any moment of it; anything finer is that moment. */
function onDate(text: Sql, value: Value, now: Date): Sql {
  const date = readDate({ ...value, isExcluded: false }, now);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value.pattern[0]!)) return sql`${text} = ${date}`;
  return sql`(${text} >= ${date} and ${text} < ${date}::timestamptz + interval '24 hours')`;
}

function compareNumber(text: Sql, { field, operator, values }: Comparison): Sql {
  const { pattern, at } = values[0]!;
  if (pattern.length > 1 || !number.test(pattern[0]!))
    throw new SelectorError(`${field}${operator} needs a number`, at);
  return sql`case when ${text} ~ '^-?[0-9]{1,15}([.][0-9]{1,15})?$' then (${text})::numeric end ${rawOperator(operator)} ${pattern[0]}::numeric`;
}

const rawOperator = (operator: CompareOperator): Sql => raw(operator);
