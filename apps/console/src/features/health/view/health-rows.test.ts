import { describe, expect, test } from "vitest";
import type { CheckSummary } from "@mainstay/contract/health.ts";
import { filterByTab, filterChecks, stateFilter, tabsOf } from "./filter-checks.ts";
import { aggregate, groupChecks, groupNameOf, prepareChecks } from "./group-checks.ts";
import { pivotChecks, topRows, visibleRows } from "./health-rows.ts";
import { noGrouping } from "./health-view.ts";
import { buildCheck } from "../testing/build-check.ts";

const now = Date.UTC(2026, 0, 1);
const prepare = (...parts: Partial<CheckSummary>[]) => prepareChecks(parts.map(buildCheck), now);
const names = (items: readonly { check: CheckSummary }[]) => items.map(({ check }) => check.name);
const agents = new Map([["a-1", "edge"]]);

describe("searching", () => {
  const checks = prepare(
    { name: "Front", description: "the shop", endpoint: "https://shop.example" },
    { name: "db", endpoint: "postgres://db:5432" },
  );
  test.each([
    ["", ["Front", "db"]],
    ["  FRONT ", ["Front"]],
    ["shop.example", ["Front"]],
    ["the shop", ["Front"]],
    ["5432", ["db"]],
    ["nothing", []],
  ])("%j finds %j", (query, expected) => {
    expect(names(filterChecks(checks, { query, labels: {} }))).toEqual(expected);
  });
});

describe("tabs", () => {
  const checks = prepare(
    { name: "one", namespace: "web", agent_id: "a-1", labels: { team: "red" } },
    { name: "two", namespace: "" },
    { name: "three", namespace: "db" },
  );
  test("namespaces, those without one under none", () => {
    expect(tabsOf(checks, "namespace", agents)).toEqual(["db", "none", "web"]);
    expect(names(filterByTab(checks, { tabBy: "namespace", tab: "none" }, agents))).toEqual([
      "two",
    ]);
    expect(filterByTab(checks, { tabBy: "namespace", tab: "all" }, agents)).toHaveLength(3);
  });
  test("agents by name", () => {
    expect(tabsOf(checks, "agent_id", agents)).toEqual(["edge", "local"]);
  });
  test("values of a label", () => {
    expect(tabsOf(checks, "label:team", agents)).toEqual(["none", "red"]);
  });
});

describe("states", () => {
  const overdue = { result_due: "2025-12-01T00:05:00Z" };
  const checks = prepare(
    { name: "good" },
    { name: "bad", status: "unhealthy" },
    { name: "dunno", status: "unknown" },
    { name: "old", ...overdue },
  );
  test("hiding what passes leaves what is stale", () => {
    expect(names(checks.filter(stateFilter({ hidePassing: true, status: undefined })))).toEqual([
      "bad",
      "dunno",
      "old",
    ]);
  });
  test("a status in the link wins over hiding what passes", () => {
    expect(names(checks.filter(stateFilter({ hidePassing: true, status: "healthy" })))).toEqual([
      "good",
    ]);
    expect(names(checks.filter(stateFilter({ hidePassing: true, status: "unknown" })))).toEqual([
      "dunno",
      "old",
    ]);
  });
});

describe("groups", () => {
  test.each([
    ["canary_name", "web"],
    ["name", "api"],
    ["description", "Others"],
    ["type", "http"],
    ["label:app", "shop"],
    ["label:none", "Others"],
  ])("by %s: %s", (groupBy, expected) => {
    expect(groupNameOf(buildCheck({ name: "api/v1/x", labels: { app: "shop" } }), groupBy)).toBe(
      expected,
    );
  });

  test.each([
    [["healthy", "healthy"], "good"],
    [["healthy", "unhealthy"], "mixed"],
    [["unhealthy", "unhealthy"], "bad"],
    [["unhealthy", "unknown"], "mixed"],
    [["healthy", "unknown"], "good"],
    [["unknown"], "unknown"],
  ] as const)("%j together are %s", (statuses, health) => {
    expect(aggregate(prepare(...statuses.map((status) => ({ status })))).health).toBe(health);
  });

  test("uptime adds up, latency is the mean, the last transition is the latest", () => {
    const all = aggregate(
      prepare(
        {
          uptime: { passed: 9, failed: 1 },
          latency: { rolling1h: 1, p95: 100 },
          last_transition_time: "2026-01-01T00:00:00Z",
        },
        {
          uptime: { passed: 5, failed: 5 },
          latency: { rolling1h: 50 },
          last_transition_time: "2026-01-02T00:00:00Z",
        },
        { uptime: { passed: 0, failed: 0 }, latency: { rolling1h: 0 } },
      ),
    );
    expect(all).toMatchObject({
      passed: 14,
      failed: 6,
      latencyMs: 75,
      lastTransition: "2026-01-02T00:00:00Z",
    });
  });
});

