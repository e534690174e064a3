import { parseAllDocuments } from "yaml";
import { expect, test } from "vitest";
import { findDoubleKeys } from "./double-keys.ts";
import { mostFindings } from "./findings.ts";
import { locateIssues } from "./parse-documents.ts";
import { readYaml, textLimits } from "./read-yaml.ts";

const doublesOf = (text: string) =>
  parseAllDocuments(text, { uniqueKeys: false, merge: true })
    .flatMap((document) => findDoubleKeys(document))
    .map(({ value, range }) => [value, range?.[0]]);

test.each([
  ["a: 1\nb: 2\n", []],
  ["a: 1\nb: {a: 2}\n", []],
  ["a: 1\n---\na: 2\n", []],
  [
    "a: 1\na: 2\na: 3\n",
    [
      ["a", 5],
      ["a", 10],
    ],
  ],
  ["- {x: 1, 'x': 2}\n", [["x", 9]]],
  // As YAML compares them: a number is no text.
  ["1: a\n'1': b\n", []],
  ["1: a\n0x1: b\n", [[1, 5]]],
  ["? a\n? a\n", [["a", 6]]],
  // Two merges are two, and what they bring is no key of the mapping.
  ["x: &x {a: 1}\ny:\n  <<: *x\n  <<: *x\n  a: 2\n", []],
])("%j has the doubles %j", (text, doubles) => {
  expect(doublesOf(text)).toEqual(doubles);
});

test("finds what the library finds, at the same places", () => {
  const text = "a: 1\nb: {c: 1, c: 2}\na: {d: [{e: 1, e: 2}]}\n? a\n: 1\n<<: {f: 1}\n";
  const [document] = parseAllDocuments(text, { prettyErrors: false, merge: true });
  const theirs = document!.errors.map(({ pos }) => pos[0]).toSorted((one, other) => one - other);
  const { documents } = readYaml(text, textLimits);
  expect(documents[0]!.errors.map(({ pos }) => pos[0])).toEqual(theirs);
  expect(theirs).toHaveLength(4);
});

test("a mistake of writing and a double key are told in the order of the text", () => {
  const { documents } = readYaml("a: 1\na: 2\nb: @x\n", textLimits);
  const errors = documents[0]!.errors.map(({ code, message }) => [code, message]);
  expect(errors[0]).toEqual(["DUPLICATE_KEY", "The key a stands twice in one mapping"]);
  expect(errors.map(([code]) => code)).toEqual(["DUPLICATE_KEY", "BAD_SCALAR_START"]);
});

test("of a hundred and forty thousand as many are told as of anything else, and places are still found", () => {
  const mapping = `{${"a,".repeat(1_999)}a}`;
  const text = Array.from({ length: 70 }, (_, n) => `m${n}: ${mapping}\n`).join("");
  const { documents, refused } = readYaml(text, textLimits);
  expect(refused).toEqual([]);
  expect(documents[0]!.errors).toHaveLength(mostFindings);
  expect(locateIssues(text, [{ path: "m1" }])[0]).toMatchObject({ line: 2, column: 5 });
});
