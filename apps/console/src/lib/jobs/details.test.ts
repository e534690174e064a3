import { expect, test } from "vitest";
import { readDetails, tabsOf } from "./details.ts";

const tabs = (details: unknown) => tabsOf(readDetails(details)).map(({ label }) => label);

test.each<[string, unknown, string[]]>([
  ["nothing", null, []],
  ["a count of runs alone", { runs: 60 }, []],
  ["empty parts", { errors: [], scrape_summary: {}, summary: {} }, []],
  ["something else", "text", []],
  ["errors", { errors: ["no"] }, ["Errors"]],
  [
    "all",
    { errors: "no", scrape_summary: { Pod: { added: 1 } }, summary: { checks: { success: 2 } } },
    ["Errors", "Scrape Summary", "Reconcile Summary"],
  ],
])("of %s these tabs are shown", (_name, details, expected) => {
  expect(tabs(details)).toEqual(expected);
});

test.each<[unknown, string[]]>([
  ["one", ["one"]],
  [
    ["one", "two"],
    ["one", "two"],
  ],
  [{ a: { error: { error: "deep" } } }, ["a: deep"]],
  [{ a: { error: "flat" }, b: null }, ["a: flat"]],
  [[{ code: 1 }], ["code: 1"]],
])("errors %j are read", (errors, expected) => {
  expect(readDetails({ errors }).errors).toEqual(expected);
});

test("counts are lined up, changes summed, warnings kept with their line", () => {
  const { scrape } = readDetails({
    scrape_summary: {
      "Kubernetes::Pod": {
        added: 2,
        updated: 1_200,
        change: { orphaned: { Deleted: 1, Healthy: 2 } },
        warnings: ["slow"],
      },
      Node: { unchanged: 3 },
    },
  });
  expect(scrape?.columns).toEqual(["added", "updated", "orphaned", "unchanged"]);
  expect(scrape?.lines).toEqual([
    { name: "Kubernetes::Pod", cells: ["2", (1_200).toLocaleString(), "3", ""], notes: ["slow"] },
    { name: "Node", cells: ["", "", "", "3"], notes: [] },
  ]);
});
