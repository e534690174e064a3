import fc from "fast-check";
import { expect, test } from "vitest";
import {
  describeTriStateFilter,
  formatTriStateFilter,
  parseTriStateFilter,
  type TriStateFilter,
  withTriState,
} from "./tri-state-filter.ts";

const filter = (...entries: [string, 1 | -1][]): TriStateFilter => new Map(entries);

test.each<[string, TriStateFilter]>([
  ["SUCCESS:-1", filter(["SUCCESS", -1])],
  ["healthy:1,unknown:-1", filter(["healthy", 1], ["unknown", -1])],
  ["Kubernetes____Pod:1", filter(["Kubernetes:Pod", 1])],
  ["AWS________EC2:-1", filter(["AWS::EC2", -1])],
  ["a||||b:1", filter(["a,b", 1])],
])("%s is read and written", (text, expected) => {
  expect(parseTriStateFilter(text)).toEqual(expected);
  expect(formatTriStateFilter(expected)).toBe(text);
});

test.each<[string | null | undefined, TriStateFilter]>([
  [undefined, filter()],
  [null, filter()],
  ["", filter()],
  ["all", filter()],
  ["all:1,a:1", filter(["a", 1])],
  ["a", filter(["a", 1])],
  ["a:2", filter()],
  ["a:b:1", filter()],
  [",,:1,:,a:1,", filter(["a", 1])],
  ["a:1,a:-1", filter(["a", -1])],
])("%j is read without fuss", (text, expected) => {
  expect(parseTriStateFilter(text)).toEqual(expected);
});

test("whatever the values are, they come back", () => {
  // The wire form gives `____` and `||||` a meaning of their own, and trims.
  const value = fc
    .string({ minLength: 1, unit: "grapheme" })
    .filter((text) => text === text.trim() && text !== "" && text !== "all" && !/_|\|/.test(text));
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(value, fc.constantFrom(1 as const, -1 as const)), {
        selector: ([text]) => text,
        maxLength: 20,
      }),
      (entries) => {
        const whole = new Map(entries);
        expect(parseTriStateFilter(formatTriStateFilter(whole))).toEqual(whole);
      },
    ),
  );
});

test("an address with a thousand values is cut", () => {
  const text = Array.from({ length: 1_000 }, (_, index) => `v${index}:1`).join(",");
  expect(parseTriStateFilter(text).size).toBe(500);
});

test("off, include, exclude", () => {
  const one = withTriState(filter(), "a", 1);
  expect(one).toEqual(filter(["a", 1]));
  expect(withTriState(one, "a", -1)).toEqual(filter(["a", -1]));
  expect(withTriState(one, "a", 0)).toEqual(filter());
});

test.each<[TriStateFilter, string]>([
  [filter(), "All"],
  [filter(["healthy", 1], ["unknown", -1]), "healthy, !unknown"],
  [filter(["a", 1], ["b", 1], ["c", 1], ["d", 1]), "including 4 values"],
  [filter(["a", 1], ["b", -1], ["c", -1], ["d", 1]), "including 2 values, excluding 2 values"],
])("%o reads %s", (given, words) => {
  expect(describeTriStateFilter(given)).toBe(words);
});
