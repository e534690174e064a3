import type { Config } from "#platform/config.ts";
import { createLog } from "#platform/log.ts";
import { migrateSchema } from "../schema.ts";
import { openConfiguredDatabase } from "../database.ts";

/** Brings the database up to this version and ends: for deployments that migrate before they replace servers. */
export async function migrateDatabase(config: Config): Promise<void> {
  const log = createLog(config.logLevel);
  const { db, owner, close } = await openConfiguredDatabase(config, log);
  try {
    const { applied } = await migrateSchema({ db, owner, log });
    console.log(
      applied.length > 0 ? `Applied ${applied.join(", ")}.` : "The database is up to date.",
    );
  } finally {
    await close();
  }
}
