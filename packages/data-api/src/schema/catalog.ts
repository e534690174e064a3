import sql from "sql-template-tag";
import type { Queryable } from "../connection.ts";

/** What the PostgreSQL catalog says, unfiltered. Nothing of it leaves without a declaration. */
export interface Catalog {
  relations: CatalogRelation[];
  keys: CatalogKey[];
  foreignKeys: CatalogForeignKey[];
  views: { oid: number; rule: string }[];
  functions: CatalogFunction[];
}

export interface CatalogColumn {
  number: number;
  name: string;
  /** As a definition would write it. */
  type: string;
  /** The type beneath a domain, without length. */
  base: string;
  generated: boolean;
}

export interface CatalogRelation {
  oid: number;
  schema: string;
  name: string;
  kind: "r" | "p" | "v" | "m" | "f";
  /** Bits by verb, see `verbBits`. */
  updatable: number;
  columns: CatalogColumn[];
}

/** PostgreSQL's bits for what a relation allows (a view may not allow all). */
export const verbBits = { update: 4, insert: 8, delete: 16 } as const;

export interface CatalogKey {
  relation: number;
  primary: boolean;
  columns: number[];
}

export interface CatalogForeignKey {
  name: string;
  from: number;
  fromColumns: number[];
  to: number;
  toColumns: number[];
}

export interface CatalogFunction {
  name: string;
  volatility: "i" | "s" | "v";
  returnsSet: boolean;
  returns: string;
  /** The table whose rows it returns, or 0. */
  returnsRelation: number;
  returnsComposite: boolean;
  args: { name: string; type: string; base: string; mode: string; optional: boolean }[];
}

/** Reads everything in one statement. */
export async function readCatalog(
  client: Queryable,
  schema: string,
  functionNames: readonly string[],
): Promise<Catalog> {
  const statement = sql`
    with user_schemas as (
      select oid, nspname from pg_namespace where nspname not like 'pg\\_%' and nspname <> 'information_schema'
    ), user_relations as (
      select c.oid, n.nspname, c.relname, c.relkind
      from pg_class c join user_schemas n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
    )
    select json_build_object(
      'relations', coalesce((
        select json_agg(json_build_object(
          'oid', r.oid::int8, 'schema', r.nspname, 'name', r.relname, 'kind', r.relkind,
          'updatable', pg_relation_is_updatable(r.oid, true),
          'columns', coalesce((
            select json_agg(json_build_object(
              'number', a.attnum, 'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
              'base', format_type(coalesce(nullif(t.typbasetype, 0), t.oid), null),
              'generated', a.attgenerated <> '' or a.attidentity = 'a'
            ) order by a.attnum)
            from pg_attribute a join pg_type t on t.oid = a.atttypid
            where a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
          ), '[]')
        )) from user_relations r
      ), '[]'),
      'keys', coalesce((
        select json_agg(json_build_object('relation', k.conrelid::int8, 'primary', k.contype = 'p', 'columns', k.conkey))
        from pg_constraint k join user_relations r on r.oid = k.conrelid where k.contype in ('p', 'u')
      ), '[]'),
      'foreignKeys', coalesce((
        select json_agg(json_build_object(
          'name', k.conname, 'from', k.conrelid::int8, 'fromColumns', k.conkey,
          'to', k.confrelid::int8, 'toColumns', k.confkey
        ) order by k.conname)
        from pg_constraint k join user_relations r on r.oid = k.conrelid
        where k.contype = 'f' and k.conparentid = 0
      ), '[]'),
      'views', coalesce((
        select json_agg(json_build_object('oid', w.ev_class::int8, 'rule', w.ev_action::text))
        from pg_rewrite w join user_relations r on r.oid = w.ev_class
        where w.rulename = '_RETURN' and r.relkind in ('v', 'm')
      ), '[]'),
      'functions', coalesce((
        select json_agg(json_build_object(
          'name', p.proname, 'volatility', p.provolatile, 'returnsSet', p.proretset,
          'returns', format_type(p.prorettype, null), 'returnsRelation', o.typrelid::int8,
          'returnsComposite', o.typtype = 'c' or o.typname = 'record',
          'args', coalesce((
            select json_agg(json_build_object(
              'name', coalesce(p.proargnames[g.n], ''), 'type', format_type(g.type, null),
              'base', format_type(coalesce(nullif(t.typbasetype, 0), t.oid), null),
              'mode', coalesce(p.proargmodes[g.n]::text, 'i'),
              'optional', g.n > p.pronargs - p.pronargdefaults and g.n <= p.pronargs
            ) order by g.n)
            from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) with ordinality as g(type, n)
            join pg_type t on t.oid = g.type
          ), '[]')
        ))
        from pg_proc p join user_schemas n on n.oid = p.pronamespace join pg_type o on o.oid = p.prorettype
        where n.nspname = ${schema} and p.proname = any(${[...functionNames]}::text[]) and p.prokind = 'f'
      ), '[]')
    )::text as catalog`;
  const { rows } = await client.query(statement.text, statement.values);
  return JSON.parse(String(rows[0]?.["catalog"])) as Catalog;
}
