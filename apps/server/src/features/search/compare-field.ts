import {
  type CompareOperator,
  isExact,
  matchesPattern,
  type Pattern,
  type SearchNode,
  SelectorError,
} from "@mainstay/contract";
import { evaluateDateMath } from "@mainstay/data-api/parse/date-math.ts";
import sql, { empty, raw, type Sql } from "sql-template-tag";
import { all, any, contains, inMatchList, like, lowered, named, not } from "./conditions.ts";
import type { FieldType, OwnField } from "#platform/resource.ts";
import type { LookUp } from "@mainstay/data-api/declare.ts";
import type { Searchable } from "./searchable.ts";

type Comparison = Extract<SearchNode, { kind: "compare" }>;

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const localAgent = "00000000-0000-0000-0000-000000000000";
const number = /^-?\d{1,15}(?:\.\d{1,15})?$/;

export const isId = (text: string): boolean => uuid.test(text);

/** The condition that rows are of an agent: `self` and `local` for this server's own, an id, or a name. */
export function ofAgent(column: Sql, pattern: Pattern, lookUps: LookUp[] | undefined): Sql {
  const [name = ""] = pattern;
  if (pattern.length === 1) {
    if (["", "self", "local"].includes(name.toLowerCase()))
      return sql`${column} = ${localAgent}::uuid`;
    if (isId(name)) return sql`${column} = ${name}::uuid`;
  }
  const isNamed = like(sql`agents.name`, pattern);
  const ids = sql`select agents.id::text as value from agents where agents.deleted_at is null and ${isNamed}`;
  return sql`${column} = any (${lookedUp(ids, lookUps)}::uuid[])`;
}

/** The field of that name, or of which that is another name. */
export function fieldOf(
  { fields, aliases }: Searchable,
  name: string,
): { column: string; type: FieldType } | undefined {
  const column = Object.hasOwn(aliases, name) ? aliases[name]! : name;
  return Object.hasOwn(fields, column) ? { column, type: fields[column]! } : undefined;
}

/** Where a field is: a column, a path in one of JSON, or the key of a map. */
interface Target {
  text: Sql;
  type: Exclude<FieldType, "json"> | "path";
  /** A view that lists all values of the column. */
  listed?: { view: string; column: string };
  /** A map with an index. */
  key?: { map: Sql; key: string; known: string };
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
    if (map) {
      const known = kind.indexed[map];
      const column = named(kind.table, map);
      return {
        text: sql`(${column} ->> ${key}::text)`,
        type: "text",
        ...(known !== undefined && { key: { map: column, key, known } }),
      };
    }
    if (head === "properties") return kind.hasProperties ? { property: key } : undefined;
    const field = fieldOf(kind, head);
    if (field?.type === "json")
      return { text: sql`(${columnOf(kind, field.column)} #>> ${rest}::text[])`, type: "path" };
  }
  // Where tags have an index, the namespace is one of them.
  if (name === "namespace")
    return kind.indexed.tags === undefined
      ? { text: sql`(${raw(kind.namespace)})`, type: "text" }
      : findField(kind, "tags.namespace");
  const field = fieldOf(kind, name);
  if (field) {
    if (field.type === "json") return undefined;
    const view = kind.listed[field.column];
    return {
      text: columnOf(kind, field.column),
      type: field.type,
      ...(view !== undefined && { listed: { view, column: field.column } }),
    };
  }
  return kind.hasProperties && !kind.maps.some((map) => map === name)
    ? { property: name }
    : undefined;
}

/** What a field of a search is called by what the rows are about; nothing where it is a field of their own. */
export function fieldOfAbout(kind: Searchable, name: string): string | undefined {
  const { about, own } = kind;
  if (!about || Object.hasOwn(own, name) || fieldOf(kind, name)) return undefined;
  if (Object.hasOwn(about.fields, name)) return about.fields[name]!;
  const [head = "", ...rest] = name.split(".");
  if (rest.length === 0) return undefined;
  if (head === about.called) return rest.join(".");
  return about.maps.includes(head) ? name : undefined;
}

/** That a condition holds for what rows are about. */
export function ofAbout({ about, table }: Searchable, condition: (kind: Searchable) => Sql): Sql {
  if (!about) throw new Error("These rows are about nothing.");
  const id = named(about.kind.table, "id");
  return sql`${named(table, about.column)} in (select ${id} from ${named(about.kind.table)} where ${condition(about.kind)})`;
}

