import { writeFileSync } from "node:fs";
import { createTestDatabase, startTestCluster } from "@mainstay/testkit";
import { openDatabase } from "#platform/db/database.ts";
import { dumpSchema } from "#platform/db/dump-schema.ts";
import { createLog } from "#platform/log.ts";
import { migrateSchema } from "../schema.ts";

/** `npm run schema -w mainstay`: writes `db/schema.sql` from a new database. */
const cluster = await startTestCluster();
try {
  const { owner: connection } = await createTestDatabase(cluster);
  const log = createLog("warn");
  const onError = (error: Error) => log.warn({ err: error }, "schema");
  const db = openDatabase({ connection, applicationName: "schema", onError });
  try {
    await migrateSchema({ db, log });
    writeFileSync(new URL("../../db/schema.sql", import.meta.url), await dumpSchema(db));
  } finally {
    await db.close();
  }
} finally {
  await cluster.stop();
}
