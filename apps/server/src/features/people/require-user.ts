import sql from "sql-template-tag";
import { findIdentity, type StoredIdentity } from "#features/identity/index.ts";
import type { Queryable } from "#platform/db/database.ts";
import { conflict } from "#platform/errors.ts";
import { noSuchUser } from "./person-input.ts";

/**
 * Refuses whoever is no user any more, or never was: programs are people, too. Whoever signs in elsewhere has no
 * identity here.
 */
export async function requireUser(tx: Queryable, personId: string): Promise<void> {
  const person = await tx.first(sql`
    select from people p left join identities i on i.id = p.id
     where p.id = ${personId} and p.deleted_at is null and p.type is null
       and (i.id is not null or p.external_id is not null or p.email is not null)
       for update of p`);
  if (!person) throw noSuchUser();
}

/** Users and services have roles; the program's own persons and agents have none to give. */
export async function requireRoleHolder(tx: Queryable, personId: string): Promise<void> {
  const service = await tx.first(sql`
    select from people where id = ${personId} and deleted_at is null and type = 'service' for update`);
  if (!service) await requireUser(tx, personId);
}

/** The identity that a user signs in with here. */
export async function requireIdentity(tx: Queryable, personId: string): Promise<StoredIdentity> {
  await requireUser(tx, personId);
  const identity = await findIdentity(tx, personId);
  if (identity) return identity;
  throw conflict(
    "This user signs in with another identity service. Change the name, the address or the state there.",
  );
}
