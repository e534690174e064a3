import type pg from "pg";

/**
 * What the account that everything runs as may do, and still lacks, as statements: rows of what the asker owns, the
 * functions on them, and nothing of the schema. Somebody who may do that already, a superuser or the owner, lacks
 * nothing.
 */
const LACKING = `
  with application as (select oid from pg_roles where rolname = $1),
  relation as (
    select c.*, format('%I.%I', n.nspname, c.relname) as name, n.nspname
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = any($2) and pg_has_role(c.relowner, 'usage')
  )
  select format('grant usage on schema %I to %I', nspname, $1::text) as statement
    from pg_namespace n, application a
   where nspname = any($2) and pg_has_role(nspowner, 'usage') and not has_schema_privilege(a.oid, n.oid, 'usage')
  union all
  select format('grant select on %s to %I', name, $1::text)
    from relation r, application a
   where (relkind in ('v', 'm') or nspname = 'public' and relname = 'migrations')
     and not has_table_privilege(a.oid, r.oid, 'select')
  union all
  select format('grant select, insert, update, delete on %s to %I', name, $1::text)
    from relation r, application a
   where relkind in ('r', 'p') and not (nspname = 'public' and relname = 'migrations')
     and not (has_table_privilege(a.oid, r.oid, 'select') and has_table_privilege(a.oid, r.oid, 'insert')
              and has_table_privilege(a.oid, r.oid, 'update') and has_table_privilege(a.oid, r.oid, 'delete'))
  union all
  select format('grant usage, select on sequence %s to %I', name, $1::text)
    from relation r, application a
   where relkind = 'S' and not has_sequence_privilege(a.oid, r.oid, 'usage')
  union all
  select format('grant execute on function %s to %I', p.oid::regprocedure, $1::text)
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace, application a
   where n.nspname = any($2) and pg_has_role(p.proowner, 'usage') and prokind = 'f'
     and not has_function_privilege(a.oid, p.oid, 'execute')
  union all
  -- What the owner makes later, days of results among it.
  select format('alter default privileges in schema %I grant %s to %I', nspname, privileges, $1::text)
    from pg_namespace n, application a,
         (values ('r', 'select, insert, update, delete on tables'), ('S', 'usage, select on sequences')) k (kind, privileges)
   where nspname = any($2) and $1 <> current_user
     and not exists (select from pg_default_acl d, aclexplode(d.defaclacl) g
                      where d.defaclrole = current_user::regrole and d.defaclnamespace = n.oid
                        and d.defaclobjtype::text = kind and g.grantee = a.oid)
  union all
  -- A temporary table could take the place of one that a function of the owner means.
  select format('revoke temporary on database %I from public', datname)
    from pg_database d, application a
   where datname = current_database() and pg_has_role(datdba, 'usage')
     and not pg_has_role(a.oid, datdba, 'usage') and has_database_privilege('public', d.oid, 'temporary')`;

/** Gives the account of that name what it lacks. Asked as the owner of the schema. */
export async function grantApplication(
  client: pg.Client,
  application: string,
  schemas: readonly string[],
): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(LACKING, [application, schemas]);
  if (rows.length > 0) await client.query(rows.map(({ statement }) => statement).join("; "));
}
