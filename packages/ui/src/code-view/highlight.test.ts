import { expect, test } from "vitest";
import { highlightLine } from "./highlight.ts";

test.each([
  [
    "name: api",
    [
      ["key", "name"],
      ["plain", ":"],
      ["plain", " "],
      ["string", "api"],
    ],
  ],
  [
    "  - url: https://a.b/c#d",
    [
      ["plain", "  - "],
      ["key", "url"],
      ["plain", ":"],
      ["plain", " "],
      ["string", "https://a.b/c#d"],
    ],
  ],
  [
    "count: 3 # three",
    [
      ["key", "count"],
      ["plain", ":"],
      ["plain", " "],
      ["number", "3"],
      ["comment", " # three"],
    ],
  ],
  [
    "script: |",
    [
      ["key", "script"],
      ["plain", ":"],
      ["plain", " "],
      ["keyword", "|"],
    ],
  ],
  ["# note", [["comment", "# note"]]],
  ["---", [["keyword", "---"]]],
])("yaml %j", (line, expected) => {
  expect(highlightLine(line, "yaml").map(({ kind, text }) => [kind, text])).toEqual(expected);
});

test("json", () => {
  expect(
    highlightLine('  "a": [1, true, "x"],', "json").map(({ kind, text }) => [kind, text]),
  ).toEqual([
    ["plain", "  "],
    ["key", '"a"'],
    ["plain", ":"],
    ["plain", " ["],
    ["number", "1"],
    ["plain", ", "],
    ["keyword", "true"],
    ["plain", ", "],
    ["string", '"x"'],
    ["plain", "],"],
  ]);
});

test.each(["a: b: c", "  key with: 'quote # no'", '{"a', "\t- - x", "::", "x".repeat(5_000)])(
  "nothing of %j is lost",
  (line) => {
    for (const language of ["yaml", "json", "text"] as const) {
      expect(
        highlightLine(line, language)
          .map(({ text }) => text)
          .join(""),
      ).toBe(line);
    }
  },
);
