import { WrongSpec } from "../attempt-http.ts";
import type { Cell, Condition, Query } from "./parse-query.ts";

export type Row = Readonly<Record<string, Cell>>;

/** As SQLite compares: truth is a number, and nothing is comparable with null. */
const plain = (value: Cell): string | number | null =>
  typeof value === "boolean" ? Number(value) : value;

function compare(left: Cell, right: Cell): number | undefined {
  const [a, b] = [plain(left), plain(right)];
  if (a === null || b === null) return undefined;
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "number" || typeof b === "number") return typeof a === "number" ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** `%` is any text and `_` any letter; in one pass back and forth, so that no pattern takes long. */
function isLike(text: string, pattern: string): boolean {
  const [letters, wanted] = [text.toLowerCase(), pattern.toLowerCase()];
  let [at, next, star, mark] = [0, 0, -1, 0];
  while (at < letters.length) {
    if (next < wanted.length && wanted[next] === "%") {
      star = next;
      mark = at;
      next += 1;
    } else if (next < wanted.length && (wanted[next] === "_" || wanted[next] === letters[at])) {
      next += 1;
      at += 1;
    } else if (star >= 0) {
      next = star + 1;
      mark += 1;
      at = mark;
    } else return false;
  }
  while (wanted[next] === "%") next += 1;
  return next === wanted.length;
}

const cellOf = (row: Row, column: string): Cell => row[column] ?? null;

function holds(condition: Condition, row: Row): boolean {
  switch (condition.kind) {
    case "and":
      return condition.parts.every((part) => holds(part, row));
    case "or":
      return condition.parts.some((part) => holds(part, row));
    case "not":
      return !holds(condition.part, row);
    case "like": {
      const value = cellOf(row, condition.column);
      return value !== null && isLike(String(value), condition.pattern);
    }
    case "in":
      return condition.values.some((value) => compare(cellOf(row, condition.column), value) === 0);
    case "compare": {
      const { column, operator, value } = condition;
      const left = cellOf(row, column);
      if (operator === "is" || operator === "is not") {
        const isSame = value === null ? left === null : compare(left, value) === 0;
        return isSame === (operator === "is");
      }
      const order = compare(left, value);
      if (order === undefined) return false;
      switch (operator) {
        case "=":
          return order === 0;
        case "<":
          return order < 0;
        case ">":
          return order > 0;
        case "<=":
          return order <= 0;
        case ">=":
          return order >= 0;
        default:
          return order !== 0;
      }
    }
  }
}

function columnsIn(condition: Condition | undefined): string[] {
  if (!condition) return [];
  switch (condition.kind) {
    case "and":
    case "or":
      return condition.parts.flatMap(columnsIn);
    case "not":
      return columnsIn(condition.part);
    case "like":
    case "in":
    case "compare":
      return [condition.column];
  }
}

/** Refuses names that the table has not: they would be null everywhere, which nobody means. */
export function judgeColumns(query: Query, known: readonly string[]): void {
  const named = [
    ...query.columns.filter(({ isCount }) => !isCount).map(({ column }) => column),
    ...columnsIn(query.where),
    ...query.orderBy.map(({ column }) => column),
  ];
  const unknown = named.find((column) => !known.includes(column));
  if (unknown !== undefined)
    throw new WrongSpec(
      `${query.table} has no column "${unknown.slice(0, 80)}"; there are ${known.join(", ")}`,
    );
}

/** What a query finds among the rows of its table. */
export function evaluateQuery(query: Query, rows: readonly Row[]): Row[] {
  const { where, orderBy, limit, columns } = query;
  const found = (where ? rows.filter((row) => holds(where, row)) : [...rows]).toSorted((a, b) => {
    for (const { column, isDescending } of orderBy) {
      const [left, right] = [cellOf(a, column), cellOf(b, column)];
      const order = compare(left, right) ?? Number(right === null) - Number(left === null);
      if (order !== 0) return isDescending ? -order : order;
    }
    return 0;
  });
  const [first] = columns;
  if (first?.isCount) return [{ [first.as]: found.length }];
  const kept = limit === undefined || limit < 0 ? found : found.slice(0, limit);
  if (columns.length === 0) return kept;
  return kept.map((row) =>
    Object.fromEntries(columns.map(({ column, as }) => [as, cellOf(row, column)])),
  );
}
