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
    query: "api & co",
    layout: "card",
    checkId: "c1",
    checkTab: "spec",
    sortBy: "latency",
    sortDesc: true,
    groupBy: "label:app",
    tabBy: "agent_id",
    tab: "edge",
    hidePassing: false,
    status: "unhealthy",
    pivotBy: "label",
    pivotLabel: "zone",
    pivotCellType: "uptime",
    addCheck: true,
  };
  expect(healthViewCodec.parse(raw(view) as Record<string, string>)).toEqual(view);
});

test("an open check keeps the range that was chosen for it, be it the page's default", () => {
  const view = healthViewCodec.parse({ checkId: "c1", timeRange: "1h" });
  expect(raw(view)).toEqual({ checkId: "c1", timeRange: "1h" });
  expect(raw(healthViewCodec.parse({ checkId: "c1" }))).toEqual({ checkId: "c1" });
});

test.each([
  [{ layout: "carousel" }],
  [{ sortBy: "transition" }],
  [{ timeRange: "soon" }],
  [{ labels: "{{" }],
  [{ status: "purple" }],
  [{ hidePassing: "perhaps" }],
  [{ pivotCellType: "x" }],
])("%j is as if nothing was said", (search) => {
  expect(healthViewCodec.parse(search)).toEqual(defaultView);
});
