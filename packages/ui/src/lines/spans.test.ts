import fc from "fast-check";
import { expect, test } from "vitest";
import { extentsOf, markExtents } from "./spans.ts";

test.each([
  [
    "an error, an ERROR",
    "error",
    false,
    [
      [3, 8],
      [13, 18],
    ],
  ],
  ["an error, an ERROR", "ERROR", true, [[13, 18]]],
  [
    "aaaa",
    "aa",
    false,
    [
      [0, 2],
      [2, 4],
    ],
  ],
  ["abc", "", false, []],
  ["İx", "x", false, []],
])("%s has %s (case matters: %s)", (line, words, matchesCase, expected) => {
  expect(extentsOf(line, words, matchesCase)).toEqual(expected);
});

test("marks go across pieces", () => {
  expect(
    markExtents(
      [
        { text: "abc", className: "x" },
        { text: "def", className: "" },
      ],
      [[1, 4]],
      "m",
    ),
  ).toEqual([
    { text: "a", className: "x" },
    { text: "bc", className: "x m" },
    { text: "d", className: "m" },
    { text: "ef", className: "" },
  ]);
});

test("nothing of a line is lost, and what is marked is what was found", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string()),
      fc.string({ minLength: 1, maxLength: 2 }),
      (pieces, words) => {
        const line = pieces.join("");
        const extents = extentsOf(line, words, true);
        const marked = markExtents(
          pieces.map((text) => ({ text, className: "" })),
          extents,
          "m",
        );
        expect(marked.map(({ text }) => text).join("")).toBe(line);
        const found = marked.filter(({ className }) => className === "m").map(({ text }) => text);
        expect(found.join("")).toBe(extents.map(([from, to]) => line.slice(from, to)).join(""));
      },
    ),
  );
});
