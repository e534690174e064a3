import type { TestProject } from "vitest/node";
import { startTestCluster, type TestCluster } from "./postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    cluster: TestCluster["connection"];
  }
}

/** One PostgreSQL for all test files of a project; each file makes its own database in it (`inject("cluster")`). */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const cluster = await startTestCluster();
  project.provide("cluster", cluster.connection);
  return () => cluster.stop();
}
