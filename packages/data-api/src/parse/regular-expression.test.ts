import { expect, test } from "vitest";
import { readRegularExpression } from "./regular-expression.ts";

test.for<[string, number]>([
  ["abc", 3],
  ["^a.*b$", 5],
  ["a|b", 3],
  ["(?:ab)*", 2],
  ["a{3}", 3],
  ["a{2,}", 2],
  ["a{2,5}?b", 6],
  ["(ab{3}){10}", 40],
  ["((a?){16}){16}", 256],
  [String.raw`\d{1,3}\.\d`, 5],
  [String.raw`\\1`, 2],
  ["[a-z]{255}", 255],
  ["[]{9}]", 1],
  ["[^]{9}]", 1],
  ["[[:alpha:]{9}]{2}", 2],
  [String.raw`[\]{9}]`, 1],
  ["[.]x", 2],
  ["a{b", 3],
  ["()", 1],
  ["", 0],
])("%s has %i atoms", ([pattern, atoms]) => {
  expect(readRegularExpression(pattern)).toEqual({ atoms });
});

test.for([
  String.raw`(a)\1`,
  String.raw`(a)\12`,
  String.raw`((a)(\2))`,
  String.raw`(a)\\\1`,
  String.raw`(a)\c\\1`,
  String.raw`(a)[\c]]\1]`,
  String.raw`(a)[]]\1`,
  String.raw`(a)[^]]\1`,
  String.raw`(a)[[:alpha:]]\1`,
  String.raw`(a)[][.a.]]\1`,
  String.raw`(a)[[=a=]]\1`,
  String.raw`(a)\0`,
  "***=a",
  "***:(a)",
  "(?i)a",
  String.raw`(?b)\(a\)\1`,
  "(?x)a#",
  "(?q)a",
  "(?=a)b",
  "(?!a)b",
  "(?<=a)b",
  "(?<!a)b",
  "(?#a)b",
  "a{256}",
  "a{1,999}",
])("%s is refused", (pattern) => {
  expect(readRegularExpression(pattern)).toHaveProperty("refused");
});

test.for(["(", "a)", "((a)"])("%s is none", (pattern) => {
  expect(readRegularExpression(pattern)).toHaveProperty("invalid");
});
