import sql from "sql-template-tag";
import { grantRole, hasAdministrator } from "#features/roles/index.ts";
import type { Tx } from "#platform/context.ts";
import type { Queryable } from "#platform/db/database.ts";
import type { HostedClaims } from "./validate-token.ts";

interface Follower {
  id: string;
  provider_role: "admin" | "member" | null;
  brought_admin: boolean;
}

const roleOf = ({ isAdmin }: HostedClaims) => (isAdmin ? "admin" : "member");

/** Whether there is nothing to change: the provider says what it said, and what followed from it was done. */
export async function isSettled(
  db: Queryable,
  person: Follower,
  claims: HostedClaims,
): Promise<boolean> {
  if (person.provider_role !== roleOf(claims)) return false;
  if (claims.isAdmin || !person.brought_admin) return true;
  // The role of the last administrator could not be taken back; it goes as soon as there is another one.
  return !(await hasAdministrator(db, { besides: person.id }));
}

/**
 * Makes an administrator of who is one at the provider, and takes that back with the provider's word. What was given
 * here stays, and so does the last administrator: nobody could manage users any more. Within `lockRoles`.
 */
export async function followProvider(tx: Tx, id: string, { isAdmin }: HostedClaims): Promise<void> {
  const before = (await tx.first<{ is_admin: boolean; brought_admin: boolean }>(sql`
    select exists (select from casbin_rule where ptype = 'g' and v0 = ${id} and v1 = 'admin') as is_admin,
           coalesce((select brought_admin from hosted_people where person_id = ${id}), false) as brought_admin`))!;
  let broughtAdmin = before.brought_admin && before.is_admin;
  if (isAdmin && !before.is_admin) {
    await grantRole(tx, id, "admin");
    broughtAdmin = true;
  } else if (!isAdmin && broughtAdmin && (await hasAdministrator(tx, { besides: id }))) {
    await tx.run(sql`delete from casbin_rule where ptype = 'g' and v0 = ${id} and v1 = 'admin'`);
    broughtAdmin = false;
  }
  await tx.run(sql`
    insert into hosted_people (person_id, role, brought_admin)
    values (${id}, ${isAdmin ? "admin" : "member"}, ${broughtAdmin})
    on conflict (person_id) do update
       set role = excluded.role, brought_admin = excluded.brought_admin, updated_at = now()`);
}
