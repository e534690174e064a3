import { writeFileSync } from "node:fs";
import { createTestDatabase, startTestCluster } from "@mainstay/testkit";
import { openDatabase } from "#platform/db/database.ts";
import { createLog } from "#platform/log.ts";
import { migrateSchema } from "../schema.ts";
import { contractRows, rowsFile } from "./row-types.ts";

/** `npm run row-types -w mainstay`: writes the contract's types of rows from a new database. */
const cluster = await startTestCluster();
try {
  const { owner: connection } = await createTestDatabase(cluster);
  const log = createLog("warn");
  const onError = (error: Error) => log.warn({ err: error }, "row types");
  const db = openDatabase({ connection, applicationName: "row-types", onError });
  try {
    await migrateSchema({ db, log });
    writeFileSync(rowsFile, await contractRows(db));
  } finally {
    await db.close();
  }
} finally {
  await cluster.stop();
}
