import { expect, test } from "vitest";
import { parseTriStateFilter } from "@mainstay/ui/filters/tri-state-filter.ts";
import { bodyOf, isSelectable, listText, rangeText, selectorText } from "./search-body.ts";
import { changesCodec } from "./view.ts";

const now = Date.parse("2026-03-10T12:00:00Z");
const asked = (raw: Record<string, string>, itemId?: string) =>
  bodyOf(changesCodec.parse(raw), { itemId, hidesDeleted: true }, now);

test("of everything the last seven days are asked for, without what is deleted", () => {
  expect(asked({})).toEqual({
    from: "now-7d",
    to: "now",
    recursive: "none",
    include_deleted_configs: false,
  });
  expect(bodyOf(changesCodec.parse({}), { hidesDeleted: false }, now).include_deleted_configs).toBe(
    true,
  );
});

test.each<[string, Record<string, string>, object]>([
  [
    "types",
    { configType: "Kubernetes________Pod:1,AWS:-1" },
    { config_type: "Kubernetes%3A%3APod,!AWS" },
  ],
  ["changes", { changeType: "diff:1,a||||b:1" }, { type: "diff,a%2Cb" }],
  ["severity", { severity: "high" }, { severity: "high" }],
  ["a severity that is none", { severity: "bad" }, {}],
  ["a text", { query: "100% of, *it" }, { search: "100% of, *it" }],
  [
    "sources and authors",
    { source: "a!b:-1", createdBy: "p1:1" },
    { source: "!a%21b", created_by: "p1" },
  ],
  ["tags", { tags: "cluster=a:1,cluster=b:1,zone=x:-1" }, { tags: "cluster in (a,b),zone!=x" }],
  ["some items", { id: "i1,!i2" }, { id: "i1,!i2" }],
  ["directions, which are of one item", { upstream: "true" }, {}],
])("%s", (_name, raw, expected) => {
  expect(asked(raw)).toEqual({ ...asked({}), ...expected });
});

test.each([
  [{}, { recursive: "downstream", depth: 5 }],
  [{ upstream: "true" }, { recursive: "all", depth: 5 }],
  [
    { upstream: "true", downstream: "false" },
    { recursive: "upstream", depth: 5 },
  ],
  [{ downstream: "false" }, { recursive: "none" }],
])("of one item %j", (raw, expected) => {
  const { depth: _, ...all } = asked({});
  expect(asked(raw, "i1")).toEqual({ ...all, id: "i1", ...expected });
});

test.each([
  ["2d", { from: "now-2d", to: "now" }],
  ["3mo", { from: "now-3M", to: "now" }],
  ["now-3mo..now-1mo", { from: "now-3M", to: "now-1M" }],
  [
    "2026-03-01T00:00:00.000Z..2026-03-01T01:00:00.000Z",
    { from: "2026-03-01T00:00:00.000Z", to: "2026-03-01T01:00:00.001Z" },
  ],
])("the range %s is sent as the server reads it", (timeRange, expected) => {
  expect(rangeText(changesCodec.parse({ timeRange }).timeRange, now)).toEqual(expected);
});

test("a day is the reader's, whole", () => {
  const { from, to } = rangeText({ kind: "mapped", name: "yesterday" }, now)!;
  const [start, end] = [new Date(from), new Date(to)];
  expect([start.getHours(), start.getMinutes(), end.getHours(), end.getMinutes()]).toEqual([
    0, 0, 0, 0,
  ]);
  expect(end.getTime() - start.getTime()).toBe(86_400_000);
});

test("nothing that is chosen filters nothing", () => {
  expect(listText(new Map())).toBeUndefined();
  expect(selectorText(new Map())).toBeUndefined();
});

test("of one tag some values are wanted and others are not", () => {
  expect(selectorText(parseTriStateFilter("a=1:1,a=2:-1,a=3:-1,b=:1"))).toBe(
    "a=1,a notin (2,3),b=",
  );
});

test.each([
  ["eu-1a", true],
  ["", true],
  ["a b", false],
  ["a,b", false],
  ["(a)", false],
])("a selector can say %j: %s", (text, expected) => {
  expect(isSelectable(text)).toBe(expected);
});

test.each<Record<string, string>>([
  {},
  { timeRange: "2d", severity: "critical", pageSize: "50", pageIndex: "2" },
  { downstream: "false", upstream: "true", open: "c1,c2", change: "c3", part: "details" },
  { configType: "a:1", changeType: "b:-1", createdBy: "c:1", source: "d:1", tags: "e=f:-1" },
  { sortBy: "name", sortOrder: "desc", query: "x", id: "i1" },
])("the address %j stays as it is", (raw) => {
  const written = Object.entries(changesCodec.format(changesCodec.parse(raw))).filter(
    ([, text]) => text !== undefined,
  );
  expect(Object.fromEntries(written)).toEqual(raw);
});

test("pages have two hundred rows unless the address says otherwise", () => {
  expect(changesCodec.parse({}).pageSize).toBe(200);
});
