import { consoleSource } from "@mainstay/contract";
import sql, { type Sql } from "sql-template-tag";

/** The rows from one source, written as unique indexes write it: none counts as the console. */
export const hasSource = (source: string | null): Sql =>
  sql`coalesce(source::text, 'UI') = ${source ?? consoleSource}`;
