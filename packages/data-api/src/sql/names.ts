import { raw, type Sql } from "sql-template-tag";

/** Quotes an identifier. Only names from the catalog, and keys of the answer, come here. */
export const name = (identifier: string): Sql => raw(quote(identifier));

export const column = (alias: string, identifier: string): Sql =>
  raw(`${alias}.${quote(identifier)}`);

export const relation = (schema: string, identifier: string): Sql =>
  raw(`${quote(schema)}.${quote(identifier)}`);

const quote = (identifier: string) =>
  /["\0]/.test(identifier)
    ? `"${identifier.replaceAll('"', '""').replaceAll("\0", "")}"`
    : `"${identifier}"`;
