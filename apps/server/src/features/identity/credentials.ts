import sql from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";

/**
 * What a person proves who they are with: one row per identity and type. Secrets in `config` that must be read again
 * are encrypted (platform/encryption.ts), the others are hashes.
 */

/** Types that stand for a second factor: whoever has one is asked for it. */
export const secondFactorTypes = ["totp", "lookup_secret", "webauthn"] as const;

export async function findCredential<Config extends object>(
  db: Queryable,
  identityId: string,
  type: string,
): Promise<Config | undefined> {
  const row = await db.first<{ config: Config }>(sql`
    select config from identity_credentials where identity_id = ${identityId} and type = ${type}`);
  return row?.config;
}

/** The same, holding the row until the transaction ends, so that of two at once one sees what the other did. */
export async function lockCredential<Config extends object>(
  tx: Queryable,
  identityId: string,
  type: string,
): Promise<Config | undefined> {
  const row = await tx.first<{ config: Config }>(sql`
    select config from identity_credentials where identity_id = ${identityId} and type = ${type} for update`);
  return row?.config;
}

export async function saveCredential(
  tx: Queryable,
  identityId: string,
  type: string,
  config: object,
): Promise<void> {
  await tx.run(sql`
    insert into identity_credentials (identity_id, type, config)
    values (${identityId}, ${type}, ${JSON.stringify(config)}::jsonb)
    on conflict (identity_id, type) do update set config = excluded.config, updated_at = now()`);
}

export async function deleteCredential(
  tx: Queryable,
  identityId: string,
  type: string,
): Promise<boolean> {
  const deleted = await tx.run(
    sql`delete from identity_credentials where identity_id = ${identityId} and type = ${type}`,
  );
  return deleted > 0;
}

export async function credentialTypes(db: Queryable, identityId: string): Promise<Set<string>> {
  const rows = await db.rows<{ type: string }>(
    sql`select type from identity_credentials where identity_id = ${identityId}`,
  );
  return new Set(rows.map(({ type }) => type));
}
