import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { testDatabase } from "./testing/app.ts";
import { contractRows, rowsFile } from "./testing/row-types.ts";

test("the contract's rows are current; run `npm run row-types -w mainstay` when they are not", async () => {
  const migrated = await testDatabase();
  try {
    expect(readFileSync(rowsFile, "utf8")).toBe(await contractRows(migrated.db));
  } finally {
    await migrated.drop();
  }
});
