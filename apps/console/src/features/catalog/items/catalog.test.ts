import { expect, test } from "vitest";
import { addressOf } from "#lib/db.ts";
import { catalogCodec, layoutOf } from "./catalog-view.ts";
import { groupedItemRows, summaryRows, type CatalogRow } from "./catalog-rows.ts";
import { asMatchList, findItems } from "./item-filter.ts";
import type { ListedItem } from "./queries.ts";

const viewOf = (search: string) =>
  catalogCodec.parse(Object.fromEntries(new URLSearchParams(search)));

test.each([
  ["", "summary"],
  ["configType=all", "summary"],
  ["health=unhealthy:1&groupBy=cluster__tag", "summary"],
  ["configType=Kubernetes__Pod", "list"],
  ["search=web", "list"],
  ["search=web&groupBy=config_class,type", "list"],
  ["search=web&groupBy=type", "groups"],
  ["groupBy=name", "groups"],
  ["groupBy=nonsense", "summary"],
])("the address %j is shown as %s", (search, layout) => {
  expect(layoutOf(viewOf(search))).toBe(layout);
});

test("a view is written as it was read, and nothing that is as usual", () => {
  const text =
    "configType=A::B&search=x&labels=app=a____b:1,env=dev:-1&status=Running:-1&groupBy=cluster__tag,type&sortBy=changes&sortOrder=desc&expanded=AWS:-1";
  const view = viewOf(text.replaceAll("=a____b", "%3Da____b").replaceAll("=dev", "%3Ddev"));
  expect(view.labels).toEqual(
    new Map([
      ["app=a:b", 1],
      ["env=dev", -1],
    ]),
  );
  expect(catalogCodec.parse(catalogCodec.format(view) as Record<string, string>)).toEqual(view);
  expect(Object.values(catalogCodec.format(viewOf("")))).toEqual(
    Object.values(catalogCodec.format(viewOf(""))).map(() => undefined),
  );
});

const asked = (search: string, hideDeleted = true) => {
  const address = addressOf("configs", {
    ...findItems({ ...viewOf(search), hideDeleted }, new Set(["cluster"])),
  });
  return [...new URL(address, "http://x").searchParams].map(([name, text]) => `${name}=${text}`);
};

test.each<[search: string, hideDeleted: boolean, conditions: readonly string[]]>([
  ["", false, []],
  ["configType=A::B", true, ["type=eq.A::B", "deleted_at=is.null"]],
  ["search=name%3Da,b%20x", false, ["search=name=a,b x"]],
  // Of what is excluded, what has nothing there is not excluded.
  ["status=Running:1,Dead:1", false, ["or=(status.in.(Running,Dead))"]],
  ["status=Running:-1", false, ["or=(status.not.in.(Running),status.is.null)"]],
  ["labels=app%3Dweb", false, ['or=(labels->>"app".eq."web")']],
  ["labels=app%3Dweb:-1", false, ['or=(labels->>"app".not.eq."web",labels->>"app".is.null)']],
  ["labels=app%3D:1", false, ['or=(labels->>"app".is.null)']],
  // A tag is found by its index.
  ["labels=cluster%3Deu", false, [String.raw`or=(tags.cs."{\"cluster\":\"eu\"}")`]],
])("%s is asked as %s %j", (search, hideDeleted, conditions) => {
  expect(asked(search, hideDeleted)).toEqual(conditions);
});

test("a value of the summary's filter means itself", () => {
  expect(
    asMatchList(
      new Map([
        ["a*,!b", 1],
        ["c", -1],
      ]),
    ),
  ).toBe("a%2A%2C%21b,!c");
});

const group = (type: string, more: Record<string, unknown> = {}) => ({
  type,
  count: 2,
  health: { healthy: 1, unhealthy: 1 },
  created_at: "2026-01-01T00:00:00Z",
  updated_at: null,
  changes: 3,
  analysis: { cost: 1 },
  cost_total_30d: 5,
  ...more,
});
const shown = (rows: readonly CatalogRow[]) =>
  rows.map((row) =>
    row.kind === "group"
      ? `${"  ".repeat(row.level - 1)}${row.label} ${row.numbers.count}${row.isOpen === undefined ? "" : row.isOpen ? " open" : " closed"}`
      : row.kind === "item"
        ? `${"  ".repeat(row.level - 1)}- ${row.item.name}`
        : "pending",
  );

