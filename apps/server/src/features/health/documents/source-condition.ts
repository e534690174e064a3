import { consoleSource } from "@mainstay/contract";
import sql, { type Sql } from "sql-template-tag";

/** The rows of `canaries` from one source, written as the unique index writes it: none counts as the console. */
export const hasSource = (source: string | null): Sql =>
  sql`coalesce(source, 'UI') = ${source ?? consoleSource}`;
