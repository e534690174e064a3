import { beyondLimit } from "../errors.ts";
import { limits } from "../limits.ts";
import { Cursor } from "./cursor.ts";
import { type Field, parseField } from "./field.ts";

export type Quantifier = "any" | "all";
export type IsValue = "null" | "not_null" | "true" | "false" | "unknown";

/** What a value is asked to be. */
export type Test =
  | { kind: "compare"; operator: CompareOperator; value: string; quantifier?: Quantifier }
  | { kind: "in"; values: string[] }
  | { kind: "is"; value: IsValue }
  | { kind: "search"; operator: SearchOperator; language?: string; value: string };

export interface Condition {
  kind: "condition";
  field: Field;
  negated: boolean;
  test: Test;
}

export interface Group {
  kind: "group";
  operator: "and" | "or";
  negated: boolean;
  items: Logic[];
}

export type Logic = Condition | Group;

// prettier-ignore
const compareOperators = [
  "eq", "neq", "gte", "gt", "lte", "lt", "like", "ilike", "match", "imatch", "isdistinct",
  "cs", "cd", "ov", "sl", "sr", "nxr", "nxl", "adj",
] as const;
const searchOperators = ["fts", "plfts", "phfts", "wfts"] as const;

export type CompareOperator = (typeof compareOperators)[number];
export type SearchOperator = (typeof searchOperators)[number];

const quantifiable: ReadonlySet<string> = new Set([
  "eq",
  "gte",
  "gt",
  "lte",
  "lt",
  "like",
  "ilike",
  "match",
  "imatch",
]);
/** The longest operator that begins here. */
const operatorName = new RegExp(
  [...compareOperators, ...searchOperators, "in", "is"]
    .toSorted((left, right) => right.length - left.length)
    .join("|"),
  "y",
);

/** Counts what one request asks for, over all its filters. */
export interface FilterBudget {
  conditions: number;
  listValues: number;
}

export const newBudget = (): FilterBudget => ({ conditions: 0, listValues: 0 });

/** Where a value ends: at the end of the parameter, or at the next `,` or `)` of a group. */
type ReadValue = (cursor: Cursor) => string;

const wholeRest: ReadValue = (cursor) => cursor.run(/[^]*/y);

const untilSeparator = /[^,)]*/y;
const bracedArray = /\{[^{}]*\}/y;

const groupValue: ReadValue = (cursor) => {
  if (cursor.peek('"')) return quotedOrPlain(cursor);
  const array = cursor.run(bracedArray);
  return array === "" ? cursor.run(untilSeparator) : array;
};

/** A quoted value counts as such only when a separator follows; otherwise the quotes are part of the text. */
function quotedOrPlain(cursor: Cursor): string {
  const start = cursor.at;
  const rest = cursor.text.slice(start);
  const closed = /^"(?:[^"\\]|\\[^])*"(?=[,)]|$)/.exec(rest);
  return closed ? cursor.quoted() : cursor.run(untilSeparator);
}

/** Reads the value side of `column=[not.]operator.value`. */
export function parseFilter(field: Field, text: string, budget: FilterBudget): Condition {
  return parseCondition(new Cursor("filter", text), field, wholeRest, budget);
}

/** The same, or nothing when the text does not begin as a filter does (an argument of a function). */
export function tryParseFilter(
  field: Field,
  text: string,
  budget: FilterBudget,
): Condition | undefined {
  const operator = /^(?:not\.)?([a-z]+)(?:\([a-zA-Z_]*\))?\./.exec(text)?.[1];
  const isOperator =
    operator === "in" || operator === "is" || isCompare(operator) || isSearch(operator);
  return isOperator ? parseFilter(field, text, budget) : undefined;
}

const isCompare = (text: string | undefined): text is CompareOperator =>
  (compareOperators as readonly (string | undefined)[]).includes(text);
const isSearch = (text: string | undefined): text is SearchOperator =>
  (searchOperators as readonly (string | undefined)[]).includes(text);

function parseCondition(
  cursor: Cursor,
  field: Field,
  readValue: ReadValue,
  budget: FilterBudget,
): Condition {
  budget.conditions += 1;
  if (budget.conditions > limits.conditions) throw beyondLimit("conditions", limits.conditions);
  const negated = cursor.take("not.");
  return { kind: "condition", field, negated, test: parseTest(cursor, readValue, budget) };
}

