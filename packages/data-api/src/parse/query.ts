import { badRange, cannotParse } from "../errors.ts";
import { Cursor } from "./cursor.ts";
import { parseParameterPath } from "./field.ts";
import { type Logic, newBudget, parseFilter, parseLogic, tryParseFilter } from "./filters.ts";
import { type OrderTerm, parseOrder } from "./order.ts";
import type { Pair } from "./query-string.ts";
import { type Paging, parseCount } from "./range.ts";
import { parseSelect, type SelectItem } from "./select.ts";

/** Something said about the rows of an embed; an empty path is the table itself. */
export interface At<Value> {
  path: string[];
  value: Value;
}

/** A query string as a value: nothing here knows whether a name exists. */
export interface Query {
  /** Absent means everything of the table. */
  select?: SelectItem[];
  where: At<Logic>[];
  order: At<OrderTerm[]>[];
  paging: At<Paging>[];
  /** `{column}.filter`, raw: its meaning depends on the column's type. */
  valueLists: { column: string; text: string }[];
  /** `columns`: which keys of the body count. */
  columns?: string[];
  /** `on_conflict`: the unique columns that say that a row is there already. */
  onConflict?: string[];
  /** `search`, where the table knows what it means. */
  search?: string;
  /** For a call: parameters that are no filters. */
  args: Pair[];
}

export function parseQuery(
  pairs: readonly Pair[],
  isCall: boolean,
  { hasSearch = false } = {},
): Query {
  const query: Query = { where: [], order: [], paging: [], valueLists: [], args: [] };
  const budget = newBudget();
  const seenLists = new Set<string>();
  for (const [key, value] of pairs) {
    const parts = key.split(".");
    const last = parts.at(-1) ?? "";
    const path = parts.slice(0, -1);
    if (key === "select") {
      // `select=` says nothing, so everything is meant.
      query.select ??= value.trim() === "" ? [{ kind: "all" }] : parseSelect(value);
    } else if (key === "search" && hasSearch) {
      query.search ??= value;
    } else if (key === "columns") {
      query.columns ??= parseColumns(key, value);
    } else if (key === "on_conflict") {
      query.onConflict ??= parseColumns(key, value);
    } else if (last === "filter" && path.length === 1) {
      const column = path[0] ?? "";
      if (!seenLists.has(column)) query.valueLists.push({ column, text: value });
      seenLists.add(column);
    } else if (last === "order") {
      if (!query.order.some((other) => samePath(other.path, path))) {
        query.order.push({ path, value: parseOrder(value) });
      }
    } else if (last === "limit" || last === "offset") {
      setPaging(query, path, last, parseCount(last, value));
    } else if (last === "and" || last === "or") {
      const negated = path.at(-1) === "not";
      query.where.push({
        path: negated ? path.slice(0, -1) : path,
        value: parseLogic(last, negated, value, budget),
      });
    } else {
      const target = parseKey(key);
      const condition = isCall
        ? tryParseFilter(target.field, value, budget)
        : parseFilter(target.field, value, budget);
      if (condition) query.where.push({ path: target.path, value: condition });
      else query.args.push([key, value]);
    }
  }
  for (const { value } of query.paging) {
    if (value.limit === 0 && value.offset)
      throw badRange("Limit should be greater than or equal to zero.");
  }
  return query;
}

export const samePath = (left: readonly string[], right: readonly string[]) =>
  left.length === right.length && left.every((name, index) => name === right[index]);

function setPaging(
  query: Query,
  path: string[],
  name: "limit" | "offset",
  count: number | undefined,
): void {
  if (count === undefined) return;
  let entry = query.paging.find((other) => samePath(other.path, path));
  if (!entry) {
    entry = { path, value: {} };
    query.paging.push(entry);
  }
  entry.value[name] ??= count;
}

/** A filter's key: `embed.embed.column->path`. */
function parseKey(key: string) {
  const cursor = new Cursor("tree path", key);
  const names = [cursor.name("a column")];
  while (cursor.take(".")) names.push(cursor.name("a column"));
  const path = parseParameterPath(cursor);
  if (!cursor.done)
    throw cannotParse("tree path", key, cursor.at + 1, "unexpected text after the column");
  return { path: names.slice(0, -1), field: { name: names.at(-1) ?? "", path } };
}

function parseColumns(key: string, text: string): string[] {
  const cursor = new Cursor(`${key} parameter`, text);
  const names: string[] = [];
  do {
    cursor.spaces();
    names.push(cursor.name());
    cursor.spaces();
  } while (cursor.take(","));
  if (!cursor.done) throw cursor.refusal('"," or end of input');
  return names;
}
