import { effectiveRoles, type Role } from "@mainstay/contract";
import sql from "sql-template-tag";
import { takeLock } from "#platform/db/advisory-locks.ts";
import type { Queryable } from "#platform/db/database.ts";
import { conflict } from "#platform/errors.ts";

/**
 * Lets one transaction at a time change who may do what, so that what it sees of other people's roles is still true
 * when it commits.
 */
export async function lockRoles(tx: Queryable): Promise<void> {
  await takeLock(tx, "roles");
}

/** What a person may do at this moment; undefined for somebody who may not sign in at all. */
export async function rolesOf(tx: Queryable, personId: string): Promise<Role[] | undefined> {
  const row = await tx.first<{ roles: string[] }>(sql`
    select array(select v1 from casbin_rule where ptype = 'g' and v0 = p.id::text) as roles
      from people p left join identities i on i.id = p.id
     where p.id = ${personId} and p.deleted_at is null and i.state is distinct from 'inactive'`);
  return row && effectiveRoles(row.roles);
}

/** Whether somebody who can sign in is an administrator; somebody else than `besides`, if that is said. */
export async function hasAdministrator(
  db: Queryable,
  { besides }: { besides?: string } = {},
): Promise<boolean> {
  const found = await db.first(sql`
    select from casbin_rule r
      join people p on p.id::text = r.v0 and p.deleted_at is null and p.type is null
      left join identities i on i.id = p.id
     where r.ptype = 'g' and r.v1 = 'admin' and r.v0 is distinct from ${besides ?? null}
       -- Who signs in elsewhere has no identity here; the program's own persons have nothing of the kind.
       and (i.state = 'active' or (i.id is null and coalesce(p.external_id, p.email) is not null))
     limit 1`);
  return found !== undefined;
}

/** Refuses a change after which nobody could administer any more. Within `lockRoles`, at the end of the change. */
export async function keepAdministrator(tx: Queryable): Promise<void> {
  if (await hasAdministrator(tx)) return;
  throw conflict(
    "This is the last administrator. Make somebody else an administrator first, or nobody could manage users any more.",
  );
}
