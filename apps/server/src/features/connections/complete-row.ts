import type { BeforeWrite, InputRow } from "@mainstay/data-api";
import sql from "sql-template-tag";
import type { WriteContext } from "#platform/table.ts";
import { connectionKind, type ConnectionRow, specColumns } from "./connection-kind.ts";

/** Keys that a form of the family sends beside the columns; they belong to the properties. */
export const strayProperties = ["awsConnectionName", "accessKey", "secretKey"] as const;

const uuid = /^eq\.([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i;

/**
 * Secrets are sealed with the whole connection, and forms send a part of it: what they leave out is what is stored.
 * Only where one row is named by its id.
 */
export async function completeRows({
  verb,
  rows,
  context,
}: BeforeWrite<WriteContext>): Promise<InputRow[]> {
  if (verb === "delete") return rows;
  const gathered = rows.map(gatherStray);
  if (verb === "insert") return gathered;
  const id = uuid.exec(new URLSearchParams(context.query).get("id") ?? "")?.[1];
  const [row] = gathered;
  const isPart =
    row && [...specColumns, "name", "namespace"].some((name) => row[name] !== undefined);
  if (id === undefined || !isPart) return gathered;
  const stored = await context.tx.first<ConnectionRow>(
    sql`select * from connections where id = ${id}::uuid for update`,
  );
  if (!stored) return gathered;
  const kept = (connectionKind.columns ?? []).filter((name) => row[name] === undefined);
  return [
    {
      ...row,
      ...Object.fromEntries(kept.map((name) => [name, stored[name as keyof ConnectionRow]])),
    },
  ];
}

function gatherStray(row: InputRow): InputRow {
  const found = strayProperties.filter((name) => row[name] !== undefined && row[name] !== null);
  const rest = { ...row };
  for (const name of strayProperties) delete rest[name];
  if (found.length === 0) return rest;
  const properties = Object.fromEntries(found.map((name) => [name, row[name]]));
  return { ...rest, properties: { ...(row.properties as object | null), ...properties } };
}
