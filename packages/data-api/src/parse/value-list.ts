import { beyondLimit } from "../errors.ts";
import { limits } from "../limits.ts";
import type { Condition, Logic, Test } from "./filters.ts";

/** The parts of `a,!b,c*,*d`, the value of `{column}.filter` (console-calls 0.7). */
export interface ValueList {
  include: string[];
  exclude: string[];
  prefixes: string[];
  suffixes: string[];
}

export function parseValueList(text: string): ValueList {
  const list: ValueList = { include: [], exclude: [], prefixes: [], suffixes: [] };
  const values = text.split(",").map((value) => value.trim());
  if (values.length > limits.conditions)
    throw beyondLimit("values in a .filter", limits.conditions);
  for (const value of values) {
    if (value === "") continue;
    // `!x*` excludes the literal text `x*`.
    if (value.startsWith("!")) list.exclude.push(value.slice(1));
    else if (value.endsWith("*")) list.prefixes.push(value);
    else if (value.startsWith("*")) list.suffixes.push(value);
    else list.include.push(value);
  }
  return list;
}

export function valueListConditions(column: string, list: ValueList): Logic[] {
  const condition = (test: Test, negated = false): Condition => ({
    kind: "condition",
    field: { name: column, path: [] },
    negated,
    test,
  });
  const conditions: Logic[] = [];
  if (list.include.length > 0) conditions.push(condition({ kind: "in", values: list.include }));
  if (list.exclude.length > 0)
    conditions.push(condition({ kind: "in", values: list.exclude }, true));
  for (const value of [...list.prefixes, ...list.suffixes]) {
    conditions.push(condition({ kind: "compare", operator: "like", value }));
  }
  return conditions;
}

/** `{column}.filter` on a moment: `[=|<|>]expression`, where `<` is meant when nothing is said. */
export function momentTest(text: string): { operator: "eq" | "gt" | "lt"; expression: string } {
  const sign = text.charAt(0);
  const operator = sign === "=" ? "eq" : sign === ">" ? "gt" : "lt";
  return {
    operator,
    expression: (sign === "=" || sign === ">" || sign === "<" ? text.slice(1) : text).trim(),
  };
}
