import type { Rows } from "@mainstay/contract/rows.ts";
import { ApiError } from "./api-error.ts";
import { request, type RequestOptions } from "./api.ts";

/**
 * Rows of the data API (`/api/db`), which speaks PostgREST's dialect. Addresses are written here and nowhere else, from
 * names that the compiler knows.
 */

export type TableName = keyof Rows;
type ColumnOf<T extends TableName> = keyof Rows[T] & string;

type Value = string | number | boolean;

/** What a column must be. */
export interface Filter {
  operator: string;
  text: string;
  /** A text that is quoted in a list of alternatives, where commas separate. */
  isQuoted: boolean;
}

const filter = (operator: string, value: Value, isQuoted = typeof value === "string"): Filter => ({
  operator,
  text: String(value),
  isQuoted,
});
const quoted = (text: string) => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;

export const eq = (value: Value): Filter => filter("eq", value);
export const gt = (value: Value): Filter => filter("gt", value);
export const gte = (value: Value): Filter => filter("gte", value);
export const lt = (value: Value): Filter => filter("lt", value);
export const lte = (value: Value): Filter => filter("lte", value);
export const isNull: Filter = filter("is", "null", false);
export const isTrue: Filter = filter("is", "true", false);
export const isNotNull: Filter = filter("not.is", "null", false);
/** An object that has these keys with these values, and perhaps others. */
export const holds = (part: Readonly<Record<string, string>>): Filter =>
  filter("cs", JSON.stringify(part), true);
/** Holds the text anywhere, however it is written. */
export const contains = (text: string): Filter => filter("ilike", `*${text}*`, true);
const listOfValues = (values: readonly Value[]) =>
  `(${values.map((value) => (/^[\w-]+$/.test(String(value)) ? value : quoted(String(value)))).join()})`;
export const oneOf = (values: readonly Value[]): Filter =>
  filter("in", listOfValues(values), false);
/** What is empty is none of them, and is not found either: ask for it beside this. */
export const noneOf = (values: readonly Value[]): Filter =>
  filter("not.in", listOfValues(values), false);

/** What is not so; what is empty is not found either, as with `noneOf`. */
export const not = ({ operator, text, isQuoted }: Filter): Filter => ({
  operator: `not.${operator}`,
  text,
  isQuoted,
});

export type Where<T extends TableName> = {
  [Column in ColumnOf<T>]?: Filter | readonly Filter[] | undefined;
};

declare const shape: unique symbol;
/** Which columns are asked for, and what a row of them is. */
export interface Selection<Row> {
  text: string;
  [shape]?: Row;
}

/** Some of a table's columns. */
export const columns = <T extends TableName, Name extends ColumnOf<T>>(
  _table: T,
  ...names: Name[]
): Selection<Pick<Rows[T], Name>> => ({ text: names.join() });

/** Columns with rows of other tables in them, whose shape is said by hand. */
export const embedding = <Row>(text: string): Selection<Row> => ({ text });

export interface Query<T extends TableName, Row = Rows[T]> {
  select?: Selection<Row>;
  where?: Where<T> | undefined;
  /** At least one of these must be so. */
  anyOf?: readonly Where<T>[] | undefined;
  /** And of each of these lists. */
  anyOfEach?: readonly (readonly Where<T>[])[] | undefined;
  /** What somebody typed, where the table knows what that means (docs/search.md). */
  search?: string | undefined;
  order?: readonly `${ColumnOf<T>}.${"asc" | "desc"}${"" | ".nullsfirst" | ".nullslast"}`[];
  limit?: number;
  offset?: number;
}

const listed = (filters: Filter | readonly Filter[] | undefined): readonly Filter[] =>
  filters === undefined ? [] : "operator" in filters ? [filters] : filters;

/** Where rows are found. */
export function addressOf<T extends TableName, Row>(table: T, query: Query<T, Row> = {}): string {
  const search = new URLSearchParams();
  const { select, where = {}, anyOf = [], anyOfEach = [], order, limit, offset } = query;
  const typed = query.search;
  if (select) search.append("select", select.text);
  for (const [column, filters] of Object.entries<Filter | readonly Filter[] | undefined>(where))
    for (const { operator, text } of listed(filters)) search.append(column, `${operator}.${text}`);
  for (const list of [anyOf, ...anyOfEach]) {
    const alternatives = list.flatMap((one) =>
      Object.entries<Filter | readonly Filter[] | undefined>(one).flatMap(([column, filters]) =>
        listed(filters).map(
          ({ operator, text, isQuoted }) =>
            `${column}.${operator}.${isQuoted ? quoted(text) : text}`,
        ),
      ),
    );
    if (alternatives.length > 0) search.append("or", `(${alternatives.join()})`);
  }
  if (typed !== undefined && typed !== "") search.append("search", typed);
  if (order) search.append("order", order.join());
  if (limit !== undefined) search.append("limit", String(limit));
  if (offset !== undefined) search.append("offset", String(offset));
  const text = search.toString();
  return `/api/db/${table}${text === "" ? "" : `?${text}`}`;
}

