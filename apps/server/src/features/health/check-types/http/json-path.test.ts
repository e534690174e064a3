import { expect, test } from "vitest";
import { selectText } from "./json-path.ts";

const json = {
  a: { b: [1, { c: "x" }, null] },
  "a b": true,
  "it's": 1.5,
  $ref: "r",
  list: [[1, 2], [3]],
};

test.each<[string, string[]]>([
  ["$", [JSON.stringify(json)]],
  ["$.a.b[0]", ["1"]],
  ["a.b[1].c", ["x"]],
  ["$.a.b[-1]", ["null"]],
  ["$.a.b[9]", []],
  ["$['a b']", ["true"]],
  ['$["it\'s"]', ["1.5"]],
  ["$['it\\'s']", ["1.5"]],
  ["$.$ref", ["r"]],
  ["$.list[*][*]", ["1", "2", "3"]],
  ["$.list[0].*", ["1", "2"]],
  ["$.a.constructor", []],
  ["$.a.b.length", ["3"]],
  ["[0]", []],
])("%s", (path, expected) => {
  expect(selectText(json, path)).toEqual(expected);
});

test.each(["$..c", "$.a[?(@.b)]", "$.a[", "$.a b", "$.a[1:2]"])(
  "%s is not understood, and says where",
  (path) => {
    expect(() => selectText(json, path)).toThrow(/is not understood from ".*" on/);
  },
);

test("what is nested too deep is refused in words", () => {
  const deep = JSON.parse(`{"a":${"[".repeat(24_000)}${"]".repeat(24_000)}}`) as unknown;
  expect(() => selectText(deep, "$.a")).toThrow("what $.a leads to is nested too deep");
});
