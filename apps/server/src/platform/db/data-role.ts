import { createHash } from "node:crypto";
import { escapeIdentifier, escapeLiteral } from "pg";
import sql from "sql-template-tag";
import type { Log } from "../log.ts";
import type { Database } from "./database.ts";

/** What of a table's declaration says which columns may be read. */
export interface ReadableTable {
  name: string;
  columns?: readonly string[];
  hidden?: readonly string[];
}

/** Only one server at a time grants. */
const LOCK = 6_146_132;

/**
 * Prepares the role under which the data API reads: it may read the columns that are declared, and nothing else, so
 * that a mistake in the data API's SQL could not reach further. Returns its name, or nothing where the user of the
 * database may not create roles; then reads run under that user, and the log says so.
 */
export async function prepareDataRole(
  db: Database,
  log: Log,
  tables: readonly ReadableTable[],
): Promise<string | undefined> {
  const names = await db.first<{ role: string; schema: string }>(
    sql`select 'mainstay_data_' || oid as role, 'public' as schema from pg_database where datname = current_database()`,
  );
  if (!names) throw new Error("The database did not say what it is called.");
  const { role } = names;
  const grants = await grantsOf(db, tables, role);
  const mark = createHash("sha256").update(grants).digest("hex");
  try {
    await db.transaction(async (tx) => {
      await tx.raw(`select pg_advisory_xact_lock(${LOCK})`);
      const known = await tx.first<{ mark: string | null }>(
        sql`select shobj_description(oid, 'pg_authid') as mark from pg_roles where rolname = ${role}`,
      );
      if (known?.mark === mark) return;
      const made = known ? "" : `create role ${role} nologin; grant ${role} to current_user;`;
      await tx.raw(`${made} ${grants} comment on role ${role} is ${escapeLiteral(mark)}`);
    });
    return role;
  } catch (error) {
    if ((error as { code?: string }).code !== "42501") throw error;
    log.warn(
      { err: error },
      "the data API reads without a database role of its own, because this user may not create roles; grant it CREATEROLE for that",
    );
    return undefined;
  }
}

/** The statements that leave the role with what is declared. */
async function grantsOf(
  db: Database,
  tables: readonly ReadableTable[],
  role: string,
): Promise<string> {
  const rows = await db.rows<{ table: string; columns: string[] }>(sql`
    select c.relname as table, array_agg(a.attname::text order by a.attnum) as columns
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relname = any(${tables.map(({ name }) => name)})
     group by c.relname order by c.relname`);
  const known = new Map(rows.map(({ table, columns }) => [table, columns]));
  const selects = tables.map(({ name, columns, hidden = [] }) => {
    const shown = (columns ?? known.get(name) ?? []).filter((column) => !hidden.includes(column));
    return `grant select (${shown.map(escapeIdentifier).join(", ")}) on public.${escapeIdentifier(name)} to ${role};`;
  });
  return [
    `revoke all on all tables in schema public from ${role};`,
    `grant usage on schema public to ${role};`,
    ...selects,
  ].join(" ");
}
