import { invalid } from "#platform/errors.ts";
import { table, type Table } from "#platform/table.ts";

const MAX_NAME_LENGTH = 256;
const MAX_VALUE_LENGTH = 64 * 1024;

export const properties: Table = table("properties", {
  read: "feature_flags",
  write: "feature_flags",
  writable: ["name", "value", "created_by", "deleted_at"],
  ignoreReadOnly: true,
  beforeWrite: async ({ rows, context }) => {
    const { actor } = context.ctx;
    return rows.map((row) => {
      checkText(row, "name", { min: 1, max: MAX_NAME_LENGTH });
      checkText(row, "value", { min: 0, max: MAX_VALUE_LENGTH });
      // Who acts is known here; what the body says about it is not believed.
      return { ...row, created_by: actor.kind === "person" ? actor.id : null };
    });
  },
});

function checkText(
  row: Record<string, unknown>,
  column: string,
  { min, max }: { min: number; max: number },
): void {
  const value = row[column];
  if (value === undefined) return;
  if (typeof value !== "string" || value.trim().length < min || value.length > max) {
    const message = `${column} must be a text of ${min} to ${max} characters.`;
    throw invalid(message, [{ path: column, message }]);
  }
}
