import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { removeFolder, temporaryFolder } from "@mainstay/testkit/servers/index.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { localFiles } from "./local-files.ts";

let root = "";
const signal = new AbortController().signal;

beforeAll(() => {
  root = temporaryFolder("local-files");
  mkdirSync(join(root, "in/deep"), { recursive: true });
  writeFileSync(join(root, "secret"), "not to be read");
  writeFileSync(join(root, "in/a.json"), "{}");
  writeFileSync(join(root, "in/deep/b.json"), "12345");
  symlinkSync(join(root, "secret"), join(root, "in/link"));
  symlinkSync(root, join(root, "in/up"));
  symlinkSync(join(root, "in"), join(root, "start"));
});
afterAll(() => removeFolder(root));

test("a file is read by the name it is listed with, whole or not at all", async () => {
  // The folder that a document names may be a link itself.
  for (const folder of ["in", "start"]) {
    const store = localFiles(join(root, folder));
    expect(String(await store.read("deep/b.json", { most: 5, signal }))).toBe("12345");
    expect(await store.read("deep/b.json", { most: 4, signal })).toBeUndefined();
  }
});

test.each([
  ["link", /a link, and links are not followed/],
  ["up/secret", /a link, and links are not followed/],
  ["../secret", /no name of a file/],
  ["deep/../../secret", /no name of a file/],
  ["", /no name of a file/],
  ["a\0b", /no name of a file/],
  ["deep", /is a folder/],
  ["none.json", /the file none\.json is not there/],
  ["none/none.json", /is not there/],
])("%j is not read", async (name, error) => {
  const reading = localFiles(join(root, "in")).read(name, { most: 100, signal });
  await expect(reading).rejects.toThrow(error);
});
