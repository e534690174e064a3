import { createHash } from "node:crypto";
import type { Passwords } from "./passwords.ts";

/** Owns the schema and makes roles. Migrations run as it, and nothing else does. */
export const OWNER = "mainstay_owner";
/** What everything else runs as: it reads and writes rows. */
export const APPLICATION = "mainstay_application";

/**
 * Who may connect: the two accounts, with their passwords. Nobody else can, the superuser included. The mark says for
 * which passwords and by which text the accounts were made, so that this file, written last, says that all was done.
 */
export function accessFile(passwords: Passwords): string {
  const mark = createHash("sha256").update(accountsSql(passwords)).digest("hex");
  return `# Written by Mainstay; what is changed here is undone at the next start.
# ${mark}
local postgres ${OWNER},${APPLICATION} scram-sha-256
`;
}

/**
 * Makes the two accounts, sets their passwords, and hands over to the owner what the superuser owns: clusters of
 * before had no other account. Does nothing that it has done already. For the superuser in single-user mode, where
 * two line ends close a command.
 */
export const accountsSql = ({ owner, application }: Passwords): string =>
  `
do $do$
declare
  it record;
begin
  for it in select name from unnest(array['${OWNER}', '${APPLICATION}']) name
             where not exists (select from pg_roles where rolname = name) loop
    execute format('create role %I', it.name);
  end loop;
  alter role ${OWNER} login nosuperuser createrole nocreatedb noreplication nobypassrls password '${owner}';
  alter role ${APPLICATION} login nosuperuser nocreaterole nocreatedb noreplication nobypassrls password '${application}';
  alter role ${OWNER} reset all;
  alter role ${APPLICATION} reset all;
  -- A function that runs as another superuser would be a way to one.
  for it in select rolname as name from pg_roles where rolsuper and oid <> 10 loop
    execute format('alter role %I nosuperuser', it.name);
  end loop;
  alter database postgres owner to ${OWNER};
  -- A temporary table could take the place of one that a function of the owner means.
  revoke temporary on database postgres from public;
  revoke create on schema public from public;

  -- Roles that the superuser made for the data API.
  for it in select rolname as name from pg_roles where rolname like 'mainstay\\_data\\_%' loop
    execute format('grant %I to ${OWNER} with admin option', it.name);
  end loop;

  -- PostgreSQL refuses to reassign all that the first superuser owns, as the system's own is among it.
  for it in
    with mine as (
      select 1 as turn, 'pg_namespace'::regclass as class, oid, nspname as schema
        from pg_namespace where nspowner = 10
      union all
      select 2, 'pg_class'::regclass, c.oid, nspname from pg_class c join pg_namespace n on n.oid = relnamespace
       where relowner = 10 and relkind in ('r', 'p', 'v', 'm', 'f')
      union all
      -- Those that number a table's rows have gone with the table.
      select 3, 'pg_class'::regclass, c.oid, nspname from pg_class c join pg_namespace n on n.oid = relnamespace
       where relowner = 10 and relkind = 'S'
         and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
                            and d.refclassid = 'pg_class'::regclass and d.deptype in ('a', 'i'))
      union all
      select 4, 'pg_proc'::regclass, p.oid, nspname from pg_proc p join pg_namespace n on n.oid = pronamespace
       where proowner = 10
      union all
      select 5, 'pg_type'::regclass, t.oid, nspname from pg_type t join pg_namespace n on n.oid = typnamespace
       where typowner = 10
         and (typtype in ('e', 'd', 'r') or (typtype = 'b' and typcategory <> 'A')
              or (typtype = 'c' and (select relkind = 'c' from pg_class c where c.oid = typrelid)))
      union all
      select 6, 'pg_statistic_ext'::regclass, s.oid, nspname
        from pg_statistic_ext s join pg_namespace n on n.oid = stxnamespace where stxowner = 10
      union all
      select 7, 'pg_collation'::regclass, c.oid, nspname
        from pg_collation c join pg_namespace n on n.oid = collnamespace where collowner = 10
    )
    select known.type, known.identity
      from mine, pg_identify_object(mine.class, mine.oid, 0) known
     where mine.schema !~ '^(pg_|information_schema$)'
       and not exists (select from pg_depend d where d.classid = mine.class and d.objid = mine.oid and d.deptype = 'e')
     order by mine.turn
  loop
    execute format('alter %s %s owner to ${OWNER}', replace(it.type, 'statistics object', 'statistics'), it.identity);
  end loop;
end
$do$;`.replaceAll(/\n\n+/g, "\n") + "\n\n";
