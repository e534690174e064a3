// @vitest-environment happy-dom
// Takes long: the whole console is drawn anew for each change that it must follow.
import { readFileSync } from "node:fs";
import { act, cleanup } from "@testing-library/react";
import { isWhole } from "@mainstay/testkit/sample.ts";
import { afterEach, expect, test, vi } from "vitest";
import { eventually, FakeStream, openConsole, shownPage } from "../testing/real-console.tsx";

vi.mock("@mainstay/ui/yaml-editor/YamlEditor.tsx", () => ({ YamlEditor: () => null }));
vi.mock("@mainstay/ui/timeline-chart/TimelineChart.tsx", () => ({ TimelineChart: () => null }));
vi.mock("@mainstay/ui/count-chart/CountChart.tsx", () => ({ CountChart: () => null }));

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

/** Every page, what it is called, and the tables by whose changes it is read again. */
const pages: readonly [address: string, heading: string, tables: readonly string[]][] = [
  ["/health", "Health", ["canaries", "checks"]],
  ["/health?checkId=c1", "Health", ["canaries", "checks"]],
  ["/catalog", "Catalog", ["config_analysis", "config_changes", "config_items"]],
  [
    "/catalog?configType=Host::Package",
    "Catalog",
    ["config_analysis", "config_changes", "config_items"],
  ],
  ["/catalog/scrapers", "Scrapers", ["config_scrapers"]],
  ["/catalog/scrapers/s1", "machines", ["config_scrapers"]],
  [
    "/catalog/i1",
    "orders",
    ["config_analysis", "config_changes", "config_items", "config_notes", "config_relationships"],
  ],
  [
    "/catalog/i1/relationships?incoming=true",
    "orders",
    ["config_analysis", "config_changes", "config_items", "config_notes", "config_relationships"],
  ],
  ["/settings/canaries", "Health Checks", ["canaries"]],
  ["/settings/canaries/y1", "shop", ["canaries"]],
  [
    "/settings/documents",
    "Documents",
    ["canaries", "config_scrapers", "connections", "logging_backends", "topologies"],
  ],
  ["/settings/users", "Users", ["identities", "people", "people_roles"]],
  ["/settings/integrations", "Integrations", ["config_scrapers", "logging_backends", "topologies"]],
  ["/settings/topologies", "Topologies", ["topologies"]],
  ["/settings/logging-backends", "Log Backends", ["logging_backends"]],
  ["/settings/logging-backends/l1", "lines", ["logging_backends"]],
  ["/topology", "Topology", ["team_components", "topology"]],
  ["/settings/integrations/scrapers/s1", "machines", ["config_scrapers"]],
  ["/settings/teams", "Teams", ["people", "team_members", "teams"]],
  ["/settings/teams/t1", "Database", ["people", "team_members", "teams"]],
  ["/settings/feature-flags", "Feature Flags", ["people", "properties"]],
  ["/settings/tokens", "Access Tokens", ["access_tokens", "people_roles"]],
  ["/logs", "Logs", ["logging_backends", "topology"]],
  ["/settings/audit", "Audit Log", ["audit_entries"]],
];

test.each(pages)("%s is read again when its tables change", async (address, heading, tables) => {
  const { queryClient, goTo, api } = await openConsole({ roles: ["admin"] });
  // What is asked on every page is asked in the same way on each: the first shows it, unless all is wanted.
  const startUp =
    isWhole || address === pages[0]![0] ? ["people", "people_roles", "properties"] : [];
  await goTo(address);
  await eventually(() => expect(shownPage()).toBe(heading));
  await eventually(() => expect(queryClient.isFetching()).toBe(0));
  const named = () =>
    queryClient
      .getQueryCache()
      .findAll({ type: "active" })
      // What is asked on every page is judged by what asks it.
      .filter(({ queryKey }) => queryKey[0] !== "start-up" && queryKey[0] !== "notices")
      .flatMap(({ meta }) => meta?.tables ?? []);
  // Parts of a page are fetched by themselves, and then ask.
  await eventually(() => expect([...new Set(named())].toSorted()).toEqual(tables));
  await eventually(() => expect(queryClient.isFetching()).toBe(0));
  for (const table of [...tables, ...startUp]) {
    const before = api.calls.length;
    act(() => FakeStream.change(table));
    await eventually(() => expect(api.calls.length, table).toBeGreaterThan(before));
    await eventually(() => expect(queryClient.isFetching()).toBe(0));
  }
});

test("a list is asked about what may have come into it, and asked for again when it has", async () => {
  let found: object[] = [];
  const { queryClient, goTo, api } = await openConsole({
    roles: ["admin"],
    answers: {
      "GET /api/db/audit_entries": ({ url }) => ({
        body: url.searchParams.get("select") === "id" ? found : [],
      }),
      "GET /api/audit/acts": () => ({ body: { rows: [], total: 0 } }),
    },
  });
  await goTo("/settings/audit?verb=insert");
  await eventually(() => expect(shownPage()).toBe("Audit Log"));
  await eventually(() => expect(queryClient.isFetching()).toBe(0));
  const asked = () =>
    api.calls
      .map((call) => new URL(call.split(" ")[1]!, "http://x"))
      .map(({ pathname, searchParams }) => `${pathname} ${searchParams.get("id") ?? ""}`.trim());
  api.calls.length = 0;
  // Somebody else has another name, and something was deleted.
  act(() => FakeStream.change("people", { ids: ["p9"], verb: "update", columns: ["name"] }));
  act(() => FakeStream.change("audit_entries", { ids: ["a1"], verb: "insert" }));
  await eventually(() => expect(asked()).toEqual(["/api/db/audit_entries in.(a1)"]));
  found = [{ id: "a2" }];
  act(() => FakeStream.change("audit_entries", { ids: ["a2"], verb: "insert" }));
  const all = ["/api/db/audit_entries in.(a1)", "/api/db/audit_entries in.(a2)", "/api/audit/acts"];
  await eventually(() => expect(asked()).toEqual(all));
});

test("what is named is what the server announces", () => {
  const schema = readFileSync(`${import.meta.dirname}/../../../server/db/schema.sql`, "utf8");
  // By the common procedure, or by a trigger of its own.
  const isAnnounced = (table: string) =>
    new RegExp(`announce_insert_of_${table}\\b`).test(schema) ||
    schema.includes(`call announce('${table}'`);
  for (const [, , tables] of pages)
    expect(tables.filter((table) => !isAnnounced(table))).toEqual([]);
});
