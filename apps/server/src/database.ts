import { StartupError, startEmbeddedPostgres } from "@mainstay/embedded-postgres";
import type { Config } from "#platform/config.ts";
import { openDatabase, type Database } from "#platform/db/database.ts";
import type { Log } from "#platform/log.ts";
import sql from "sql-template-tag";

/** The database the configuration names: our own embedded one, or the server behind DATABASE_URL. */
export async function openConfiguredDatabase(
  config: Config,
  log: Log,
): Promise<{ db: Database; close(): Promise<void> }> {
  const onError = (error: Error) => log.warn({ err: error }, "a database connection was lost");
  const applicationName = `mainstay-${config.role}`;
  if (config.databaseUrl) {
    const db = openDatabase({
      connection: { connectionString: config.databaseUrl },
      applicationName,
      onError,
    });
    try {
      await db.rows(sql`select 1`);
    } catch (cause) {
      await db.close();
      throw new StartupError(
        `The database of DATABASE_URL cannot be used: ${(cause as Error).message || (cause as { code?: string }).code}`,
        { cause },
      );
    }
    return { db, close: () => db.close() };
  }
  const embedded = await startEmbeddedPostgres({ dataDir: config.dataDir, log });
  const db = openDatabase({ connection: embedded.connection, applicationName, onError });
  return {
    db,
    async close() {
      await db.close();
      await embedded.stop();
    },
  };
}
