import { expect, test } from "vitest";
import { withoutColours } from "./without-colours.ts";

test.each([
  ["\u001b[32mINFO\u001b[0m \u001b[1;38;5;12mstarted\u001b[m", "INFO started"],
  ["\u001b[2K\u001b[1Gbuilding", "building"],
  ["\u001b]8;;https://example.com\u0007here\u001b]8;;\u0007", "here"],
  // What is no such thing stays.
  ["[32m is written out", "[32m is written out"],
  ["cut off \u001b[3", "cut off \u001b[3"],
])("%j reads as %j", (written, read) => {
  expect(withoutColours(written)).toBe(read);
});
