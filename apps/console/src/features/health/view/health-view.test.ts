import { expect, test } from "vitest";
import { defaultView, healthViewCodec, type HealthView } from "./health-view.ts";

const raw = (view: HealthView) =>
  Object.fromEntries(
    Object.entries(healthViewCodec.format(view)).filter(([, value]) => value !== undefined),
  );

test("the page as it opens needs nothing in its address", () => {
  expect(raw(healthViewCodec.parse({}))).toEqual({});
  expect(healthViewCodec.parse({})).toEqual(defaultView);
});

test("an address keeps every part of the view", () => {
  const view: HealthView = {
    timeRange: { kind: "relative", from: "now-2d", to: "now" },
    labels: { "app:web": 1, "zone:eu": -1 },
    severity: new Map([["critical", 1] as const, ["low", -1] as const]),
    query: "api & co",
    layout: "card",
    checkId: "c1",
    checkRange: { kind: "relative", from: "now-5m", to: "now" },
    checkTab: "spec",
    sortBy: "latency",
    sortDesc: true,
    groupBy: "label:app",
    tabBy: "agent_id",
    tab: "edge",
    hidePassing: false,
    status: "unhealthy",
    expanded: new Map([["shop, web: 1", 1] as const, ["data", -1] as const]),
    columns: ["health", "severity"],
    pivotBy: "label",
    pivotLabel: "zone",
    pivotCellType: "uptime",
    addCheck: true,
  };
  expect(healthViewCodec.parse(raw(view) as Record<string, string>)).toEqual(view);
});

test("an open check has a range of its own beside the page's", () => {
  const both = { checkId: "c1", checkRange: "1h", timeRange: "2d" };
  expect(raw(healthViewCodec.parse(both))).toEqual(both);
  const closed = { ...healthViewCodec.parse(both), checkId: undefined, checkRange: undefined };
  expect(raw(closed)).toEqual({ timeRange: "2d" });
  expect(raw(healthViewCodec.parse({ checkId: "c1" }))).toEqual({ checkId: "c1" });
});

test("an address with one range and a check means the check, and closing it leaves 1h", () => {
  const view = healthViewCodec.parse({ checkId: "c1", timeRange: "2d" });
  expect(raw(view)).toEqual({ checkId: "c1", checkRange: "2d" });
  expect(raw({ ...view, checkId: undefined, checkRange: undefined })).toEqual({});
});

test.each([
  [{ layout: "carousel" }],
  [{ sortBy: "transition" }],
  [{ timeRange: "soon" }],
  [{ labels: "{{" }],
  [{ status: "purple" }],
  [{ hidePassing: "perhaps" }],
  [{ pivotCellType: "x" }],
  [{ groupBy: "bogus" }],
  [{ groupBy: "label:" }],
  [{ tabBy: "bogus" }],
  [{ pivotBy: "bogus" }],
  [{ severity: "all" }],
  [{ checkRange: "soon" }],
  [{ columns: "" }],
])("%j is as if nothing was said", (search) => {
  expect(healthViewCodec.parse(search)).toEqual(defaultView);
});
