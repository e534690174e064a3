import { createTestDatabase } from "@mainstay/testkit";
import { inject } from "vitest";
import { connectTestParts, type TestParts } from "./parts.ts";

/** A database of the test file's own, with the schema of this version. */
export async function createTestParts(): Promise<TestParts> {
  const database = await createTestDatabase({ connection: inject("cluster") }, inject("template"));
  const parts = connectTestParts(database.connection);
  return {
    ...parts,
    async close() {
      await parts.close();
      await database.drop();
    },
  };
}
