import { setTimeout as wait } from "node:timers/promises";
import { collectStores, renewSecrets } from "#platform/encrypted-stores.ts";
import { openEncryption } from "#platform/encryption.ts";
import { createLog } from "#platform/log.ts";
import { openConfiguredDatabase } from "../../../database.ts";
import { features } from "../../../features.ts";
import { readConfig } from "../../../settings.ts";

/**
 * A rotation in a process of its own, which says how far it is and stays at the moment that STAY_AT names, with what it
 * holds: there it is to be killed.
 */
const config = readConfig({}, process.env);
const log = createLog("fatal");
const { db } = await openConfiguredDatabase(config, log);

async function reach(moment: string): Promise<void> {
  process.stdout.write(`${moment}\n`);
  while (moment === process.env.STAY_AT) await wait(60_000);
}

let portion = 0;
await renewSecrets(
  async (work) => {
    portion += 1;
    const result = await db.transaction(async (tx) => {
      await reach(`begun ${portion}`);
      const done = await work(tx);
      await reach(`done ${portion}`);
      return done;
    });
    await reach(`committed ${portion}`);
    return result;
  },
  openEncryption(config),
  collectStores(features),
);
await db.close();
