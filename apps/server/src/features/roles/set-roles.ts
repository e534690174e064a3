import type { Role } from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";

/** Leaves a person with exactly these roles; those that stay are not touched. */
export async function setRoles(
  tx: Queryable,
  personId: string,
  roles: readonly Role[],
): Promise<void> {
  await tx.run(sql`
    delete from casbin_rule where ptype = 'g' and v0 = ${personId} and v1 <> all(${roles})`);
  await tx.run(sql`
    insert into casbin_rule (ptype, v0, v1)
    select 'g', ${personId}, role from unnest(${roles}::text[]) with ordinality as given (role, place) order by place
    on conflict do nothing`);
}