function parseTest(cursor: Cursor, readValue: ReadValue, budget: FilterBudget): Test {
  const operator = cursor.run(operatorName);
  if (operator === "") {
    const first = cursor.text.startsWith("not.", cursor.at - 4) ? "" : '"not" or ';
    throw cursor.refusal(`${first}operator (eq, gt, ...)`);
  }
  const mayFollow = quantifiable.has(operator) || isSearch(operator) ? /[.(]/y : /\./y;
  if (!mayFollow.test(cursor.text.slice(cursor.at, cursor.at + 1)))
    throw cursor.refusal("operator (eq, gt, ...)");
  if (operator === "in") {
    cursor.expect(".");
    return { kind: "in", values: parseList(cursor, budget) };
  }
  if (operator === "is") {
    cursor.expect(".");
    const value = cursor.run(/null|not_null|true|false|unknown/iy).toLowerCase();
    if (value === "") throw cursor.refusal("null or trilean value (unknown, true, false)");
    if (!cursor.done && !cursor.peek(",") && !cursor.peek(")"))
      throw cursor.refusal("end of the value");
    return { kind: "is", value: value as IsValue };
  }
  if (isSearch(operator)) {
    let language: string | undefined;
    if (cursor.take("(")) {
      language = cursor.name("a language");
      cursor.expect(")");
    }
    cursor.expect(".");
    return { kind: "search", operator, language, value: readValue(cursor) };
  }
  if (!isCompare(operator)) throw cursor.refusal("operator (eq, gt, ...)");
  let quantifier: Quantifier | undefined;
  if (cursor.peek("(") && quantifiable.has(operator)) {
    if (cursor.take("(any)")) quantifier = "any";
    else if (cursor.take("(all)")) quantifier = "all";
    else throw cursor.refusal("(any) or (all)");
  }
  cursor.expect(".");
  return { kind: "compare", operator, value: readValue(cursor), quantifier };
}

function parseList(cursor: Cursor, budget: FilterBudget): string[] {
  const values: string[] = [];
  cursor.spaces();
  cursor.expect("(");
  do {
    budget.listValues += 1;
    if (budget.listValues > limits.listValues)
      throw beyondLimit("values in lists", limits.listValues);
    values.push(cursor.peek('"') ? quotedOrPlain(cursor) : cursor.run(untilSeparator));
  } while (cursor.take(","));
  cursor.expect(")");
  cursor.spaces();
  // `in.()` is the empty list, not a list of one empty text.
  return values.length === 1 && values[0] === "" ? [] : values;
}

/** Reads the value of `and`, `or`, `not.and`, `not.or`: `(a.eq.1,or(b.gt.2,c.is.null))`. */
export function parseLogic(
  operator: "and" | "or",
  negated: boolean,
  text: string,
  budget: FilterBudget,
): Group {
  const cursor = new Cursor("logic tree", text, operator.length + (negated ? "not.".length : 0));
  cursor.spaces();
  const group = parseGroup(cursor, operator, negated, budget, 1);
  cursor.spaces();
  if (!cursor.done) throw cursor.refusal("end of input");
  return group;
}

function parseGroup(
  cursor: Cursor,
  operator: "and" | "or",
  negated: boolean,
  budget: FilterBudget,
  depth: number,
): Group {
  if (depth > limits.logicDepth) throw beyondLimit("levels of and/or", limits.logicDepth);
  const items: Logic[] = [];
  cursor.expect("(");
  do {
    cursor.spaces();
    items.push(parseMember(cursor, budget, depth));
    cursor.spaces();
  } while (cursor.take(","));
  if (!cursor.take(")")) throw cursor.refusal('"," or ")"');
  return { kind: "group", operator, negated, items };
}

const memberExpected =
  "field name (* or [a..z0..9_$]), negation operator (not) or logic operator (and, or)";
const groupStart = /(not\.)?(and|or) *(?=\()/y;

function parseMember(cursor: Cursor, budget: FilterBudget, depth: number): Logic {
  const start = cursor.run(groupStart).trim();
  if (start !== "") {
    return parseGroup(
      cursor,
      start.endsWith("and") ? "and" : "or",
      start.startsWith("not."),
      budget,
      depth + 1,
    );
  }
  const field = parseField(cursor, memberExpected);
  cursor.expect(".");
  return parseCondition(cursor, field, groupValue, budget);
}