export function noField(kind: Searchable, name: string, at: number): SelectorError {
  const { about } = kind;
  const known = [
    ...Object.entries(kind.fields).map(([field, type]) => (type === "json" ? `${field}.…` : field)),
    ...Object.keys(kind.own),
    ...kind.maps.map((map) => `${map}.…`),
    ...(kind.hasProperties ? ["properties.…"] : []),
    ...(about
      ? [
          ...Object.keys(about.fields),
          ...about.maps.map((map) => `${map}.…`),
          `${about.called}:… for fields of what it is about`,
        ]
      : []),
  ];
  return new SelectorError(`there is no field ${name} here; there are ${known.join(", ")}`, at);
}

const propertyText = sql`coalesce(property.one ->> 'text', property.one ->> 'value')`;

/** So few rows are named one by one; what more than these have is looked for in each. */
const fewNamed = 1_000;

/** That a resource has a property of that name; with a pattern, one that says so, and with a condition, one that meets it. */
export function hasProperty(
  kind: Searchable,
  name: string,
  { pattern, holds }: { pattern?: Pattern; holds?: Sql } = {},
): Sql {
  const asked = pattern ? like(propertyText, pattern) : holds;
  const list = columnOf(kind, "properties");
  const isHeld = sql`exists (
    select from jsonb_array_elements((select case jsonb_typeof(own) when 'array' then own end from (select ${list} as own) said))
           as property (one)
     where ${all([like(sql`property.one ->> 'name'`, [name]), ...(asked ? [asked] : [])])})`;
  const { lookUps, stored } = kind;
  if (!kind.hasPropertyIndex || !lookUps) return isHeld;
  const word =
    pattern && isExact(pattern)
      ? sql`lower(${name}::text) || chr(10) || lower(left(${pattern[0]}::text, 256))`
      : sql`lower(${name}::text)`;
  const holders = lookedUp(
    sql`select holder.id::text as value from ${named(stored)} holder
         where property_words(holder.properties) @> array[${word}] limit ${fewNamed + 1}`,
    lookUps,
  );
  const isHolder = sql`${named(kind.table, "id")} = any (${holders}::uuid[])`;
  return sql`((${isHolder} or cardinality(${holders}) > ${fewNamed}) and ${isHeld})`;
}

