import { describe, expect, test } from "vitest";
import { parseTriStateFilter } from "@mainstay/ui/filters/tri-state-filter.ts";
import { findRelated, optionsOf, type RelatedFilter } from "./find-related.ts";
import type { RelatedItem } from "./queries.ts";
import { relationshipsCodec, unfiltered } from "./relationships-view.ts";
import { toGraph } from "./to-graph.ts";

const item = (
  id: string,
  relations: Readonly<Record<string, readonly string[]>> = {},
  more: Partial<RelatedItem> = {},
): RelatedItem => ({
  id,
  name: id,
  type: "Kubernetes::Pod",
  related_ids: Object.keys(relations),
  relations,
  tags: null,
  labels: null,
  status: null,
  health: null,
  changes: null,
  analysis: null,
  cost_total_1d: null,
  cost_total_7d: null,
  cost_total_30d: null,
  created_at: null,
  updated_at: null,
  deleted_at: null,
  is_partial: false,
  ...more,
});

/** cluster ─ namespace ─ web, db by parents; web → secret softly, node → web, and a tie to what was not read. */
const rows = [
  item("cluster", { namespace: ["hard"] }, { type: "Kubernetes::Cluster" }),
  item("namespace", { web: ["hard"], db: ["hard"] }, { type: "Kubernetes::Namespace" }),
  item(
    "web",
    { secret: ["PodSecret"], far: ["hard"] },
    { health: "unhealthy", status: "CrashLoop", labels: { app: "web", tier: "front" } },
  ),
  item("db", {}, { health: "healthy", status: "Running", labels: { app: "db" } }),
  item("secret", {}, { type: "Kubernetes::Secret", tags: { namespace: "shop", cluster: "prod" } }),
  item("node", { web: ["NodePod"] }, { type: "Kubernetes::Node" }),
];
const filter = (changes: Partial<Record<keyof RelatedFilter, string>>): RelatedFilter => ({
  ...unfiltered,
  ...Object.fromEntries(
    Object.entries(changes).map(([name, text]) => [name, parseTriStateFilter(text)]),
  ),
});

test.each<[Partial<Record<keyof RelatedFilter, string>>, found: string[], faint: string[]]>([
  [{}, ["namespace", "web", "db", "secret", "node"], []],
  // What leads there stays.
  [{ health: "unhealthy:1" }, ["web"], ["namespace"]],
  [{ configTypes: "Kubernetes________Secret:1" }, ["secret"], ["web", "namespace"]],
  [{ configTypes: "Kubernetes________Pod:-1" }, ["namespace", "secret", "node"], ["web"]],
  [{ status: "Running:1,CrashLoop:1" }, ["web", "db"], ["namespace"]],
  [{ status: "Running:-1" }, ["namespace", "web", "secret", "node"], []],
  [{ health: "unknown:1" }, ["namespace", "secret", "node"], ["web"]],
  [{ labels: "app=web:1,tier=front:1" }, ["web"], ["namespace"]],
  [{ labels: "app=web:1,tier=back:1" }, [], []],
  [{ labels: "app=web:1,app=db:1" }, ["web", "db"], ["namespace"]],
  [{ tags: "namespace=shop:1" }, ["secret"], ["web", "namespace"]],
  // By names of ties: only what such ties lead to.
  [{ relationship: "hard:1" }, ["namespace", "web", "db"], []],
  [{ relationship: "PodSecret:-1" }, ["namespace", "web", "db", "node"], []],
])("%j finds %j by way of %j", (asked, found, faint) => {
  const related = findRelated(rows, "cluster", filter(asked));
  expect(related.found.map(({ id }) => id)).toEqual(found);
  expect([...related.faint]).toEqual(faint);
  expect(related.items.map(({ id }) => id).toSorted()).toEqual(
    ["cluster", ...found, ...faint].toSorted(),
  );
});

test("what can be chosen is what there is, and what is chosen", () => {
  const { configTypes, relationship, labels, health } = optionsOf(
    rows,
    filter({ configTypes: "Gone:1" }),
  );
  expect(configTypes).toEqual([
    "Gone",
    "Kubernetes::Cluster",
    "Kubernetes::Namespace",
    "Kubernetes::Node",
    "Kubernetes::Pod",
    "Kubernetes::Secret",
  ]);
  expect(relationship).toEqual(["NodePod", "PodSecret", "hard"]);
  expect(labels).toEqual(["app=db", "app=web", "tier=front"]);
  expect(health).toEqual(["healthy", "unhealthy", "unknown"]);
});

