import { StartupError, startEmbeddedPostgres } from "@mainstay/embedded-postgres";
import type { Config } from "#platform/config.ts";
import { openDatabase, type Database, type DatabaseOptions } from "#platform/db/database.ts";
import { isSuperuser } from "#platform/db/is-superuser.ts";
import type { Log } from "#platform/log.ts";
import sql from "sql-template-tag";

export interface ConfiguredDatabase {
  /** As the user that everything runs as. */
  db: Database;
  /** As the user that owns the schema, for migrations; `db` itself where one user does both. */
  owner: Database;
  close(): Promise<void>;
}

/** The owner's connections: one migrates, one makes the data API's roles. */
const OWNER_CONNECTIONS = 2;

/** Each connection is a process of 5 to 10 MB on this very machine, and a further one is there at once. */
const EMBEDDED_IDLE_MS = 15_000;

/** The database the configuration names: our own embedded one, or the server behind DATABASE_URL. */
export async function openConfiguredDatabase(
  config: Config,
  log: Log,
): Promise<ConfiguredDatabase> {
  const open = (
    connection: DatabaseOptions["connection"],
    name: string,
    limits: Pick<DatabaseOptions, "max" | "idleMs"> = {},
  ) =>
    openDatabase({
      connection,
      ...limits,
      applicationName: `mainstay-${name}`,
      onError: (error) => log.warn({ err: error }, "a database connection was lost"),
    });
  if (config.databaseUrl) return openServers(config, log, open);
  if (config.migrationDatabaseUrl) {
    throw new StartupError(
      "MIGRATION_DATABASE_URL is set and DATABASE_URL is not. Set DATABASE_URL as well: the user that everything but migrations runs as.",
    );
  }
  const embedded = await startEmbeddedPostgres({ dataDir: config.dataDir, log });
  const idleMs = EMBEDDED_IDLE_MS;
  const db = open(embedded.connection, config.role, { idleMs });
  const owner = open(embedded.owner, "owner", { idleMs, max: OWNER_CONNECTIONS });
  return {
    db,
    owner,
    async close() {
      await Promise.all([db.close(), owner.close()]);
      await embedded.stop();
    },
  };
}

async function openServers(
  { databaseUrl, migrationDatabaseUrl, role }: Config,
  log: Log,
  open: (
    connection: DatabaseOptions["connection"],
    name: string,
    limits?: Pick<DatabaseOptions, "max">,
  ) => Database,
): Promise<ConfiguredDatabase> {
  const db = open({ connectionString: databaseUrl }, role);
  const owner = migrationDatabaseUrl
    ? open({ connectionString: migrationDatabaseUrl }, "owner", { max: OWNER_CONNECTIONS })
    : db;
  const close = async () => {
    await db.close();
    if (owner !== db) await owner.close();
  };
  try {
    const place = await askPlace(db, "DATABASE_URL");
    if (owner !== db && (await askPlace(owner, "MIGRATION_DATABASE_URL")) !== place) {
      throw new StartupError(
        "DATABASE_URL and MIGRATION_DATABASE_URL name different databases. They are two users of one database.",
      );
    }
    if (await isSuperuser(db)) {
      log.warn(
        "the user of DATABASE_URL is a superuser: whoever gets past this program has the database's machine. Give it a user of its own, and name the one that migrates with MIGRATION_DATABASE_URL",
      );
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { db, owner, close };
}

/** What tells one database from another, also where two addresses lead to it. */
async function askPlace(db: Database, setting: string): Promise<string> {
  try {
    const row = await db.first<{ place: string }>(
      sql`select pg_postmaster_start_time() || ' ' || oid as place from pg_database where datname = current_database()`,
    );
    return row?.place ?? "";
  } catch (cause) {
    throw new StartupError(
      `The database of ${setting} cannot be used: ${(cause as Error).message || (cause as { code?: string }).code}`,
      { cause },
    );
  }
}
