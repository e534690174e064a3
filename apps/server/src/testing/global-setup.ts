import { createTestDatabase, startTestCluster, type TestCluster } from "@mainstay/testkit";
import type { TestProject } from "vitest/node";
import { openDatabase } from "#platform/db/database.ts";
import { createLog } from "#platform/log.ts";
import { migrateSchema } from "../schema.ts";

declare module "vitest" {
  interface ProvidedContext {
    cluster: TestCluster["connection"];
    /** Name of a migrated database to clone. */
    template: string;
  }
}

/** One PostgreSQL for all server tests, with a migrated template that each file clones. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const cluster = await startTestCluster();
  const template = await createTestDatabase(cluster);
  const log = createLog("warn");
  const db = openDatabase({
    connection: template.connection,
    applicationName: "template",
    onError: (error) => log.warn({ err: error }, "template"),
  });
  await migrateSchema({ db, log });
  await db.close();
  project.provide("cluster", cluster.connection);
  project.provide("template", template.connection.database);
  return () => cluster.stop();
}