/** One comparison of a search. */
export function compare(kind: Searchable, comparison: Comparison, now: Date): Sql {
  const { field, operator, values, at } = comparison;
  const own = Object.hasOwn(kind.own, field) ? kind.own[field] : undefined;
  if (own) return compareOwn(kind, own, comparison, now);
  const elsewhere = fieldOfAbout(kind, field);
  if (elsewhere !== undefined)
    return ofAbout(kind, (about) => compare(about, { ...comparison, field: elsewhere }, now));
  const target = findField(kind, field);
  if (!target) throw noField(kind, field, at);
  if ("property" in target) {
    if (operator === "=" || operator === "!=")
      return matchValues(comparison, ({ pattern }) =>
        hasProperty(kind, target.property, { pattern }),
      );
    return hasProperty(kind, target.property, { holds: compareNumber(propertyText, comparison) });
  }
  const { text, type } = target;
  if (type === "date")
    return operator === "=" || operator === "!="
      ? matchValues(comparison, (value) => onDate(text, value, now))
      : sql`${text} ${raw(operator)} ${readDate(values[0]!, now)}`;
  if (type === "number")
    return operator === "=" || operator === "!="
      ? matchValues(comparison, (value) => sql`${text} = ${numberIn(comparison, value)}`)
      : sql`${text} ${raw(operator)} ${numberIn(comparison, values[0]!)}`;
  if (operator === "=" || operator === "!=")
    return matchValues(comparison, (value) => matchValue(target, value, kind.lookUps));
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

function matchValue(
  { text, type, listed, key }: Target,
  { pattern, at }: Value,
  lookUps: LookUp[] | undefined,
): Sql {
  if (listed) {
    const value = named(listed.view, listed.column);
    const found = matchValue({ text: value, type }, { pattern, isExcluded: false, at }, undefined);
    const values = sql`select ${value} as value from ${named(listed.view)} where ${found}`;
    const these = lookedUp(values, lookUps);
    // Of one value it is known that all are alike in it, so that an index on it gives their order, too.
    const isThis = lookUps
      ? sql`(${text} = (${these})[1] or cardinality(${these}) <> 1) and `
      : empty;
    return sql`(${isThis}${text} = any (${these}))`;
  }
  switch (type) {
    case "text":
    case "path":
      return key && pattern.length === 1 ? hasPair(key, pattern[0]!, lookUps) : like(text, pattern);
    case "health":
      return like(orUnknown(text), pattern);
    case "type":
      return any([like(text, pattern), like(text, ["", `::${pattern[0]}`, ...pattern.slice(1)])]);
    case "texts":
      return hasText(text, pattern);
    case "agent":
      return ofAgent(text, pattern, lookUps);
    case "id":
      return sql`${text} = ${readId(pattern, at)}::uuid`;
    case "number":
    case "date":
      throw new Error("Dates and numbers are compared elsewhere.");
  }
}

/** That a map has a value under a key, in words that its index knows: as it is written, however that is. */
function hasPair(
  { map, key, known }: Required<Target>["key"],
  value: string,
  lookUps: LookUp[] | undefined,
): Sql {
  const table = named(known);
  const pairs = sql`
    select jsonb_build_object(${key}::text, ${value}::text)::text as value
    union select jsonb_build_object(${table}.key, ${table}.value)::text from ${table}
           where ${table}.key = ${key} and ${lowered(sql`${table}.value`)} = lower(${value}::text)`;
  return sql`${map} @> any (${lookedUp(pairs, lookUps)}::jsonb[])`;
}

/** That one of some texts is meant: without a wildcard in the words of their index. */
const hasText = (texts: Sql, pattern: Pattern): Sql =>
  pattern.length === 1
    ? sql`lowered(${texts}) @> array[lower(${pattern[0]}::text)]`
    : sql`exists (select from unnest(${texts}) as one (value) where ${like(sql`one.value`, pattern)})`;

/** The texts that are selected: looked up before, where that can be, or by the statement itself. */
function lookedUp(values: Sql, lookUps: LookUp[] | undefined): Sql {
  if (!lookUps) return sql`array(${values})`;
  const into: string[] = [];
  lookUps.push({ values, into });
  return sql`${into}::text[]`;
}

/** A comparison of a field that is no column. */
function compareOwn(kind: Searchable, field: OwnField, comparison: Comparison, now: Date): Sql {
  const { field: name, operator, values, at } = comparison;
  const isEquality = operator === "=" || operator === "!=";
  switch (field.type) {
    case "anywhere": {
      if (!isEquality) break;
      return matchValues(comparison, ({ pattern }) => isAnywhere(field.of, pattern));
    }
    case "some": {
      if (!isEquality) break;
      return matchValues(
        comparison,
        ({ pattern }) =>
          sql`exists (select from ${raw(field.from)} and ${like(raw(`(${field.of})`), pattern)})`,
      );
    }
    case "texts": {
      if (!isEquality) break;
      return matchValues(
        comparison,
        ({ pattern }) =>
          sql`exists (select from ${raw(field.from)} and ${hasText(raw(field.of), pattern)})`,
      );
    }
    case "last": {
      const after = (date: Date, sign: ">" | ">=") =>
        sql`exists (select from ${raw(field.from)} and ${raw(field.of)} ${raw(sign)} ${date})`;
      const any = sql`exists (select from ${raw(field.from)})`;
      const before = (date: Date, sign: ">" | ">=") => sql`(${any} and not ${after(date, sign)})`;
      if (isEquality)
        return matchValues(comparison, (value) => {
          const [from, to] = spanOf(value, now);
          return sql`(${after(from, ">=")} and not ${after(to, ">=")})`;
        });
      const date = readDate(values[0]!, now);
      if (operator === ">" || operator === ">=") return after(date, operator);
      return before(date, operator === "<" ? ">=" : ">");
    }
    case "count": {
      const id = named(kind.table, "id");
      const ids = (condition: Sql) => {
        const counted = sql`from (${raw(field.counted)}) counted where ${condition}`;
        const isCounted = sql`${id} in (select counted.id ${counted})`;
        if (!kind.lookUps) return isCounted;
        // How many have so many is not known before: a few were looked for among all.
        const few = lookedUp(
          sql`select counted.id::text as value ${counted} limit ${fewNamed + 1}`,
          kind.lookUps,
        );
        return sql`((${id} = any (${few}::uuid[]) or cardinality(${few}) > ${fewNamed}) and ${isCounted})`;
      };
      // Those that have none are counted nowhere.
      const holds = (sign: CompareOperator, value: Value) => {
        const wanted = readNumber(comparison, value);
        // As a whole number, of which it is known how many have it.
        const condition = sql`counted.n ${raw(sign === "!=" ? "<>" : sign)} ${numberIn(comparison, value)}`;
        return compares(0, sign, Number(wanted))
          ? not(ids(sql`not (${condition})`))
          : ids(condition);
      };
      return isEquality
        ? matchValues(comparison, (value) => holds("=", value))
        : holds(operator, values[0]!);
    }
    case "words": {
      if (!isEquality) break;
      return matchValues(comparison, ({ pattern, at: place }) => {
        const word = pattern.join("*").toLowerCase();
        if (!Object.hasOwn(field.words, word))
          throw new SelectorError(
            `${name}: takes one of ${Object.keys(field.words).join(", ")}`,
            place,
          );
        return raw(`(${field.words[word]!})`);
      });
    }
    case "level":
      return ofLevel(field, comparison);
    case "author": {
      if (!isEquality) break;
      return matchValues(comparison, ({ pattern }) => isAuthor(field, pattern));
    }
  }
  throw new SelectorError(`${name} is compared with = and != only`, at);
}

/** Which words are meant is known before anything is asked: what is none of them is a mistake. */
function ofLevel({ of, words }: Extract<OwnField, { type: "level" }>, comparison: Comparison): Sql {
  const { field, operator, values } = comparison;
  const meant = ({ pattern, at }: Value): readonly string[] => {
    const lower = pattern.map((piece) => piece.toLowerCase());
    const found = words.filter((word) => matchesPattern(lower, word));
    if (found.length === 0) throw new SelectorError(`${field} is one of ${words.join(", ")}`, at);
    return found;
  };
  const least = words.at(-1)!;
  const level = sql`lower(coalesce(${raw(of)}, ${raw(`'${least}'`)}))`;
  const isOneOf = (wanted: readonly string[]): Sql => {
    const others = words.filter((word) => !wanted.includes(word));
    // The last one is also whatever has no word of its own.
    return wanted.includes(least)
      ? not(sql`${level} = any (${others}::text[])`)
      : sql`(${level} <> ${raw(`'${least}'`)} and ${level} = any (${[...wanted]}::text[]))`;
  };
  if (operator === "=" || operator === "!=")
    return matchValues(comparison, (value) => isOneOf(meant(value)));
  const [wanted] = meant(values[0]!);
  const place = words.indexOf(wanted!);
  switch (operator) {
    case ">=":
      return isOneOf(words.slice(0, place + 1));
    case ">":
      return isOneOf(words.slice(0, place));
    case "<=":
      return isOneOf(words.slice(place));
    case "<":
      return isOneOf(words.slice(place + 1));
  }
}

/** That it has an author at all, in the words of an index on what has one: most of what is told has none. */
export const isMade = (authors: readonly string[]): Sql =>
  any(authors.map((author) => sql`${raw(author)} is not null`));

/** A name is known by its first word, too, and an address by what stands before its @. */
function isAuthor({ id, of }: Extract<OwnField, { type: "author" }>, pattern: Pattern): Sql {
  if (pattern.length === 1 && isId(pattern[0]!)) return sql`${raw(id)} = ${pattern[0]}::uuid`;
  const known = (text: string, mark: string) => [
    like(raw(text), pattern),
    like(raw(`split_part(${text}, '${mark}', 1)`), pattern),
  ];
  const person = any([...known("people.name", " "), ...known("people.email", "@")]);
  const isBy = any([
    ...of.flatMap((text) => known(text, "@")),
    sql`${raw(id)} in (select people.id from people where ${person})`,
  ]);
  return all([isMade([...of, id]), isBy]);
}

/** That one of some texts has a text somewhere. */
export const isAnywhere = (of: readonly string[], pattern: Pattern): Sql =>
  any(of.map((text) => contains(raw(`(${text})`), pattern)));

function compares(value: number, sign: CompareOperator, other: number): boolean {
  switch (sign) {
    case "=":
      return value === other;
    case "!=":
      return value !== other;
    case "<":
      return value < other;
    case ">":
      return value > other;
    case "<=":
      return value <= other;
    case ">=":
      return value >= other;
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

/** A day is any moment of it; anything finer is that moment. From the first on, and before the second. */
function spanOf(value: Value, now: Date): [from: Date, to: Date] {
  const date = readDate({ ...value, isExcluded: false }, now);
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(value.pattern[0]!);
  return [date, new Date(date.getTime() + (isDay ? 86_400_000 : 1))];
}

function onDate(text: Sql, value: Value, now: Date): Sql {
  const [from, to] = spanOf(value, now);
  return to.getTime() - from.getTime() === 1
    ? sql`${text} = ${from}`
    : sql`(${text} >= ${from} and ${text} < ${to})`;
}

function readNumber({ field, operator }: Comparison, { pattern, at }: Value): string {
  if (pattern.length > 1 || !number.test(pattern[0]!))
    throw new SelectorError(`${field}${operator} needs a number`, at);
  return pattern[0]!;
}

/** A whole one as such: in the words of indexes on columns of whole numbers. */
function numberIn(comparison: Comparison, value: Value): Sql {
  const wanted = readNumber(comparison, value);
  return wanted.includes(".") ? sql`${wanted}::numeric` : sql`${wanted}::int8`;
}

function compareNumber(text: Sql, comparison: Comparison): Sql {
  const wanted = readNumber(comparison, comparison.values[0]!);
  return sql`case when ${text} ~ '^-?[0-9]{1,15}([.][0-9]{1,15})?$' then (${text})::numeric end ${raw(comparison.operator)} ${wanted}::numeric`;
}
