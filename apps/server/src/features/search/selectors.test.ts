import { readFileSync } from "node:fs";
import {
  changeSearchFields,
  insightSearchFields,
  itemSearchFields,
  type ResourceSelector,
} from "@mainstay/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import sql from "sql-template-tag";
import { features } from "../../features.ts";
import { searchedChanges, searchedInsights } from "../catalog/row-searches.ts";
import { searchCondition, selectorCondition, selectResources } from "./compile-selector.ts";
import {
  createSelectable,
  frontId,
  kindNamed,
  kinds,
  now,
  remote,
  type Selectable,
} from "./testing/selectable.ts";

let resources: Selectable;
beforeAll(async () => {
  resources = await createSelectable();
});
afterAll(() => resources.drop());

describe("configs and components", () => {
  test.each<[string, ResourceSelector, string[]]>([
    ["configs", { search: "type=pod" }, ["web-1"]],
    ["configs", { search: "type=pod*" }, ["budget", "web-1"]],
    ["configs", { search: "config_type=Kubernetes::Pod" }, ["web-1"]],
    ["configs", { types: ["Kubernetes::*"] }, ["budget", "web-1"]],
    ["configs", { search: "type=ec2" }, []],
    ["configs", { namespace: "shop" }, ["web-1"]],
    ["configs", { search: "namespace=shop,bank" }, ["budget", "web-1"]],
    ["configs", { search: "tags.zone=a" }, ["web-1"]],
    ["configs", { search: "!tags.zone" }, ["budget", "vm"]],
    ["configs", { tagSelector: "namespace in (shop,bank),zone" }, ["web-1"]],
    ["configs", { labelSelector: "app=db" }, ["vm"]],
    ["configs", { health: "unknown" }, ["web-1"]],
    ["configs", { search: "health=!healthy,!unknown" }, ["vm"]],
    ["configs", { search: "external_id=alias" }, ["web-1"]],
    ["configs", { search: "external_id!=alias" }, ["budget", "vm"]],
    ["configs", { search: "config.spec.replicas>2 config.spec.image=nginx*" }, ["web-1"]],
    ["configs", { search: "properties.owner=ada" }, ["web-1"]],
    ["configs", { search: "owner=ada" }, ["web-1"]],
    ["configs", { search: "properties.cpu>200" }, ["web-1"]],
    ["configs", { search: "properties.owner" }, ["web-1"]],
    ["configs", { search: "!properties.owner" }, ["budget", "vm"]],
    ["configs", { fieldSelector: "config_class=Pod,health=healthy" }, ["budget"]],
    ["configs", { fieldSelector: "owner=Ada" }, ["web-1"]],
    ["configs", { fieldSelector: "owner in (Ada,Grace)" }, ["web-1"]],
    ["configs", { fieldSelector: "!owner" }, ["budget", "vm"]],
    ["configs", { fieldSelector: "health,config_class!=Pod" }, ["vm"]],
    ["components", { search: "check" }, ["Checkout"]],
    ["components", { search: "component_type=service" }, ["Checkout"]],
    ["components", { search: "summary.healthy>=4" }, ["Checkout"]],
    ["components", { search: "owner=x" }, []],
    ["components", { search: "properties.owner=grace" }, ["Checkout"]],
    ["components", { health: ["healthy"] }, ["Ledger"]],
    ["components", { statuses: ["info"] }, ["Checkout"]],
    ["components", { fieldSelector: "external_id=c2" }, ["Ledger"]],
    ["components", { labelSelector: "tier" }, ["Checkout"]],
  ])("%s %j: %j", async (kind, selector, names) => {
    expect(await resources.selected(kind, selector)).toEqual(names);
  });
});

describe("what is wrong is named with its place", () => {
  test.each<[string, ResourceSelector, string]>([
    [
      "checks",
      { search: "name=" },
      'checks.0.search, character 6: expected a value after "name=", but the text ends.',
    ],
    [
      "checks",
      { search: "a\n  (b" },
      'checks.0.search, line 2, character 3: this "(" is never closed.',
    ],
    [
      "checks",
      { search: "colour=red" },
      "checks.0.search, character 1: there is no field colour here; there are id, name,",
    ],
    ["checks", { search: "tags.zone=a" }, "there is no field tags.zone"],
    ["checks", { search: "labels=a" }, "there is no field labels here"],
    ["checks", { search: "id=abc" }, 'character 4: "abc" is not an id'],
    ["checks", { search: "name>a" }, "name is compared with = and != only"],
    ["checks", { search: "created_at>yesterday" }, 'character 12: "yesterday" is no date'],
    ["checks", { search: "created_at=now*" }, '"now*" is no date'],
    ["checks", { search: "labels.weight>heavy" }, "labels.weight> needs a number"],
    ["checks", { search: "@order=labels" }, "there is no field labels here"],
    ["checks", { search: "@order=constructor" }, "there is no field constructor here"],
    [
      "configs",
      { search: `related=${frontId},direction=incoming` },
      "character 1: related= is not supported yet",
    ],
    ["checks", { id: "x" }, 'checks.0.id, character 1: "x" is not an id.'],
    ["checks", { scope: "web" }, "expected the id of a canary, or its namespace/name"],
    ["components", { scope: "web/x" }, "a topology is found by its id only"],
    ["checks", { tagSelector: "a=b" }, "checks have no tags"],
    ["checks", { fieldSelector: "a=b" }, "field selectors do not apply to checks"],
    [
      "checks",
      { labelSelector: "a=b,," },
      'checks.0.labelSelector, character 5: expected a key instead of ","',
    ],
    ["configs", { fieldSelector: "id=x" }, '"x" is not an id'],
  ])("%s %j: %s", (kind, selector, message) => {
    expect(() => selectorCondition(kindNamed(kind), [selector], { now })).toThrow(message);
  });

  test("the second selector is called the second", () => {
    const wrong = () =>
      selectorCondition(kindNamed("checks"), [{ name: "a" }, { id: "x" }], { now });
    expect(wrong).toThrow(
      expect.objectContaining({
        issues: [expect.objectContaining({ path: "checks.1.id", line: 1, column: 1 })],
      }),
    );
  });
});

