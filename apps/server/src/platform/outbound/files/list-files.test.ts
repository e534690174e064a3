import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { removeFolder, temporaryFolder } from "@mainstay/testkit/servers/index.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listFiles } from "./list-files.ts";
import { localFiles } from "./local-files.ts";

let root = "";

beforeAll(() => {
  root = temporaryFolder("list-files");
  mkdirSync(join(root, "deep/er"), { recursive: true });
  for (const name of ["a.bak", "b.bak", "c.log", "deep/d.bak", "deep/er/e.bak"])
    writeFileSync(join(root, name), name);
});
afterAll(() => removeFolder(root));

test("what is looked at is bounded, and the result says so", async () => {
  const options = {
    store: localFiles(root),
    levels: Number.POSITIVE_INFINITY,
    filter: {},
    now: new Date(),
    signal: new AbortController().signal,
    kept: 1,
  };
  const few = await listFiles({ ...options, mostEntries: 2 });
  expect(few.notes).toEqual(["only the first 2 entries were looked at"]);
  const shallow = await listFiles({ ...options, mostLevels: 2 });
  expect(shallow.notes).toEqual([
    expect.stringContaining("lies more than 2 folders deep") as string,
  ]);
  expect(shallow.files).toHaveLength(1);
});

test("an abort ends it", async () => {
  const signal = AbortSignal.abort(new Error("enough"));
  await expect(
    listFiles({
      store: localFiles(root),
      levels: Number.POSITIVE_INFINITY,
      filter: {},
      now: new Date(),
      signal,
      kept: 1,
    }),
  ).rejects.toThrow("enough");
});
