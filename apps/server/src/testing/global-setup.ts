import {
  createTestDatabase,
  startTestCluster,
  type TestCluster,
  type TestDatabase,
} from "@mainstay/testkit";
import type { TestProject } from "vitest/node";
import { openDatabase } from "#platform/db/database.ts";
import { makePartitions, resolvePartitions } from "#platform/db/partitions.ts";
import { createLog } from "#platform/log.ts";
import { features } from "../features.ts";
import { migrateSchema } from "../schema.ts";
import { readConfig } from "../settings.ts";

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
  const open = (connection: TestDatabase["owner"]) =>
    openDatabase({
      connection,
      applicationName: "template",
      onError: (error) => log.warn({ err: error }, "template"),
    });
  const [db, owner] = [open(template.application), open(template.owner)];
  await migrateSchema({ db, owner, log });
  // Each program would make them in its clone.
  await makePartitions(
    db,
    resolvePartitions(
      features.flatMap((feature) => feature.partitions ?? []),
      readConfig({}, {}),
    ),
  );
  await Promise.all([db.close(), owner.close()]);
  project.provide("cluster", cluster.connection);
  project.provide("template", template.name);
  return () => cluster.stop();
}
