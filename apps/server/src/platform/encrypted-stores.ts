import { StartupError } from "@mainstay/embedded-postgres";
import { escapeIdentifier } from "pg";
import sql, { raw, type Sql } from "sql-template-tag";
import type { Queryable } from "./db/database.ts";
import { type Encryption, type EncryptionConfig, openEncryption } from "./encryption.ts";
import type { Feature } from "./feature.ts";
import { forgetSealed, reseal } from "./sealing/sealer.ts";
import type { Sealed } from "./sealing/sealed.ts";

/** A column in which secrets stay encrypted: what a change of the key has to reach. */
export interface EncryptedStore {
  table: string;
  column: string;
  /** What tells rows apart for `renew`, as SQL. */
  key: string;
  /** The value with every secret in it encrypted anew. Throws when one cannot be read. */
  renew(value: unknown, key: string, encryption: Encryption): unknown;
  /** What the row is and how people call it, as SQL: `'connection ' || name`. */
  title: string;
  /** The value once a key is gone for ever; the row goes where there is none. */
  forget(value: unknown, keyId: string): { value?: unknown; lost: readonly string[] };
}

/** Those that features name, and what is sealed in documents. */
export function collectStores(features: readonly Feature[]): readonly EncryptedStore[] {
  const sealed = features
    .flatMap((feature) => feature.documents ?? [])
    .filter(({ format }) => format.mapSecrets)
    .map(({ table, format, key: { name, namespace } }): EncryptedStore => ({
      table,
      column: "sealed",
      key: "id",
      title: `'${format.name} ' || ${namespace === undefined ? "" : `${escapeIdentifier(namespace)} || '/' || `}${escapeIdentifier(name)} || case when deleted_at is null then '' else ' (deleted)' end`,
      forget: (value, keyId) => forgetSealed(value as Sealed, keyId),
      renew: (value, _key, encryption) => reseal(format.name, value as Sealed, encryption),
    }));
  return [...sealed, ...features.flatMap((feature) => feature.encrypted ?? [])];
}

export const identifier = (name: string): Sql => raw(escapeIdentifier(name));
const written = "m1:([0-9a-f]{8}):";

/** The keys that what is stored was written with. */
export async function keysInUse(
  db: Queryable,
  stores: readonly EncryptedStore[],
): Promise<{ id: string; table: string }[]> {
  const found: { id: string; table: string }[] = [];
  for (const { table, column } of stores) {
    const rows = await db.rows<{ id: string }>(sql`
      select distinct part[1] as id
        from ${identifier(table)}, regexp_matches(${identifier(column)}::text, ${written}, 'g') part`);
    found.push(...rows.map(({ id }) => ({ id, table })));
  }
  return found;
}

/** A server that cannot read what is stored would fail one request at a time: it does not start. */
export async function refuseUnreadable(
  db: Queryable,
  config: EncryptionConfig,
  stores: readonly EncryptedStore[],
): Promise<void> {
  const { knownKeys } = openEncryption(config);
  const unknown = (await keysInUse(db, stores)).filter(({ id }) => !knownKeys.includes(id));
  if (unknown.length === 0) return;
  const ids = [...new Set(unknown.map(({ id }) => id))].join(", ");
  const tables = [...new Set(unknown.map(({ table }) => table))].join(", ");
  throw new StartupError(
    `Stored secrets (in ${tables}) were encrypted with key ${ids}, which this server does not have: it has ${knownKeys.join(", ")}. Give it that key in MAINSTAY_ENCRYPTION_KEYS_PREVIOUS, or restore encryption.key from a backup of the data directory. If it is gone for ever, mainstay forget-key ${unknown[0]!.id} says what goes with it.`,
  );
}

export interface Renewed {
  /** Rows whose secrets were encrypted anew. */
  rows: number;
  /** Rows that hold some of another key still. */
  left: number;
}

const portion = 100;
/** Of one call, so that each ends soon. */
const mostPortions = 10;

const ofOtherKey = ({ column }: EncryptedStore, keyId: string): Sql =>
  sql`${identifier(column)}::text ~ ${`m1:(?!${keyId}:)[0-9a-f]{8}:`}`;

/** Encrypts anew what another key has encrypted. Nothing is remembered: what is left shows what to do. */
export async function renewSecrets(
  transaction: <T>(work: (tx: Queryable) => Promise<T>) => Promise<T>,
  encryption: Encryption,
  stores: readonly EncryptedStore[],
): Promise<Renewed> {
  let rows = 0;
  let portions = mostPortions;
  for (const store of stores) {
    for (let renewed = portion; renewed === portion && portions > 0; portions -= 1) {
      renewed = await transaction((tx) => renewPortion(tx, encryption, store));
      rows += renewed;
    }
  }
  let left = 0;
  for (const store of stores) {
    const counted = await transaction((tx) =>
      tx.first<{ n: number }>(
        sql`select count(*)::int as n from ${identifier(store.table)} where ${ofOtherKey(store, encryption.keyId)}`,
      ),
    );
    left += counted?.n ?? 0;
  }
  return { rows, left };
}

async function renewPortion(
  tx: Queryable,
  encryption: Encryption,
  store: EncryptedStore,
): Promise<number> {
  const { table, column, key, renew } = store;
  // Whoever saves a row meanwhile writes with the key that counts; what is held up is left for the next portion.
  const rows = await tx.rows<{ at: string; key: string; value: unknown }>(sql`
    select ctid::text as at, (${raw(key)})::text as key, ${identifier(column)} as value
      from ${identifier(table)} where ${ofOtherKey(store, encryption.keyId)}
     limit ${portion} for update skip locked`);
  for (const row of rows) {
    const value = renew(row.value, row.key, encryption);
    const text = typeof value === "string" ? sql`${value}` : sql`${JSON.stringify(value)}::jsonb`;
    await tx.run(
      sql`update ${identifier(table)} set ${identifier(column)} = ${text} where ctid = ${row.at}::tid`,
    );
  }
  return rows.length;
}
