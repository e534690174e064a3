import sql from "sql-template-tag";
import type { Database } from "#platform/db/database.ts";
import { migrate } from "#platform/db/migrate.ts";
import { installQueue, QUEUE_SCHEMA } from "#platform/jobs/install-queue.ts";
import type { Log } from "#platform/log.ts";
import { features } from "./features.ts";

/**
 * The migrations of this version, the views of its features and the queue's tables, made as the owner and granted to
 * the user of `db`; `seed` runs under the same lock.
 */
export async function migrateSchema(parts: {
  db: Database;
  /** `db` unless said. */
  owner?: Database;
  log: Log;
  seed?: () => Promise<void>;
}): Promise<{ applied: string[] }> {
  const { db, owner = db, log, seed } = parts;
  const user = await db.first<{ name: string }>(sql`select current_user as name`);
  return migrate({
    db: owner,
    log,
    seed,
    migrations: new URL("../db/migrations/", import.meta.url),
    views: [
      { feature: "sealing", file: new URL("platform/sealing/views.sql", import.meta.url) },
      ...features.flatMap(({ name, views }) => (views ? [{ feature: name, file: views }] : [])),
    ],
    install: installQueue,
    application: { name: user?.name ?? "", schemas: ["public", QUEUE_SCHEMA] },
  });
}
