import type pg from "pg";
import { getConstructionPlans, getMigrationPlans } from "pg-boss";
import library from "pg-boss/package.json" with { type: "json" };

/** Where pg-boss keeps its jobs. */
export const QUEUE_SCHEMA = "pgboss";

/**
 * Brings pg-boss's own schema up to the version that is installed. Not left to pg-boss: the queue runs as an account
 * that may not change tables. Under the lock of the migrations.
 */
export async function installQueue(client: pg.Client): Promise<void> {
  const version = await versionInPlace(client);
  if (version === undefined) await client.query(getConstructionPlans(QUEUE_SCHEMA));
  else if (version < library.pgboss.schema) {
    const plans = getMigrationPlans(QUEUE_SCHEMA, version);
    // Several statements in one message cannot build an index beside the running work, and nothing works yet.
    await client.query(plans.replaceAll(/\bconcurrently\b/gi, ""));
  }
}

async function versionInPlace(client: pg.Client): Promise<number | undefined> {
  const { rows: found } = await client.query<{ is_there: boolean }>(
    `select to_regclass('${QUEUE_SCHEMA}.version') is not null as is_there`,
  );
  if (!found[0]?.is_there) return undefined;
  const { rows } = await client.query<{ version: number }>(
    `select version::int as version from ${QUEUE_SCHEMA}.version`,
  );
  return rows[0]?.version;
}
