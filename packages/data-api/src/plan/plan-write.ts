import { parseVerbatim, type Payload } from "../body.ts";
import { type InputRow, secretPlaceholder } from "../declare.ts";
import { ApiError, noSuchBodyColumn, noSuchColumn, unsupported } from "../errors.ts";
import type { Condition, Logic } from "../parse/filters.ts";
import type { Preferences } from "../parse/preferences.ts";
import type { At, Query } from "../parse/query.ts";
import type { Column, Table } from "../schema/schema.ts";
import type { InsertPlan, LimitedPage } from "./plan.ts";
import { planWriteOrder } from "./plan-targets.ts";
import type { PlanScope } from "./scope.ts";

/**
 * The columns a body sets. `asked` is the `columns` parameter. A name that does not exist outside is refused; one
 * that may not be set is refused or dropped, as the declaration says.
 */
export function writtenColumns<Context>(
  table: Table<Context>,
  rows: readonly InputRow[],
  asked: readonly string[] | undefined,
): Column[] {
  const names = asked ?? Object.keys(rows[0] ?? {});
  const columns: Column[] = [];
  for (const name of new Set(names)) {
    const column = table.columns.get(name);
    if (!column && table.declaration.accepts?.includes(name)) continue;
    if (!column) throw noSuchBodyColumn(table.name, name);
    if (rows.length > 0 && rows.every((row) => isKept(column, row))) continue;
    const isOwn = column.generated && table.declaration.writable?.includes(name) === true;
    if (table.writable.has(name)) columns.push(column);
    // The database says itself that it makes the value.
    else if (isOwn && !table.declaration.ignoreReadOnly) columns.push(column);
    else if (!table.declaration.ignoreReadOnly) throw readOnly(table.name, name);
  }
  return columns;
}

/** A secret that comes back as it was shown stays what it is. */
const isKept = ({ name, secret }: Column, row: InputRow): boolean =>
  secret === true && row[name] === secretPlaceholder;

/**
 * Leaves out, row by row, the secrets that some rows keep and others set, and names their columns. A row that says
 * nothing of one means null, as for any column.
 */
export function leaveOutKept(
  payload: Payload,
  columns: readonly Column[],
  fillsDefaults: boolean,
): { payload: Payload; kept: string[] } {
  const mixed = columns.filter(
    (column) => column.secret && payload.rows.some((row) => isKept(column, row)),
  );
  if (mixed.length === 0) return { payload, kept: [] };
  const silent = Object.fromEntries(fillsDefaults ? [] : mixed.map(({ name }) => [name, null]));
  const cut = (row: InputRow): InputRow => {
    const keys = new Set(mixed.filter((column) => isKept(column, row)).map(({ name }) => name));
    return Object.fromEntries(
      Object.entries({ ...silent, ...row }).filter(([key]) => !keys.has(key)),
    );
  };
  const sent = parseVerbatim(payload.text) as InputRow[];
  return {
    payload: { rows: payload.rows.map(cut), text: JSON.stringify(sent.map(cut)) },
    kept: mixed.map(({ name }) => name),
  };
}

const readOnly = (table: string, column: string) =>
  new ApiError(400, "428C9", `column "${column}" of "${table}" cannot be set`, {
    hint: "Leave it out of the body.",
  });

/**
 * What an insert does with rows that are there already. It may change rows, so updates must be open; a table with
 * hooks is left out, because its rules for a change would see an insert.
 */
export function planConflict<Context>(
  table: Table<Context>,
  resolution: Preferences["resolution"],
  asked: readonly string[] | undefined,
): InsertPlan["conflict"] {
  // A key that is not visible is none to the asker.
  const key = table.key.every((column) => table.columns.has(column)) ? table.key : [];
  const on = [...(asked ?? key)];
  if (resolution === undefined || on.length === 0) return undefined;
  for (const name of on) {
    const column = table.columns.get(name);
    // Whether a secret is taken already would tell it.
    if (!column || column.secret) throw noSuchColumn(undefined, name);
  }
  const { verbs, beforeWrite, afterWrite, rowRule } = table.declaration;
  if (beforeWrite || afterWrite || rowRule || (verbs && !verbs.includes("update"))) {
    throw unsupported(
      `Rows of ${table.name} cannot be inserted or changed in one request.`,
      "Use POST or PATCH.",
    );
  }
  return { on, merge: resolution === "merge-duplicates" };
}