describe("as a graph", () => {
  test("ties among what was read, soft ones with their names", () => {
    const { nodes, edges, root } = toGraph(findRelated(rows, "cluster", filter({})), "cluster");
    expect(root).toBe("cluster");
    expect(nodes).toHaveLength(6);
    expect(edges).toContainEqual({ from: "namespace", to: "web", isSoft: false, label: "parent" });
    expect(edges).toContainEqual({ from: "web", to: "secret", isSoft: true, label: "PodSecret" });
    expect(edges.map(({ to }) => to)).not.toContain("far");
  });

  test("what a card says", () => {
    const related = findRelated(
      [
        item("root", { "0190-aaaaaaaaaaaa": ["hard"] }),
        item(
          "0190-aaaaaaaaaaaa",
          {},
          {
            name: "web-1",
            health: "warning",
            status: "Pending",
            changes: [
              { change_type: "diff", severity: "info", total: 1_200 },
              { change_type: "BackOff", severity: "high", total: 34 },
            ],
            tags: { zone: "a", cluster: "prod", namespace: "shop" },
            deleted_at: "2026-01-01T00:00:00Z",
          },
        ),
      ],
      "root",
      filter({}),
    );
    expect(toGraph(related, "root").nodes[1]).toEqual({
      id: "aaaaaaaaaaaa",
      kind: "Kubernetes::Pod",
      title: "web-1",
      href: "/catalog/0190-aaaaaaaaaaaa",
      tone: "warning",
      toneLabel: "Pending",
      note: "1k+ changes",
      tags: ["shop", "prod"],
      isGone: true,
      isFaint: false,
    });
  });

  test("ids whose ends are alike are written whole", () => {
    const related = findRelated(
      [item("1-bbbbbbbbbbbb", { "2-bbbbbbbbbbbb": ["hard"] }), item("2-bbbbbbbbbbbb")],
      "1-bbbbbbbbbbbb",
      filter({}),
    );
    const { root, edges } = toGraph(related, "1-bbbbbbbbbbbb");
    expect([root, edges[0]?.to]).toEqual(["1-bbbbbbbbbbbb", "2-bbbbbbbbbbbb"]);
  });
});

describe("in the address", () => {
  const view = (text: string) =>
    relationshipsCodec.parse(Object.fromEntries(new URLSearchParams(text)));

  test("document 2, section 2: outgoing unless it is switched off, the others when they are on", () => {
    expect(view("")).toMatchObject({
      outgoing: true,
      incoming: false,
      soft: false,
      isGraph: false,
    });
    expect(view("outgoing=false&incoming=true&relation=soft&view=Graph")).toMatchObject({
      outgoing: false,
      incoming: true,
      soft: true,
      isGraph: true,
    });
    expect(view("relation=hard").soft).toBe(false);
    expect([...view("configTypes=AWS__EC2:-1").configTypes]).toEqual([["AWS::EC2", -1]]);
  });

  test("what is usual is not written, and what is written is read", () => {
    expect(Object.values(relationshipsCodec.format(view(""))).filter(Boolean)).toEqual([]);
    const text =
      "outgoing=false&incoming=true&relation=soft&view=graph&configTypes=A________B:1&labels=app=web:1&tag=zone=a:-1&relationship=hard:1&status=x:1&health=unhealthy:1&sortBy=name&sortOrder=desc&direction=down&edges=smoothstep&cards=2000&reach=20000&toggled=abc,%253Eabc%252FA%253A%253AB";
    const written = Object.fromEntries(
      Object.entries(relationshipsCodec.format(view(text))).filter(
        ([, value]) => value !== undefined,
      ),
    );
    expect(written).toEqual(Object.fromEntries(new URLSearchParams(text)));
    expect([...view(text).toggled]).toEqual(["abc", ">abc/A::B"]);
  });

  test("nonsense is as usual, and more folded cards than an address holds lose the oldest", () => {
    expect(view("cards=many&reach=5&toggled=%25E0%25A4%25A&direction=up")).toMatchObject({
      most: 1_000,
      reach: 2_000,
      direction: "right",
    });
    const many = new Set(Array.from({ length: 900 }, (_, index) => `card-${index}`));
    const { toggled } = relationshipsCodec.format({ ...view(""), toggled: many });
    expect(toggled!.length).toBeLessThan(4_000);
    expect(toggled).toMatch(/card-899$/);
  });
});
