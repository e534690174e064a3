import { expect, test } from "vitest";
import { parseLabelSelector } from "./label-selector.ts";
import { parseMatchList } from "./match-list.ts";
import { SelectorError } from "./selector-error.ts";

const shown = (text: string) =>
  parseLabelSelector(text).map((requirement) =>
    "values" in requirement
      ? `${requirement.key} ${requirement.op} ${requirement.values.join("|")}`
      : `${requirement.key} ${requirement.op}`,
  );

test.each<[string, string[]]>([
  ["", []],
  ["  ", []],
  ["a=b", ["a in b"]],
  ["a==b", ["a in b"]],
  [" a = b , c != d ", ["a in b", "c notIn d"]],
  ["e in (x, y),f notin(z)", ["e in x|y", "f notIn z"]],
  ["g,!h, ! i", ["g exists", "h missing", "i missing"]],
  ["a=", ["a in "]],
  ["inside=1,in=2,notinside", ["inside in 1", "in in 2", "notinside exists"]],
  ["app.kubernetes.io/name=web-1", ["app.kubernetes.io/name in web-1"]],
  ["a in (x,)", ["a in x|"]],
])("%j says %j", (text, expected) => {
  expect(shown(text)).toEqual(expected);
});

test.each<[string, number]>([
  ["a=b,", 4],
  [",a", 0],
  ["a=b c", 4],
  ["a in x", 5],
  ["a in (x", 7],
  ["!", 1],
  ["a>5", 1],
  ["a=b)", 3],
  [`a in (${"x,".repeat(600)}y)`, 1006],
  ["a,".repeat(200), 200],
])("%j is refused at %i", (text, at) => {
  const parse = () => parseLabelSelector(text);
  expect(parse).toThrow(SelectorError);
  expect(parse).toThrow(expect.objectContaining({ at }));
});

test.each<[string | string[], [string[], string[]]]>([
  [
    "a, b*,!c,!*d*",
    [
      ["a", "b*"],
      ["c", "*d*"],
    ],
  ],
  [
    ["a,b", "!c"],
    [["a,b"], ["c"]],
  ],
  ["", [[], []]],
  [" , ,!", [[], []]],
  ["a%2Cb,%2A,100%", [["a,b", "*", "100%"], []]],
])("the filter %j includes and excludes %j", (items, [include, exclude]) => {
  const list = parseMatchList(items);
  expect(list.include.map((pattern) => pattern.join("*"))).toEqual(include);
  expect(list.exclude.map((pattern) => pattern.join("*"))).toEqual(exclude);
});

test("an escaped star is a star", () => {
  expect(parseMatchList("%2A").include).toEqual([["*"]]);
  expect(parseMatchList("*").include).toEqual([["", ""]]);
});