describe("a listing", () => {
  const listed = async (limit: number, ...selectors: ResourceSelector[]) => {
    const statement = selectResources(kindNamed("checks"), selectors, {
      columns: sql`name`,
      limit,
      now,
    });
    return (
      statement && (await resources.db.rows<{ name: string }>(statement)).map(({ name }) => name)
    );
  };

  test("is in the order that was asked for, else by name", async () => {
    expect(await listed(10, { namespace: "web" })).toEqual(["front door", "Front page"]);
    expect(await listed(10, { namespace: "web", search: "@order=-name" })).toEqual([
      "Front page",
      "front door",
    ]);
    expect(await listed(10, { search: "name=vault,front* sort=created_at" })).toEqual([
      "Vault",
      "front door",
      "Front page",
    ]);
    expect(await listed(10, { search: "labels.team @order=-labels.team" })).toEqual([
      expect.any(String),
      "Front page",
      "front door",
    ]);
  });

  test("has as many rows as everybody allows", async () => {
    expect(await listed(1, { namespace: "web" })).toEqual(["front door"]);
    expect(await listed(10, { namespace: "web", limit: 1, search: "limit=2" })).toEqual([
      "front door",
    ]);
    expect(await listed(10, { search: "front limit=1 offset=1" })).toEqual(["Front page"]);
    expect(await listed(1, { search: "vault; front" })).toEqual(["front door"]);
    expect(await listed(10, { search: "vault; front limit=1; vault" })).toEqual([
      "front door",
      "Vault",
    ]);
    expect(await listed(10, {})).toBeUndefined();
  });
});

test.each([
  ["items", kindNamed("configs"), itemSearchFields],
  ["changes", searchedChanges, changeSearchFields],
  ["insights", searchedInsights, insightSearchFields],
])(
  "every field of %s that is offered and documented is known, under each of its names",
  (called, kind, fields) => {
    const documented = readFileSync(
      new URL("../../../../../docs/search.md", import.meta.url),
      "utf8",
    )
      .split("\n## ")
      .find((section) => section.startsWith(`Fields of ${called}`))!;
    for (const { name, aliases = [], example, kind: of, values } of fields) {
      expect(documented).toContain(`| \`${name}\` |`);
      const operators = of === "number" || of === "moment" ? ["=", ">", "<="] : ["=", "!="];
      const value = values?.[0] ?? (["id", "config_id", "parent"].includes(name) ? remote : "x");
      for (const called of [name, ...aliases])
        for (const operator of operators) {
          const key = called === "config" ? "name" : "a";
          const text =
            of === "key" ? `${called}:${key}${operator}x` : `${called}${operator}${value}`;
          const condition = searchCondition(kind, text, { now })!;
          // What is no field of items is looked up among their properties, whose name is a value then.
          if (of !== "key") expect([text, condition.values]).not.toEqual([text, [called, value]]);
        }
      expect(searchCondition(kind, example, { now })).toBeDefined();
    }
  },
);

/** Tables that more people may read a part of; whoever may search them reads all of it here. */
const shownWhole: Readonly<Record<string, string>> = { components: "topology" };

test("nothing is searched that the data API would not show", () => {
  const tables = features.flatMap((feature) => feature.tables ?? []);
  for (const { table, fields, maps, hasProperties, read } of kinds.values()) {
    const shown = tables.find(({ name }) => name === (shownWhole[table] ?? table))!;
    expect(shown.read).toBe(read);
    const hidden = [...(shown.hidden ?? []), ...(shown.secret ?? [])];
    const searched = [...Object.keys(fields), ...maps, ...(hasProperties ? ["properties"] : [])];
    expect(searched.filter((column) => hidden.includes(column))).toEqual([]);
    expect(shown.rowRule).toBeUndefined();
  }
});
