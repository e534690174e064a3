import { describe, expect, test } from "vitest";
import type { CheckSummary, RecentRun } from "@mainstay/contract/health.ts";
import { noFilter } from "@mainstay/ui/filters/tri-state-filter.ts";
import { countFacets, filterByTab, filterChecks, stateFilter, tabsOf } from "./filter-checks.ts";
import { aggregate, groupChecks, groupNameOf, prepareChecks } from "./group-checks.ts";
import { checksOfRows, topRows, visibleRows, worstLatency } from "./health-rows.ts";
import { noGrouping } from "./health-view.ts";
import { pivotChecks } from "./pivot-checks.ts";
import { groupStrip } from "./group-strip.ts";
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
    expect(names(filterChecks(checks, { query, labels: {}, severity: noFilter }))).toEqual(
      expected,
    );
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
    // An address may name what every object has.
    expect(tabsOf(checks, "label:constructor", agents)).toEqual(["none"]);
    expect(groupNameOf(checks[0]!.check, "label:constructor")).toBe("Others");
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

  test("uptime adds up; latency and severity are the worst, the transition is the latest", () => {
    const all = aggregate(
      prepare(
        {
          name: "slow",
          severity: "low",
          uptime: { passed: 9, failed: 1 },
          latency: { rolling1h: 1, p95: 100 },
          last_transition_time: "2026-01-01T00:00:00Z",
        },
        {
          severity: "critical",
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
      severity: "critical",
      lastTransition: "2026-01-02T00:00:00Z",
    });
    expect([all.slowest?.name, worstLatency(all)]).toEqual(["slow", 100]);
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
      isOpen: ({ name }) => name === "z",
    });
    expect(rows.map((row) => [row.kind, label(row)])).toEqual([
      ["check", "alone"],
      ["check", "a1"],
      ["group", "z"],
      ["check", "b9"],
      ["check", "b10"],
    ]);
  });

  test("a group of one keeps its name", () => {
    const [of] = topRows(prepare({ name: "lookup", type: "dns" }), {
      groupBy: "type",
      sortBy: undefined,
      sortDesc: false,
      sizeOf: () => 1,
      isShown: () => true,
    });
    expect(of).toMatchObject({ kind: "check", groupName: "dns" });
  });

  test("what is exported is all that is shown, in order, whether or not its group is open", () => {
    const order = { sortBy: "name", sortDesc: true } as const;
    expect(names(checksOfRows(top("name", true), order))).toEqual(["b10", "b9", "a1", "alone"]);
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
  // Hiding what passes hides rows; it changes no count in those that stay.
  const failing = pivotChecks(checks, {
    groupBy: "canary_name",
    sortBy: "name",
    sortDesc: false,
    isShown: stateFilter({ hidePassing: true, status: undefined }),
    columnOf: ({ check }) => check.namespace,
  });
  expect(failing.rows.map(({ name, cells }) => [name, cells.get("eu")?.checks.length])).toEqual([
    ["api", 1],
  ]);
});

test("what ends first comes first, what never ends last; a group ends with its first", () => {
  const checks = prepare(
    { name: "never" },
    { name: "late", expires_at: "2027-01-01T00:00:00Z" },
    { name: "soon", expires_at: "2026-02-01T00:00:00Z" },
  );
  const order = { sortBy: "expires", sortDesc: false } as const;
  const rows = topRows(checks, {
    ...order,
    groupBy: noGrouping,
    sizeOf: () => 1,
    isShown: () => true,
  });
  expect(names(checksOfRows(rows, order))).toEqual(["soon", "late", "never"]);
  expect(aggregate(checks).endsFirst?.name).toBe("soon");
});

describe("severity", () => {
  const checks = prepare(
    { name: "c", severity: "low", labels: { team: "red" } },
    { name: "b", severity: "critical", labels: { team: "blue" } },
    { name: "a", labels: { team: "red" } },
    { name: "d", severity: "high", labels: { team: "red" } },
    { name: "e", severity: "of my own" },
  );
  const sorted = (sortDesc: boolean) =>
    topRows(checks, {
      groupBy: noGrouping,
      sortBy: "severity",
      sortDesc,
      sizeOf: () => 1,
      isShown: () => true,
    });

  test("sorts by rank: the worst first, what nobody ranked and none last", () => {
    const order = { sortBy: "severity", sortDesc: false } as const;
    expect(names(checksOfRows(sorted(false), order))).toEqual(["b", "d", "c", "e", "a"]);
    expect(names(checksOfRows(sorted(true), order))).toEqual(["a", "e", "c", "d", "b"]);
  });

  test.each<[Record<string, 1 | -1>, string[]]>([
    [{ critical: 1, high: 1 }, ["b", "d"]],
    [{ critical: -1 }, ["c", "a", "d", "e"]],
    [{ none: 1 }, ["a"]],
    [{ high: 1, low: -1 }, ["d"]],
  ])("%j leaves %j", (said, expected) => {
    const severity = new Map(Object.entries(said));
    expect(names(filterChecks(checks, { query: "", labels: {}, severity }))).toEqual(expected);
  });

  test("a value counts what it would show: what all the other filters leave", () => {
    const filters = {
      query: "",
      labels: { "team:red": 1 },
      severity: new Map([["low", 1 as const]]),
    } as const;
    const counts = countFacets(checks, filters, filterChecks(checks, filters));
    expect(Object.fromEntries(counts.severities)).toEqual({ low: 1, none: 1, high: 1 });
    expect(Object.fromEntries(counts.labels.get("team")!)).toEqual({ red: 1 });
  });
});

describe("the strip of a group", () => {
  const runs = (count: number, everyMs: number, fails: (at: number) => boolean = () => false) =>
    Array.from({ length: count }, (_, at): RecentRun => [
      now - (count - 1 - at) * everyMs,
      at + 1,
      fails(at) ? 0 : 1,
    ]);

  test("begins where what often runs is known, and says how many failed when", () => {
    const often = runs(30, 1_000, (at) => at >= 28);
    const seldom = runs(10, 60_000);
    const strip = groupStrip(prepare({ recent: often }, { recent: seldom }));
    expect(strip).toHaveLength(30);
    expect(strip[0]).toEqual([now - 29_000, 1, 1, "1 passed"]);
    expect(strip[28]?.slice(1)).toEqual([29, 0, "1 of 1 failed"]);
    // The newest of both.
    expect(strip[29]?.slice(1)).toEqual([30, 0, "1 of 2 failed"]);
  });

  test("where nothing ran there is a gap", () => {
    const recent = [...runs(2, 1_000), ...runs(1, 1)].map(([time, ...rest], at): RecentRun => [
      at === 0 ? time - 9_000 : time,
      ...rest,
    ]);
    expect(groupStrip(prepare({ recent })).map((entry) => entry && entry[3])).toEqual([
      "1 passed",
      undefined,
      "2 passed",
    ]);
    expect(groupStrip(prepare({}))).toEqual([]);
  });
});
