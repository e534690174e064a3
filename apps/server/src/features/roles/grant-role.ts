import type { Role } from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";

/** Adds a role to those a person has. */
export async function grantRole(tx: Queryable, personId: string, role: Role): Promise<void> {
  await tx.run(sql`
    insert into casbin_rule (ptype, v0, v1) values ('g', ${personId}, ${role}) on conflict do nothing`);
}