describe("rows", () => {
  const checks = prepare(
    { name: "b10", canary_name: "z", status: "healthy", latency: { rolling1h: 5, p95: 5 } },
    { name: "b9", canary_name: "z", status: "unhealthy", latency: { rolling1h: 9, p95: 9 } },
    { name: "a1", canary_name: "y", latency: { rolling1h: 50, p95: 50 } },
    { name: "alone", canary_name: "x" },
  );
  const sizeOf = (name: string) => checks.filter(({ check }) => check.canary_name === name).length;
  const label = (row: ReturnType<typeof topRows>[number]) =>
    row.kind === "group" ? row.name : row.item.check.name;
  const top = (
    sortBy?: "name" | "health" | "latency" | "uptime",
    sortDesc = false,
    groupBy = "canary_name",
  ) => topRows(checks, { groupBy, sortBy, sortDesc, sizeOf, isShown: () => true });

  test("without a chosen order the worst come first", () => {
    expect(top().map(label)[0]).toBe("z");
  });

  test("groups sort by their own values", () => {
    expect(top("name").map(label)).toEqual(["alone", "a1", "z"]);
    expect(top("latency", true).map(label)).toEqual(["a1", "alone", "z"]);
  });

  test("names sort as people count", () => {
    expect(top("name", false, noGrouping).map(label)).toEqual(["a1", "alone", "b9", "b10"]);
    expect(top("name", true, noGrouping).map(label)).toEqual(["b10", "b9", "alone", "a1"]);
  });

  test("a group of one is its check; an open group shows its checks below it", () => {
    const rows = visibleRows(top("name"), {
      sortBy: "name",
      sortDesc: false,
      isOpen: (id) => id === "group:z",
    });
    expect(rows.map((row) => [row.kind, label(row)])).toEqual([
      ["check", "alone"],
      ["check", "a1"],
      ["group", "z"],
      ["check", "b9"],
      ["check", "b10"],
    ]);
  });

  test("a group that the filters leave with one check stays a group, and says how all of it is", () => {
    const rows = topRows(checks, {
      groupBy: "canary_name",
      sortBy: undefined,
      sortDesc: false,
      sizeOf,
      isShown: stateFilter({ hidePassing: true, status: undefined }),
    });
    expect(
      rows.map(
        (row) => row.kind === "group" && [row.name, row.checks.length, row.aggregate.counts],
      ),
    ).toEqual([["z", 1, { healthy: 1, unhealthy: 1, warning: 0, unknown: 0 }]]);
  });

  test("no grouping, no groups", () => {
    expect(groupChecks(checks, { groupBy: noGrouping, isShown: () => true })).toEqual([]);
  });
});

test("a pivot has groups down and values across", () => {
  const checks = prepare(
    { canary_name: "api", namespace: "eu" },
    { canary_name: "api", namespace: "us", status: "unhealthy" },
    { canary_name: "web", namespace: "us" },
  );
  const pivot = pivotChecks(checks, {
    groupBy: "canary_name",
    sortBy: "name",
    sortDesc: false,
    isShown: () => true,
    columnOf: ({ check }) => check.namespace,
  });
  expect(pivot.columns).toEqual(["eu", "us"]);
  expect(
    pivot.rows.map((row) => [
      row.name,
      row.cells.get("eu")?.aggregate.health,
      row.cells.get("us")?.aggregate.health,
    ]),
  ).toEqual([
    ["api", "good", "bad"],
    ["web", undefined, "good"],
  ]);
});