export interface RowPage<T> {
  rows: T[];
  /** Rows there are in all. */
  total: number;
}

const representation = { Prefer: "return=representation" };

function rowsOf<T>(data: unknown, name: string): T[] {
  if (!Array.isArray(data))
    throw new ApiError(`The server sent no rows for ${name}.`, {
      status: 200,
      request: name,
      body: data,
    });
  return data as T[];
}

async function list<T extends TableName, Row = Rows[T]>(
  table: T,
  query?: Query<T, Row>,
  options?: RequestOptions,
): Promise<Row[]> {
  const { data } = await request(addressOf(table, query), { headers: representation, ...options });
  return rowsOf<Row>(data, table);
}

/** What a function of the data API finds; its arguments stand in the address. */
async function call<Row>(
  name: string,
  args: Readonly<Record<string, Value>>,
  { select, ...options }: RequestOptions & { select: Selection<Row> },
): Promise<Row[]> {
  const search = new URLSearchParams({ select: select.text });
  for (const [argument, value] of Object.entries(args)) search.append(argument, String(value));
  const { data } = await request(`/api/db/rpc/${name}?${search.toString()}`, options);
  return rowsOf<Row>(data, name);
}

/** One page of rows and how many there are; behind the last page there are none, and still so many. */
async function page<T extends TableName, Row = Rows[T]>(
  table: T,
  query: Query<T, Row>,
  options?: RequestOptions,
): Promise<RowPage<Row>> {
  const ask = async (asked: Query<T, Row>): Promise<RowPage<Row>> => {
    const { data, headers } = await request(addressOf(table, asked), {
      headers: { Prefer: "count=exact" },
      ...options,
    });
    const rows = rowsOf<Row>(data, table);
    const total = Number(headers.get("content-range")?.split("/")[1] ?? Number.NaN);
    return { rows, total: Number.isNaN(total) ? rows.length : total };
  };
  try {
    return await ask(query);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 416 || !query.offset) throw error;
    // How many there are is told at the first.
    return { rows: [], total: (await ask({ ...query, offset: 0, limit: 1 })).total };
  }
}

async function first<T extends TableName, Row = Rows[T]>(
  table: T,
  query: Query<T, Row>,
  options?: RequestOptions,
): Promise<Row | null> {
  return (await list(table, query, options))[0] ?? null;
}

/** Whether one of some rows is among those that a query finds. */
async function hasAny<T extends TableName, Row>(
  table: T,
  { where = {}, anyOf = [], anyOfEach = [], search }: Query<T, Row>,
  key: ColumnOf<T>,
  values: readonly Value[],
): Promise<boolean> {
  const rows = await list(table, {
    select: columns(table, key),
    where: { ...where, [key]: [...listed(where[key]), oneOf(values)] },
    anyOf,
    anyOfEach,
    search,
    limit: 1,
  });
  return rows.length > 0;
}

type Written<T extends TableName> = Partial<Rows[T]>;

async function write<Row>(
  method: "POST" | "PATCH",
  address: string,
  body: unknown,
  table: string,
): Promise<Row> {
  const { data } = await request(address, { method, body, headers: representation });
  const [row] = rowsOf<Row>(data, table);
  if (row !== undefined) return row;
  throw new ApiError("Nothing was changed: it does not exist any more, or you may not change it.", {
    status: 404,
    request: `${method} ${table}`,
  });
}

const insert = <T extends TableName, Row = Rows[T]>(table: T, row: Written<T>): Promise<Row> =>
  write<Row>("POST", addressOf(table), row, table);

/** Adds several rows at once, or none. */
async function insertAll<T extends TableName, Row = Rows[T]>(
  table: T,
  rows: readonly Written<T>[],
): Promise<Row[]> {
  const { data } = await request(addressOf(table), {
    method: "POST",
    body: rows,
    headers: representation,
  });
  return rowsOf<Row>(data, table);
}

/** Changes the one row that is meant; rejects when there is none. */
const patch = <T extends TableName, Row = Rows[T]>(
  table: T,
  where: Where<T>,
  changes: Written<T>,
): Promise<Row> => write<Row>("PATCH", addressOf(table, { where }), changes, table);

/** Removes the rows that are meant; rejects when there are none. */
async function remove<T extends TableName>(table: T, where: Where<T>): Promise<Rows[T][]> {
  const { data } = await request(addressOf(table, { where }), {
    method: "DELETE",
    headers: representation,
  });
  const rows = rowsOf<Rows[T]>(data, table);
  if (rows.length > 0) return rows;
  throw new ApiError("Nothing was removed: it does not exist any more, or you may not remove it.", {
    status: 404,
    request: `DELETE ${table}`,
  });
}

export const db = { list, call, page, first, hasAny, insert, insertAll, patch, remove };
