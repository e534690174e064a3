import { describe, expect, test } from "vitest";
import {
  describeFilter,
  formatLabelFilters,
  labelFacets,
  labelMatcher,
  parseLabelFilters,
  splitLabelId,
  withLabelFilter,
  type LabelFilters,
} from "./label-filters.ts";

describe("matching", () => {
  test.each<[string, LabelFilters, Record<string, string>, boolean]>([
    ["no filter", {}, {}, true],
    ["included value", { "app:web": 1 }, { app: "web" }, true],
    ["another value", { "app:web": 1 }, { app: "db" }, false],
    ["label is missing", { "app:web": 1 }, {}, false],
    ["either of two values", { "app:web": 1, "app:db": 1 }, { app: "db" }, true],
    ["two keys, one missing", { "app:web": 1, "tier:1": 1 }, { app: "web" }, false],
    ["excluded value", { "app:web": -1 }, { app: "web" }, false],
    ["excluded value is missing", { "app:web": -1 }, {}, true],
    [
      "excluded wins over included",
      { "app:web": 1, "tier:2": -1 },
      { app: "web", tier: "2" },
      false,
    ],
    ["a value with a colon", { "image:nginx:1.27": 1 }, { image: "nginx:1.27" }, true],
  ])("%s", (_name, filters, labels, expected) => {
    expect(labelMatcher(filters)(labels)).toBe(expected);
  });
});

test.each([
  [undefined, {}],
  ["", {}],
  ["{", {}],
  ["[1]", {}],
  ["null", {}],
  ['{"a:b":1,"c:d":-1,"e:f":0,"g:h":"1","i:j":2}', { "a:b": 1, "c:d": -1 }],
])("%j is read as %j", (text, filters) => {
  expect(parseLabelFilters(text)).toEqual(filters);
});

test("an address keeps the filters", () => {
  const filters: LabelFilters = { "a:b": 1, "c:d": -1 };
  expect(parseLabelFilters(formatLabelFilters(filters))).toEqual(filters);
  expect(formatLabelFilters({})).toBeUndefined();
});

test("setting a filter to nothing removes it", () => {
  expect(withLabelFilter({ "a:b": 1 }, "a:b", 0)).toEqual({});
  expect(withLabelFilter({ "a:b": 1 }, "c:d", -1)).toEqual({ "a:b": 1, "c:d": -1 });
});

test("facets are sorted and know toggles", () => {
  expect(
    labelFacets([
      { labels: { zone: "b", core: "true" } },
      { labels: { zone: "a" } },
      { labels: { core: "false" } },
    ]),
  ).toEqual([
    { key: "core", values: ["false", "true"], isBoolean: true },
    { key: "zone", values: ["a", "b"], isBoolean: false },
  ]);
});

test("the label that says the severity once more is no facet of its own", () => {
  const checks: { severity: string; labels: Record<string, string> }[] = [
    { severity: "critical", labels: { critical: "true", core: "true" } },
    { severity: "low", labels: { low: "true" } },
  ];
  expect(labelFacets(checks).map(({ key }) => key)).toEqual(["core"]);
});

test.each<[LabelFilters, string]>([
  [{}, "All"],
  [{ "zone:a": 1 }, "a"],
  [{ "zone:a": 1, "zone:b": -1, "app:x": 1 }, "a, !b"],
  [{ "zone:a": 1, "zone:b": 1, "zone:c": 1 }, "a, b, c"],
  [{ "zone:a": 1, "zone:b": 1, "zone:c": 1, "zone:d": 1 }, "including 4 labels"],
  [
    { "zone:a": 1, "zone:b": 1, "zone:c": -1, "zone:d": -1 },
    "including 2 labels, excluding 2 labels",
  ],
  [{ "zone:a": -1, "zone:b": -1, "zone:c": -1, "zone:d": -1 }, "excluding 4 labels"],
])("%j says %s", (filters, text) => {
  expect(describeFilter("zone", filters)).toBe(text);
});

test("an id without a colon is a key", () => {
  expect(splitLabelId("core")).toEqual({ key: "core", value: "" });
});
