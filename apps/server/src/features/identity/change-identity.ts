import pg from "pg";
import sql from "sql-template-tag";
import type { Address } from "#platform/address.ts";
import type { Queryable } from "#platform/db/database.ts";
import { revokeSessionsOf } from "./sessions/sessions.ts";
import type { Traits } from "./traits.ts";

export interface StoredIdentity {
  id: string;
  traits: Traits;
  state: "active" | "inactive";
}

export async function findIdentity(db: Queryable, id: string): Promise<StoredIdentity | undefined> {
  return await db.first<StoredIdentity>(sql`
    select id, traits, state from identities where id = ${id}`);
}

/** The identity that an address belongs to. */
export async function findIdentityByAddress(
  db: Queryable,
  email: Address,
): Promise<StoredIdentity | undefined> {
  return await db.first<StoredIdentity>(sql`
    select id, traits, state from identities where traits ->> 'email' = ${email}`);
}

const addressIndexes = new Set<string | undefined>(["identities_email", "people_email"]);

/** Whether a write has failed because another person has the address; also one who signs in elsewhere. */
export const isAddressTaken = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && addressIndexes.has(error.constraint);

/**
 * Changes what an administrator may change. What was sent to an old address counts no more; who is deactivated is
 * signed out everywhere. Call `forgetSessions` when it is committed.
 */
export async function changeIdentity(
  tx: Queryable,
  identity: StoredIdentity,
  changes: { traits?: Traits; state?: "active" | "inactive" },
): Promise<void> {
  const { id } = identity;
  const traits = { ...identity.traits, ...changes.traits };
  const state = changes.state ?? identity.state;
  await tx.run(sql`
    update identities
       set traits = ${JSON.stringify(traits)}::jsonb, state = ${state}, updated_at = now(),
           state_changed_at = case when state = ${state} then state_changed_at else now() end
     where id = ${id} and (traits, state) is distinct from (${JSON.stringify(traits)}::jsonb, ${state})`);
  // Links that were handed over prove no address and stay good.
  if (traits.email !== identity.traits.email)
    await tx.run(sql`delete from identity_codes where identity_id = ${id} and address is not null`);
  if (state === "inactive" && identity.state !== "inactive") await revokeSessionsOf(tx, id);
}

/** Ends an identity with its credentials and sessions. Its person stays, as deleted, and so does what it has done. */
export async function deleteIdentity(tx: Queryable, id: string): Promise<void> {
  await tx.run(sql`delete from identities where id = ${id}`);
}
