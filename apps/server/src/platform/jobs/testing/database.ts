import { createTestDatabase } from "@mainstay/testkit";
import { inject } from "vitest";
import { type Database, openDatabase } from "../../db/database.ts";
import { connectTestParts, type TestParts } from "./parts.ts";

export interface OwnedTestParts extends TestParts {
  /** As who owns the schema: for what a test changes in it. */
  owner: Database;
}

/** A database of the test file's own, with the schema of this version. */
export async function createTestParts(): Promise<OwnedTestParts> {
  const database = await createTestDatabase({ connection: inject("cluster") }, inject("template"));
  const parts = connectTestParts(database.application);
  const owner = openDatabase({
    connection: database.owner,
    applicationName: "test",
    onError: () => undefined,
  });
  return {
    ...parts,
    owner,
    async close() {
      await Promise.all([parts.close(), owner.close()]);
      await database.drop();
    },
  };
}
