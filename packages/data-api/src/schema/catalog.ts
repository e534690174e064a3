import { arrayText } from "../sql/array-text.ts";
import sql from "sql-template-tag";
import type { Queryable } from "../connection.ts";

/** What the PostgreSQL catalog says, unfiltered. Nothing of it leaves without a declaration. */
export interface Catalog {
  relations: CatalogRelation[];
  keys: CatalogKey[];
  foreignKeys: CatalogForeignKey[];
  views: { oid: number; rule: string }[];
  functions: CatalogFunction[];
  mediaMakers: CatalogMediaMaker[];
  /** Comments of schemas, by name. */
  comments: Record<string, string>;
}

export interface CatalogColumn {
  number: number;
  name: string;
  /** As a definition would write it. */
  type: string;
  /** The type beneath a domain, without length. */
  base: string;
  generated: boolean;
  nullable: boolean;
  /** The expression, as PostgreSQL writes it. */
  default: string | null;
  comment: string | null;
  maxLength: number | null;
  /** Labels of an enum (or of the enum in an array), in order. */
  labels: string[] | null;
  /** Functions that casts of its domain name: to JSON for answers, from text for filters, from JSON for bodies. */
  toJson: string | null;
  fromText: string | null;
  fromJson: string | null;
}

export interface CatalogRelation {
  oid: number;
  schema: string;
  name: string;
  /** Table, partitioned table, view, materialized view, foreign table, or composite type. */
  kind: "r" | "p" | "v" | "m" | "f" | "c";
  /** Part of a partitioned table, which is here for a function that returns its rows. */
  isPartition: boolean;
  /** Bits by verb, see `verbBits`. */
  updatable: number;
  comment: string | null;
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

export interface CatalogArgument {
  name: string;
  type: string;
  base: string;
  /** `i` in, `o` out, `b` both, `v` variadic, `t` column of a table. */
  mode: string;
  optional: boolean;
  /** The table whose rows it takes, or 0. */
  relation: number;
}

export interface CatalogFunction {
  schema: string;
  name: string;
  volatility: "i" | "s" | "v";
  returnsSet: boolean;
  /** How many rows the planner expects. */
  rows: number;
  returns: string;
  /** The type beneath a domain. */
  returnsBase: string;
  /** The table whose rows it returns, or 0. */
  returnsRelation: number;
  returnsComposite: boolean;
  /** The media type that its result's domain is named after. */
  mediaType: string | null;
  comment: string | null;
  /** Settings that hold while it runs, as `name=value`. */
  settings: string[];
  args: CatalogArgument[];
}

/** An aggregate that makes a media type of rows: it returns a domain that is named like one. */
export interface CatalogMediaMaker {
  schema: string;
  name: string;
  /** The table whose rows it takes, or 0 where it takes any. */
  relation: number;
  mediaType: string;
  isBinary: boolean;
}

/**
 * Reads everything in one statement. `names` says which functions of the schemas are wanted; without it all of them,
 * but those that only triggers can call.
 */
export async function readCatalog(
  client: Queryable,
  schemas: readonly string[],
  names?: readonly string[],
): Promise<Catalog> {
  const statement = sql`
    with user_schemas as (
      select oid, nspname from pg_namespace where nspname not like 'pg\\_%' and nspname <> 'information_schema'
    ), user_relations as (
      select c.oid, n.nspname, c.relname, c.relkind, c.relispartition
      from pg_class c join user_schemas n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p', 'v', 'm', 'f', 'c')
        and (not c.relispartition or exists (select from pg_proc p where p.prorettype = c.reltype))
    ), bases as (
      with recursive beneath as (
        select oid, oid as base, typbasetype from pg_type
        union all
        select b.oid, t.oid, t.typbasetype from beneath b join pg_type t on t.oid = b.typbasetype where b.typbasetype <> 0
      )
      select oid, base from beneath where typbasetype = 0
    ), representations as (
      select c.castsource as source, c.casttarget as target, format('%I.%I', n.nspname, p.proname) as function
      from pg_cast c
      join pg_proc p on p.oid = c.castfunc
      join pg_namespace n on n.oid = p.pronamespace
      where exists (select from pg_type t where t.typtype = 'd' and t.oid in (c.castsource, c.casttarget))
    )
    select json_build_object(
      'relations', coalesce((
        select json_agg(json_build_object(
          'oid', r.oid::int8, 'schema', r.nspname, 'name', r.relname, 'kind', r.relkind, 'isPartition', r.relispartition,
          'updatable', pg_relation_is_updatable(r.oid, true), 'comment', obj_description(r.oid, 'pg_class'),
          'columns', coalesce((
            select json_agg(json_build_object(
              'number', a.attnum, 'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
              'base', format_type(b.base, null),
              'generated', a.attgenerated <> '' or a.attidentity = 'a',
              'nullable', not (a.attnotnull or t.typnotnull),
              'default', case
                when a.attidentity = 'd' then (
                  -- The function for this wants the right to use the schema, which who signs in need not have.
                  select format('nextval(%L)', format('%I.%I', sn.nspname, s.relname))
                  from pg_depend owned
                  join pg_class s on s.oid = owned.objid and s.relkind = 'S'
                  join pg_namespace sn on sn.oid = s.relnamespace
                  where owned.classid = 'pg_class'::regclass and owned.refclassid = 'pg_class'::regclass
                    and owned.deptype = 'i' and owned.refobjid = r.oid and owned.refobjsubid = a.attnum
                )
                when a.attidentity = '' and a.attgenerated = '' then coalesce(pg_get_expr(d.adbin, d.adrelid), t.typdefault)
              end,
              'comment', col_description(r.oid, a.attnum),
              'maxLength', case when a.atttypmod > 4 and t.typname in ('varchar', 'bpchar') then a.atttypmod - 4 end,
              'labels', (
                select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e
                where e.enumtypid in (b.base, nullif(t.typelem, 0))
              ),
              'toJson', (select function from representations where source = t.oid and target = 'json'::regtype),
              'fromText', (select function from representations where source = 'text'::regtype and target = t.oid),
              'fromJson', (select function from representations where source = 'json'::regtype and target = t.oid)
            ) order by a.attnum)
            from pg_attribute a
            join pg_type t on t.oid = a.atttypid
            join bases b on b.oid = a.atttypid
            left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
            where a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
          ), '[]')
        ) order by r.relname) from user_relations r
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
          'schema', n.nspname, 'name', p.proname, 'volatility', p.provolatile, 'returnsSet', p.proretset,
          'rows', p.prorows, 'returns', format_type(p.prorettype, null), 'returnsBase', format_type(rb.base, null),
          'returnsRelation', o.typrelid::int8,
          'returnsComposite', o.typtype = 'c' or o.typname = 'record',
          'mediaType', case when o.typtype = 'd' and o.typname like '%/%' then o.typname end,
          'comment', obj_description(p.oid, 'pg_proc'), 'settings', coalesce(to_json(p.proconfig), '[]'),
          'args', coalesce((
            select json_agg(json_build_object(
              'name', coalesce(p.proargnames[g.n], ''), 'type', format_type(g.type, null),
              'base', format_type(ab.base, null), 'relation', t.typrelid::int8,
              'mode', coalesce(p.proargmodes[g.n]::text, 'i'),
              'optional', coalesce(i.n > p.pronargs - p.pronargdefaults, false)
            ) order by g.n)
            from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) with ordinality as g(type, n)
            join pg_type t on t.oid = g.type
            join bases ab on ab.oid = g.type
            -- The place among the arguments that a call gives.
            left join lateral (
              select count(*) as n from generate_series(1, g.n) s
              where coalesce(p.proargmodes[s]::text, 'i') in ('i', 'b', 'v')
            ) i on coalesce(p.proargmodes[g.n]::text, 'i') in ('i', 'b', 'v')
          ), '[]')
        ) order by p.proname, p.oid)
        from pg_proc p
        join user_schemas n on n.oid = p.pronamespace
        join pg_type o on o.oid = p.prorettype
        join bases rb on rb.oid = p.prorettype
        where n.nspname = any(${arrayText(schemas)}::text[]) and p.prokind = 'f'
          and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)
          and (${names === undefined} or p.proname = any(${arrayText(names ?? [])}::text[]))
      ), '[]'),
      'mediaMakers', coalesce((
        select json_agg(json_build_object(
          'schema', n.nspname, 'name', p.proname, 'relation', t.typrelid::int8,
          'mediaType', o.typname, 'isBinary', rb.base = 'bytea'::regtype
        ) order by p.oid)
        from pg_proc p
        join user_schemas n on n.oid = p.pronamespace
        join pg_type o on o.oid = p.prorettype and o.typtype = 'd' and o.typname like '%/%'
        join bases rb on rb.oid = o.oid
        join pg_type t on t.oid = p.proargtypes[0]
        where n.nspname = any(${arrayText(schemas)}::text[]) and p.prokind = 'a' and p.pronargs = 1
          and (t.typrelid <> 0 or t.oid = 'anyelement'::regtype)
      ), '[]'),
      'comments', coalesce((
        select json_object_agg(nspname, obj_description(oid, 'pg_namespace')) from user_schemas
        where obj_description(oid, 'pg_namespace') is not null
      ), '{}')
    )::text as catalog`;
  const { rows } = await client.query(statement.text, statement.values);
  return JSON.parse(String(rows[0]?.["catalog"])) as Catalog;
}
