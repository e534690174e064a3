import { expect, test } from "vitest";
import { readAnyContent } from "./read-large-yaml.ts";

const text = Array.from({ length: 60_000 }, (_none, index) => `- { name: ${index} }`).join("\n");

test("YAML that takes too much memory or time to be read is a mistake, and ends nothing else", async () => {
  const read = (limits?: { memoryMb: number; longestMs: number }) =>
    readAnyContent(text, "yaml", limits);
  await expect(read({ memoryMb: 24, longestMs: 60_000 })).rejects.toThrow(
    `It is YAML of ${text.length} characters, and reading it takes more memory than there is for it.`,
  );
  await expect(read({ memoryMb: 768, longestMs: 1 })).rejects.toThrow(/longer than 0\.001 seconds/);
  const { values } = await read();
  expect(values[0]).toHaveLength(60_000);
});

test("a scrape that is ended does not wait for YAML that is being read", async () => {
  const ending = new AbortController();
  const read = readAnyContent(text, "yaml", { signal: ending.signal });
  ending.abort(new Error("the scrape was ended"));
  await expect(read).rejects.toThrow("the scrape was ended");
  await expect(readAnyContent(text, "yaml", { signal: ending.signal })).rejects.toThrow(
    "was ended",
  );
});
