import { consoleSource } from "@mainstay/contract";
import { escapeIdentifier } from "pg";
import sql, { empty, raw, type Sql } from "sql-template-tag";
import type { DocumentKind } from "./document-kind.ts";

/** The rows from one source, written as unique indexes write it: none counts as the console. */
export function hasSource(
  { exactSource }: Pick<DocumentKind, "exactSource">,
  source: string | null,
): Sql {
  const exact = exactSource ? sql`${raw(escapeIdentifier(exactSource.column))},` : empty;
  return sql`coalesce(${exact} source::text, 'UI') = ${source ?? consoleSource}`;
}