/**
 * What `PUT` asks: one row, whose key the address names with `eq` and the body repeats. Returns the conditions on that
 * key, which the body's row must meet.
 */
export function planUpsert<Context>(table: Table<Context>, query: Query): Logic[] {
  if (query.paging.some(({ path }) => path.length === 0)) {
    throw new ApiError(
      400,
      "PGRST114",
      "limit/offset querystring parameters are not allowed for PUT",
    );
  }
  const conditions = query.where.filter(({ path }) => path.length === 0).map(({ value }) => value);
  const named = conditions.map((logic) => (isKeyTest(logic) ? logic.field.name : undefined));
  const isKey =
    table.key.length > 0 &&
    named.length === table.key.length &&
    table.key.every((column) => named.includes(column)) &&
    query.valueLists.length === 0;
  if (!isKey) {
    throw new ApiError(
      405,
      "PGRST105",
      "Filters must include all and only primary key columns with 'eq' operators",
    );
  }
  return conditions;
}

/** The body of a `PUT` must say the key, or a default would choose the row. */
export function requireKey<Context>(table: Table<Context>, columns: readonly Column[]): void {
  const missing = table.key.find((key) => !columns.some(({ name }) => name === key));
  if (missing !== undefined) throw noSuchColumn("pgrst_body", missing);
}

export const keyDiffers = () =>
  new ApiError(400, "PGRST115", "Payload values do not match URL in primary key column(s)");

const isKeyTest = (logic: Logic): logic is Condition =>
  logic.kind === "condition" &&
  !logic.negated &&
  logic.field.path.length === 0 &&
  logic.test.kind === "compare" &&
  logic.test.operator === "eq" &&
  logic.test.quantifier === undefined;

/** `limit` and `offset` of an update or delete, which need an order whose columns tell the rows apart. */
export function planPage<Context>(
  scope: PlanScope<Context>,
  table: Table<Context>,
  query: Query,
): LimitedPage | undefined {
  const own = <Value>(items: readonly At<Value>[]) =>
    items.find(({ path }) => path.length === 0)?.value;
  const paging = own(query.paging);
  if (!paging) return undefined;
  const order = own(query.order) ?? [];
  if (order.length === 0) {
    throw new ApiError(400, "PGRST109", "A 'limit' was applied without an explicit 'order'", {
      hint: "Apply an 'order' using unique column(s)",
    });
  }
  return { paging, order: planWriteOrder(scope, table, order) };
}

/** Rows that the order does not tell apart would be changed together, and more of them than asked. */
export function refuseBeyondPage(page: LimitedPage | undefined, rows: number): void {
  const limit = page?.paging.limit;
  if (limit === undefined || rows <= limit) return;
  throw new ApiError(
    400,
    "PGRST110",
    "The maximum number of rows allowed to change was surpassed",
    { details: `Results contain ${rows} rows changed but the maximum number allowed is ${limit}` },
  );
}

/** The rows cut to some columns, for the program's hooks. */
export function cutRows(
  rows: readonly InputRow[],
  columns: readonly Column[],
  accepts: readonly string[] = [],
): InputRow[] {
  const names = [...columns.map(({ name }) => name), ...accepts];
  return rows.map((row) =>
    Object.fromEntries(
      names.filter((name) => Object.hasOwn(row, name)).map((name) => [name, row[name]]),
    ),
  );
}

/** The columns that rows from a hook set: any of the table's, since the hook is the program's own. */
export function hookColumns<Context>(table: Table<Context>, rows: readonly InputRow[]): Column[] {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  return [...names].map((name) => {
    const column = table.allColumns.get(name);
    if (!column)
      throw new Error(`data API: a hook of "${table.name}" set "${name}", which is not a column.`);
    return column;
  });
}
