import { expect, test } from "vitest";
import { readPathPattern } from "./path-pattern.ts";

test.each<[string, string, boolean]>([
  ["/a/*.log", "x.log", true],
  ["/a/*.log", "b/x.log", false],
  ["/a/**/x", "x", true],
  ["/a/**/x", "b/c/x", true],
  ["/a/[!x]*", "x1", false],
  ["/a/*(1)+.txt", "x(1)+.txt", true],
  ["/a/*.{log,txt}", "x.txt", true],
  ["/a/*.{log", "x.{log", true],
  ["/a/*[", "x[", true],
])("%s and %s", (pattern, name, expected) => {
  expect(readPathPattern(pattern, false).matches?.(name)).toBe(expected);
});

test("a plain path is no pattern, whatever brackets it holds", () => {
  expect(readPathPattern("/a/[b]/{c}", false)).toEqual({ root: "/a/[b]/{c}", levels: 0 });
});
