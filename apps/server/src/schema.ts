import type { Database } from "#platform/db/database.ts";
import { migrate } from "#platform/db/migrate.ts";
import type { Log } from "#platform/log.ts";
import { features } from "./features.ts";

/** The migrations of this version and the views of its features; `seed` runs under the same lock. */
export function migrateSchema(parts: {
  db: Database;
  log: Log;
  seed?: () => Promise<void>;
}): Promise<{ applied: string[] }> {
  return migrate({
    ...parts,
    migrations: new URL("../db/migrations/", import.meta.url),
    views: features.flatMap(({ name, views }) => (views ? [{ feature: name, file: views }] : [])),
  });
}
