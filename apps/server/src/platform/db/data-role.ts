import { createHash } from "node:crypto";
import { escapeIdentifier, escapeLiteral } from "pg";
import sql from "sql-template-tag";
import type { Log } from "../log.ts";
import { takeLock } from "./advisory-locks.ts";
import type { Database } from "./database.ts";

/** What of a table's declaration says what may be read and written. */
export interface GrantedTable {
  name: string;
  columns?: readonly string[];
  hidden?: readonly string[];
  /** Set where the table can be written. */
  write?: string;
  verbs?: readonly ("insert" | "update" | "delete")[];
}

/** Database roles by name. */
export interface DataRoles {
  read: string;
  write: string;
}

/**
 * Prepares the roles under which the data API's statements run, so that a mistake in its SQL could not reach further:
 * one reads the columns that are declared, the other also writes the tables that are declared as written. Hooks and
 * triggers are the program's own and run as the owner (a trigger function that touches other tables is a security
 * definer). Returns nothing where the user of the database may not create roles; then everything runs under that
 * user, and the log says so.
 */
export async function prepareDataRoles(
  db: Database,
  log: Log,
  tables: readonly GrantedTable[],
  /** As who may make roles; `db`'s user may then take them on. */
  owner: Database,
): Promise<DataRoles | undefined> {
  const names = await db.first<DataRoles & { user: string }>(sql`
    select 'mainstay_data_' || oid as read, 'mainstay_data_' || oid || '_write' as write, current_user as user
      from pg_database where datname = current_database()`);
  if (!names) throw new Error("The database did not say what it is called.");
  const { user, ...roles } = names;
  const relations = await relationsOf(db, tables);
  const grants = grantsOf(relations, roles);
  // A view that was made again has lost its grants, and its number has changed.
  const mark = createHash("sha256")
    .update(JSON.stringify([grants, relations.map(({ oid }) => oid), user]))
    .digest("hex");
  try {
    await owner.transaction(async (tx) => {
      await takeLock(tx, "dataRoles");
      const known = await tx.rows<{ name: string; mark: string | null }>(sql`
        select rolname as name, shobj_description(oid, 'pg_authid') as mark
          from pg_roles where rolname in (${names.read}, ${names.write})`);
      if (known.length === 2 && known.every((role) => role.mark === mark)) return;
      const missing = [names.read, names.write].filter((name) =>
        known.every((role) => role.name !== name),
      );
      await tx.raw(
        [
          ...missing.map((name) => `create role ${name} nologin`),
          `grant ${names.read}, ${names.write} to ${escapeIdentifier(user)}`,
          `grant ${names.read} to ${names.write}`,
          ...grants,
          `comment on role ${names.read} is ${escapeLiteral(mark)}`,
          `comment on role ${names.write} is ${escapeLiteral(mark)}`,
        ].join("; "),
      );
    });
    return roles;
  } catch (error) {
    if ((error as { code?: string }).code !== "42501") throw error;
    log.warn(
      { err: error },
      "the data API runs without database roles of its own, because this user may not create roles; grant it CREATEROLE for that",
    );
    return undefined;
  }
}

interface Relation extends GrantedTable {
  oid: number;
  allColumns: string[];
  /** Sequences that number its rows, as SQL names them. */
  sequences: string[];
}

async function relationsOf(db: Database, tables: readonly GrantedTable[]): Promise<Relation[]> {
  const rows = await db.rows<Pick<Relation, "name" | "oid" | "allColumns" | "sequences">>(sql`
    select c.relname as name, c.oid::int8 as oid, array_agg(a.attname::text order by a.attnum) as "allColumns",
           array(select d.objid::regclass::text from pg_depend d join pg_class s on s.oid = d.objid and s.relkind = 'S'
                  where d.refobjid = c.oid and d.deptype = 'a' order by 1) as sequences
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relname = any(${tables.map(({ name }) => name)})
     group by c.oid order by c.relname`);
  const declared = new Map(tables.map((table) => [table.name, table]));
  return rows.map((row) => ({ ...declared.get(row.name), ...row }));
}

/** The statements that leave the roles with what is declared. */
function grantsOf(relations: readonly Relation[], { read, write }: DataRoles): string[] {
  const both = `${read}, ${write}`;
  return [
    `revoke all on all tables in schema public from ${both}`,
    `revoke all on all sequences in schema public from ${both}`,
    `grant usage on schema public to ${both}`,
    ...relations.flatMap((relation) => {
      const table = `public.${escapeIdentifier(relation.name)}`;
      const {
        columns = relation.allColumns,
        hidden = [],
        verbs = ["insert", "update", "delete"],
      } = relation;
      const shown = columns.filter((column) => !hidden.includes(column)).map(escapeIdentifier);
      const reading = `grant select (${shown.join(", ")}) on ${table} to ${read}`;
      if (relation.write === undefined) return [reading];
      return [
        reading,
        // Hooks are handed whole rows, and may set what clients may not.
        `grant select, ${verbs.join(", ")} on ${table} to ${write}`,
        ...relation.sequences.map((sequence) => `grant usage on sequence ${sequence} to ${write}`),
      ];
    }),
  ];
}
