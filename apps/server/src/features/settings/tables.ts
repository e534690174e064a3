import type { AfterWrite, BeforeWrite, InputRow } from "@mainstay/data-api";
import sql from "sql-template-tag";
import { forbidden, invalid } from "#platform/errors.ts";
import { table, type Table, type WriteContext } from "#platform/table.ts";
import { localProperties } from "./local-properties.ts";
import { MAX_NAME_LENGTH, MAX_VALUE_LENGTH } from "./read-properties.ts";

export const properties: Table = table("properties", {
  read: "feature_flags",
  write: "feature_flags",
  writable: ["name", "value", "created_by", "deleted_at"],
  ignoreReadOnly: true,
  beforeWrite: checkProperties,
  afterWrite: refuseLocalRows,
});

async function checkProperties({
  verb,
  rows,
  context,
}: BeforeWrite<WriteContext>): Promise<InputRow[]> {
  const { ctx, tx, query } = context;
  await refuseLocal(context, [
    ...rows.map((row) => row["name"]),
    // A local one has no row in the database that would say so.
    ...new URLSearchParams(query)
      .getAll("name")
      .map((condition) => (verb === "insert" ? undefined : /^eq\.(.*)$/s.exec(condition)?.[1])),
  ]);
  // One that was deleted by a date has no claim on its name.
  if (verb === "insert")
    await tx.run(sql`
      delete from properties
       where deleted_at is not null and name = any(${rows.map(({ name }) => String(name))}::text[])`);
  return rows.map((row) => {
    checkText(row, "name", { isNeeded: verb === "insert", max: MAX_NAME_LENGTH });
    checkText(row, "value", { isNeeded: verb === "insert", max: MAX_VALUE_LENGTH });
    // Who acts is known here; what the body says about it is not believed.
    return { ...row, created_by: ctx.actor.kind === "person" ? ctx.actor.id : null };
  });
}

/** Rows that were meant by something else than their name. */
async function refuseLocalRows({ rows, context }: AfterWrite<WriteContext>): Promise<void> {
  await refuseLocal(
    context,
    rows.map((row) => row["name"]),
  );
}

async function refuseLocal({ ctx }: WriteContext, names: readonly unknown[]): Promise<void> {
  const local = await ctx.service(localProperties).current();
  if (names.some((name) => typeof name === "string" && local.has(name)))
    throw forbidden("Cannot edit local feature flags");
}

/** An update may hold a part of the row only. */
function checkText(
  row: InputRow,
  column: string,
  { isNeeded, max }: { isNeeded: boolean; max: number },
): void {
  const value = row[column];
  if (value === undefined && !isNeeded) return;
  if (value === undefined || value === null || (typeof value === "string" && value.trim() === ""))
    throw invalid("please provide all details", [
      { path: column, message: `${column} is missing.` },
    ]);
  if (typeof value !== "string" || value.length > max) {
    const message = `${column} must be a text of 1 to ${max} characters.`;
    throw invalid(message, [{ path: column, message }]);
  }
}
