import { effectiveRoles, type Role } from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";
import { conflict } from "#platform/errors.ts";

const LOCK = 6_146_133;

/**
 * Lets one transaction at a time change who may do what, so that what it sees of other people's roles is still true
 * when it commits.
 */
export async function lockRoles(tx: Queryable): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(${LOCK})`);
}

/** What a person may do at this moment; undefined for somebody who may not sign in at all. */
export async function rolesOf(tx: Queryable, personId: string): Promise<Role[] | undefined> {
  const row = await tx.first<{ roles: string[] }>(sql`
    select array(select v1 from casbin_rule where ptype = 'g' and v0 = p.id::text) as roles
      from people p left join identities i on i.id = p.id
     where p.id = ${personId} and p.deleted_at is null and i.state is distinct from 'inactive'`);
  return row && effectiveRoles(row.roles);
}

/** Refuses a change after which nobody could administer any more. Within `lockRoles`, at the end of the change. */
export async function keepAdministrator(tx: Queryable): Promise<void> {
  const left = await tx.first(sql`
    select from casbin_rule r
      join people p on p.id::text = r.v0 and p.deleted_at is null and p.type is null
      left join identities i on i.id = p.id
     where r.ptype = 'g' and r.v1 = 'admin' and i.state is distinct from 'inactive'
     limit 1`);
  if (!left) {
    throw conflict(
      "This is the last administrator. Make somebody else an administrator first, or nobody could manage users any more.",
    );
  }
}
