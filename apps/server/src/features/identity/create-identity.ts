import sql from "sql-template-tag";
import type { Address } from "#platform/address.ts";
import type { Queryable } from "#platform/db/database.ts";
import { saveCredential } from "./credentials.ts";
import { hashPassword } from "./password/passwords.ts";
import type { Traits } from "./traits.ts";

interface NewIdentity {
  email: Address;
  firstName: string;
  lastName: string;
  password: string;
}

/** An identity with a password; a trigger makes the person that belongs to it, under the same id. */
export async function createIdentity(
  tx: Queryable,
  { email, firstName, lastName, password }: NewIdentity,
): Promise<{ id: string }> {
  const identity = await createIdentityFor(tx, {
    email,
    name: { first: firstName, last: lastName },
  });
  await saveCredential(tx, identity.id, "password", {
    hashed_password: await hashPassword(password),
  });
  return identity;
}

/** An identity that cannot sign in yet: whoever it is for gets a recovery link. */
export async function createIdentityFor(tx: Queryable, traits: Traits): Promise<{ id: string }> {
  const identity = await tx.first<{ id: string }>(sql`
    insert into identities (traits) values (${JSON.stringify(traits)}::jsonb) returning id`);
  return identity!;
}