test("types stand beneath their providers, whose numbers are theirs together", () => {
  const rows = summaryRows(
    [
      group("Kubernetes::Pod"),
      group("AWS::EC2::Instance"),
      group("Kubernetes::Node", { count: 1 }),
    ],
    viewOf(""),
  );
  expect(shown(rows)).toEqual([
    "AWS 2 open",
    "  AWS::EC2::Instance 2",
    "Kubernetes 3 open",
    "  Kubernetes::Node 1",
    "  Kubernetes::Pod 2",
  ]);
  expect(rows[2]).toMatchObject({
    numbers: {
      changes: 6,
      analysis: { cost: 2 },
      cost_total_30d: 10,
      health: { healthy: 2, warning: 0, unhealthy: 2, unknown: 0 },
    },
  });
  expect(rows[1]).toMatchObject({ leads: { configType: "AWS::EC2::Instance" } });
  expect(shown(summaryRows([group("A::B")], viewOf("expanded=A:-1")))).toEqual(["A 2 closed"]);
});

test("by a tag: what has it not stands together, and a type leads to the items with that tag", () => {
  const rows = summaryRows(
    [group("A::B", { cluster: "eu" }), group("A::B", { cluster: null, count: 9 })],
    viewOf("groupBy=cluster__tag,type&sortBy=count&sortOrder=desc"),
  );
  expect(shown(rows)).toEqual(["(none) 9 open", "  A::B 9", "eu 2 open", "  A::B 2"]);
  expect(rows[1]).toMatchObject({
    leads: { configType: "A::B", labels: new Map([["cluster=", 1]]) },
  });
  expect(rows[3]).toMatchObject({ leads: { labels: new Map([["cluster=eu", 1]]) } });
});

test("what is wrong counts where groups are sorted by health", () => {
  const groups = [
    group("A::A", { health: { healthy: 9 } }),
    group("A::B", { health: { unhealthy: 1 } }),
  ];
  const rows = summaryRows(groups, viewOf("groupBy=type&sortBy=health&sortOrder=desc"));
  expect(shown(rows)).toEqual(["A::B 2", "A::A 2"]);
});

const item = (name: string, more: Partial<ListedItem> = {}): ListedItem => ({
  id: `id-${name}`,
  name,
  type: "A::B",
  config_class: "B",
  status: null,
  health: "healthy",
  description: null,
  labels: null,
  tags: null,
  created_at: null,
  updated_at: null,
  deleted_at: null,
  last_scraped_time: null,
  cost_total_1d: null,
  cost_total_7d: null,
  cost_total_30d: null,
  changes: null,
  analysis: null,
  agent: null,
  ...more,
});

test.each<[groupBy: string, lines: readonly string[]]>([
  ["name", ["one 2 open", "  - one", "  - one", "two 1 open", "  - two"]],
  [
    "changed",
    [
      "Changed in the last 30 days 1 open",
      "  - one",
      "Not changed in 30 days 2 open",
      "  - two",
      "  - one",
    ],
  ],
  ["analysis", ["cost, security 1 open", "  - two", "No insights 2 open", "  - one", "  - one"]],
  [
    "zone__tag,name",
    [
      "(none) 2 open",
      "  one 1 open",
      "    - one",
      "  two 1 open",
      "    - two",
      "eu 1 open",
      "  one 1 open",
      "    - one",
    ],
  ],
])("items are grouped by %s", (groupBy, lines) => {
  const items = [
    item("one", { changes: [{ change_type: "diff", severity: "info", total: 2 }] }),
    item("two", { analysis: { security: 1, cost: 2 } }),
    item("one", { tags: { zone: "eu" } }),
  ];
  expect(shown(groupedItemRows(items, viewOf(`groupBy=${groupBy}`)))).toEqual(lines);
});
