import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readStill } from "./read-still.ts";

const { signal } = new AbortController();

function makeFile(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), "mainstay-still-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "a.yaml");
  writeFileSync(path, content);
  // An hour ago.
  utimesSync(path, Date.now() / 1000 - 3600, Date.now() / 1000 - 3600);
  return path;
}

test("a file that is written while it is read is read again", async () => {
  const path = makeFile("a: 1\n");
  const contents: string[] = [];
  const read = () => {
    contents.push(readFileSync(path, "utf8"));
    if (contents.length === 1) appendFileSync(path, "b: 2\n");
    return Promise.resolve(contents.at(-1));
  };
  expect(await readStill(path, { signal, read })).toBe("a: 1\nb: 2\n");
  expect(contents).toHaveLength(2);
});

test("a file that stands still is read once, and of one that is not there it is told why", async () => {
  const path = makeFile("a: 1\n");
  let times = 0;
  const read = () => Promise.resolve((times += 1));
  expect(await readStill(path, { signal, read })).toBe(1);
  const missing = () => Promise.reject(new Error("it is not there"));
  await expect(readStill(`${path}.no`, { signal, read: missing })).rejects.toThrow("not there");
});
