import sql from "sql-template-tag";
import { StartupError } from "@mainstay/embedded-postgres";
import type { Ctx } from "#platform/context.ts";
import { type EncryptedStore, renewSecrets } from "#platform/encrypted-stores.ts";
import { makeNewKey, openEncryption } from "#platform/encryption.ts";
import { invalid } from "#platform/errors.ts";

export interface RotatedKey {
  /** The key that is written with. */
  key: string;
  /** Keys from before that this server reads with. */
  previous: readonly string[];
  /** Rows whose secrets were encrypted anew by this call. */
  rows: number;
  /** Rows that are still to be. */
  left: number;
}

/** Encrypts some of what other keys have encrypted with the present one; with `isNew` that one is made first. */
export async function rotateKey(
  ctx: Ctx,
  stores: readonly EncryptedStore[],
  { isNew }: { isNew: boolean },
): Promise<RotatedKey> {
  ctx.require("security", "write");
  if (isNew) newKey(ctx);
  const encryption = openEncryption(ctx.config);
  // Nobody changes a document by this: the time of its last change stays, and the audit log has no entry.
  const system = ctx.as({ kind: "system" });
  const { rows, left } = await renewSecrets(
    (work) => system.tx(work, { settings: { "mainstay.keeps_times": "on" } }),
    encryption,
    stores,
  );
  if (left === 0) await rememberOnly(ctx, encryption.keyId);
  ctx.log.info({ key: encryption.keyId, rows, left }, "stored secrets were encrypted anew");
  return { key: encryption.keyId, previous: encryption.knownKeys.slice(1), rows, left };
}

/** Of the keys that were ever used, the one that still is. */
async function rememberOnly(ctx: Ctx, keyId: string): Promise<void> {
  await ctx.db.run(sql`
    insert into encryption_keys (id, first_used_at) values (${keyId}, ${ctx.clock.now()})
    on conflict (id) do nothing`);
  await ctx.db.run(sql`delete from encryption_keys where id <> ${keyId}`);
}

function newKey({ config }: Ctx): void {
  try {
    makeNewKey(config);
  } catch (error) {
    throw error instanceof StartupError ? invalid(error.message) : error;
  }
}
