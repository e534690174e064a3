import { StartupError } from "@mainstay/embedded-postgres";
import type { Config } from "#platform/config.ts";
import { collectStores, keysInUse } from "#platform/encrypted-stores.ts";
import { openEncryption } from "#platform/encryption.ts";
import { forgetKey, type Loss } from "#platform/forget-key.ts";
import { createLog } from "#platform/log.ts";
import { openConfiguredDatabase } from "../database.ts";
import { features } from "../features.ts";
import { migrateSchema } from "../schema.ts";

/**
 * Gives up what a key has encrypted that is gone for ever. It works on the database itself: without the key no server
 * starts. Exit code 1 where only told what that would be.
 */
export async function forgetLostKey(
  config: Config,
  keyId: string,
  { yes: isMeant }: { yes: boolean },
): Promise<void> {
  const stores = collectStores(features);
  const log = createLog(config.logLevel);
  const { db, owner, close } = await openConfiguredDatabase(config, log);
  try {
    await migrateSchema({ db, owner, log });
    if (openEncryption(config).knownKeys.includes(keyId))
      throw new StartupError(
        `This server has the key ${keyId}: nothing is lost. To do without it: mainstay rotate-key.`,
      );
    const losses = await db.transaction((tx) =>
      forgetKey(tx, stores, { keyId, isTrial: !isMeant }),
    );
    if (losses.length === 0) {
      const used = [...new Set((await keysInUse(db, stores)).map(({ id }) => id))];
      throw new StartupError(
        `Nothing is encrypted with a key ${keyId}. Keys in use: ${used.join(", ") || "none"}.`,
      );
    }
    console.log(`Encrypted with key ${keyId}, and not to be read without it:`);
    for (const loss of losses) console.log(`  ${lineOf(loss)}`);
    if (isMeant) {
      console.log(
        "These secrets are given up. What is marked says that it lacks them until they are written again; all else goes on.",
      );
      return;
    }
    console.log(
      `Nothing was changed. If there is a backup of the key, restore that instead. To give them up: mainstay forget-key ${keyId} --yes`,
    );
    process.exitCode = 1;
  } finally {
    await close();
  }
}

const lineOf = ({ title, lost, isRemoved }: Loss): string =>
  isRemoved ? `${title}: is removed` : `${title}: ${lost.join(", ")}`;
