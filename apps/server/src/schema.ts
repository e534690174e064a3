import sql from "sql-template-tag";
import type { Database } from "#platform/db/database.ts";
import { lockFunction } from "#platform/db/advisory-locks.ts";
import { migrate } from "#platform/db/migrate.ts";
import { partitionFunction } from "#platform/db/partitions.ts";
import { installQueue, QUEUE_SCHEMA } from "#platform/jobs/install-queue.ts";
import { collectResources, resourceViews } from "#platform/resource.ts";
import type { Feature } from "#platform/feature.ts";
import type { Log } from "#platform/log.ts";
import { features as everyFeature } from "./features.ts";

/**
 * The migrations of this version, the views of its features and the queue's tables, made as the owner and granted to
 * the user of `db`; `seed` runs under the same lock.
 */
export async function migrateSchema(parts: {
  db: Database;
  /** `db` unless said. */
  owner?: Database;
  log: Log;
  features?: readonly Feature[];
  seed?: () => Promise<void>;
}): Promise<{ applied: string[] }> {
  const { db, owner = db, log, features = everyFeature, seed } = parts;
  const partitions = features.flatMap((feature) => feature.partitions ?? []);
  const user = await db.first<{ name: string }>(sql`select current_user as name`);
  return migrate({
    db: owner,
    log,
    seed,
    migrations: new URL("../db/migrations/", import.meta.url),
    views: [
      {
        feature: "platform",
        text: [
          lockFunction,
          partitionFunction(partitions),
          resourceViews(collectResources(features)),
        ].join("\n"),
      },
      { feature: "platform", file: new URL("platform/db/views.sql", import.meta.url) },
      { feature: "sealing", file: new URL("platform/sealing/views.sql", import.meta.url) },
      ...features.flatMap(({ name, views }) => (views ? [{ feature: name, file: views }] : [])),
    ],
    install: installQueue,
    application: { name: user?.name ?? "", schemas: ["public", QUEUE_SCHEMA] },
  });
}
