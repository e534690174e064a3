import sql from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";
import { lockCredential, saveCredential } from "../credentials.ts";
import type { NewKey, StoredKey } from "./webauthn-ceremony.ts";

export type KeyKind = "webauthn" | "passkey";

export interface IdentityKey extends StoredKey {
  id: string;
  identity_id: string;
  kind: KeyKind;
  rp_id: string;
  name: string;
  created_at: Date;
}

/** Of both kinds together. */
export const MAX_KEYS = 20;
export const MAX_KEY_NAME = 64;

// A counter has 32 bits.
const columns = sql`id, identity_id, kind, rp_id, credential_id, public_key, counter::float8 as counter, transports, name,
  created_at`;

/** All keys of somebody, also those of other host names. */
export function listKeys(db: Queryable, identityId: string): Promise<IdentityKey[]> {
  return db.rows<IdentityKey>(
    sql`select ${columns} from identity_keys where identity_id = ${identityId} order by created_at, id`,
  );
}

export function findKey(
  db: Queryable,
  kind: KeyKind,
  credentialId: string,
): Promise<IdentityKey | undefined> {
  return db.first<IdentityKey>(
    sql`select ${columns} from identity_keys where credential_id = ${credentialId} and kind = ${kind}`,
  );
}

/**
 * False when the key is somebody's already. A row of `identity_credentials` says that there are keys of a kind; it is
 * written first, so that of two changes at once one waits for the other.
 */
export async function insertKey(
  tx: Queryable,
  key: NewKey & Pick<IdentityKey, "identity_id" | "kind" | "rp_id" | "name"> & { now: Date },
): Promise<boolean> {
  await saveCredential(tx, key.identity_id, key.kind, {});
  const inserted = await tx.run(sql`
    insert into identity_keys
      (identity_id, kind, rp_id, credential_id, public_key, counter, transports, backed_up, name, created_at)
    values (${key.identity_id}, ${key.kind}, ${key.rp_id}, ${key.credential_id}, ${key.public_key}, ${key.counter},
            ${key.transports}, ${key.backed_up}, ${key.name}, ${key.now})
    on conflict (credential_id) do nothing`);
  return inserted === 1;
}

/** Deletes one key of a kind, or all of them. */
export async function deleteKeys(
  tx: Queryable,
  { identityId, kind, id }: { identityId: string; kind: KeyKind; id?: string },
): Promise<void> {
  await lockCredential(tx, identityId, kind);
  await tx.run(sql`
    delete from identity_keys
     where identity_id = ${identityId} and kind = ${kind} and (${id ?? null}::text is null or id::text = ${id ?? null})`);
  await tx.run(sql`
    delete from identity_credentials c
     where c.identity_id = ${identityId} and c.type = ${kind}
       and not exists (select from identity_keys k where k.identity_id = c.identity_id and k.kind = c.type)`);
}

/** Keeps the counter of a signature; false when a later one was kept in the meantime, or the key is gone. */
export async function countSignature(
  db: Queryable,
  { id, counter, now }: { id: string; counter: number; now: Date },
): Promise<boolean> {
  const counted = await db.run(sql`
    update identity_keys set counter = ${counter}, last_used_at = ${now}
     where id = ${id} and (counter < ${counter} or (counter = 0 and ${counter} = 0))`);
  return counted === 1;
}
