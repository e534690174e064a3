import {
  ApiError,
  badBody,
  beyondLimit,
  noSuchBodyColumn,
  noSuchColumn,
  unsupported,
} from "../errors.ts";
import type { InputRow } from "../declare.ts";
import { limits } from "../limits.ts";
import type { Preferences } from "../parse/preferences.ts";
import type { Column, Table } from "../schema/schema.ts";
import type { InsertPlan } from "./plan.ts";

/** A body as the client sent it, and as a value. */
export interface Payload {
  /** JSON text of an array of objects. */
  text: string;
  rows: InputRow[];
}

/** Reads a body: one object or an array of objects with the same keys. */
export function parsePayload(body: string): Payload {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw badBody("Empty or invalid json");
  }
  const rows: unknown[] = Array.isArray(value) ? value : [value];
  if (rows.length > limits.bodyRows) throw beyondLimit("rows in the body", limits.bodyRows);
  if (!rows.every(isRow)) throw badBody("All object keys must match");
  const first = Object.keys(rows[0] ?? {});
  for (const row of rows) {
    if (
      Object.keys(row).length !== first.length ||
      !first.every((key) => Object.hasOwn(row, key))
    ) {
      throw badBody("All object keys must match");
    }
  }
  return { text: Array.isArray(value) ? body : `[${body}]`, rows };
}

const isRow = (value: unknown): value is InputRow =>
  typeof value === "object" && value !== null && !Array.isArray(value);

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
    if (!column) throw noSuchBodyColumn(table.name, name);
    if (table.writable.has(name)) columns.push(column);
    else if (!table.declaration.ignoreReadOnly) throw readOnly(table.name, name);
  }
  return columns;
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
  const on = [...(asked ?? table.key)];
  if (resolution === undefined || on.length === 0) return undefined;
  for (const column of on) if (!table.columns.has(column)) throw noSuchColumn(undefined, column);
  const { verbs, beforeWrite, afterWrite } = table.declaration;
  if (beforeWrite || afterWrite || (verbs && !verbs.includes("update"))) {
    throw unsupported(
      `Rows of ${table.name} cannot be inserted or changed in one request.`,
      "Use POST or PATCH.",
    );
  }
  return { on, merge: resolution === "merge-duplicates" };
}

/** The rows cut to some columns, for the program's hooks. */
export function cutRows(rows: readonly InputRow[], columns: readonly Column[]): InputRow[] {
  return rows.map((row) =>
    Object.fromEntries(
      columns.filter(({ name }) => Object.hasOwn(row, name)).map(({ name }) => [name, row[name]]),
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
