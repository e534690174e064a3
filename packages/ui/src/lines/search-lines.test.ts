import { expect, test } from "vitest";
import { type LineSearch, matchAfter, mostMatches, searchStretch } from "./search-lines.ts";

const plainText = (line: string) => line.replaceAll("\u001b[31m", "");
const begin = (words: string, matchesCase = false): LineSearch => ({
  words,
  matchesCase,
  matches: [],
  searched: 0,
});
const still = { plainText, clock: () => 0 };

test("finds lines whatever their case and colour", () => {
  const lines = ["Error: a", "fine", "er\u001b[31mror b", "ERROR"];
  expect(searchStretch(lines, begin("error"), still).matches).toEqual([0, 2, 3]);
  expect(searchStretch(lines, begin("ERROR", true), still).matches).toEqual([3]);
});

test("stops when its time is over and goes on from there", () => {
  const lines = Array.from({ length: 2_000 }, (_, index) => `line ${index}`);
  let now = 0;
  const clock = () => (now += 5);
  const first = searchStretch(lines, begin("line"), { plainText, clock });
  expect(first.searched).toBeLessThan(2_000);
  expect(first.matches).toHaveLength(first.searched);
  const second = searchStretch(lines, first, still);
  expect(second.searched).toBe(2_000);
  expect(second.matches).toHaveLength(2_000);
  expect(second.matches.at(-1)).toBe(1_999);
});

test("lines that came later are searched without searching the others again", () => {
  const done = searchStretch(["a", "b"], begin("a"), still);
  const more = searchStretch(["changed", "b", "aa"], done, still);
  expect(more.matches).toEqual([0, 2]);
});

test("matches are limited", () => {
  const lines = Array.from({ length: mostMatches + 5_000 }, () => "x");
  expect(searchStretch(lines, begin("x"), still).matches).toHaveLength(mostMatches);
});

test.each([
  [[3, 7, 9], 3, 1, 1],
  [[3, 7, 9], 0, 1, 0],
  [[3, 7, 9], 9, 1, 0],
  [[3, 7, 9], 8, -1, 1],
  [[3, 7, 9], 3, -1, 2],
  [[], 3, 1, -1],
] as const)("from %j at line %d, %d: match %d", (matches, line, step, expected) => {
  expect(matchAfter(matches, line, step)).toBe(expected);
});
