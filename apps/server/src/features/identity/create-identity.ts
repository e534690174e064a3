import sql from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";
import { hashPassword } from "./passwords.ts";

export interface NewIdentity {
  email: string;
  firstName: string;
  lastName: string;
  password: string;
}

/** An identity with a password; a trigger makes the person that belongs to it, under the same id. */
export async function createIdentity(
  tx: Queryable,
  { email, firstName, lastName, password }: NewIdentity,
): Promise<{ id: string }> {
  const traits = { email, name: { first: firstName, last: lastName } };
  const identity = await tx.first<{ id: string }>(sql`
    insert into identities (traits) values (${JSON.stringify(traits)}::jsonb) returning id`);
  await tx.run(sql`
    insert into identity_credentials (identity_id, type, config)
    values (${identity!.id}, 'password', ${JSON.stringify({ hashed_password: await hashPassword(password) })}::jsonb)`);
  return identity!;
}
