import type { TopologyNode } from "@mainstay/contract/topology-answers.ts";
import { expect, test } from "vitest";
import { toGraph } from "./to-graph.ts";

const node = (name: string, health: TopologyNode["health"], more: Partial<TopologyNode> = {}) =>
  ({
    id: name,
    agent_id: "here",
    external_id: name,
    name,
    status: health,
    health,
    order: 0,
    ...more,
  }) as TopologyNode;

/** shop > web > db, shop > mail, and db below mail as well, by a relationship. */
const tree = (
  shop: TopologyNode["health"],
  web: TopologyNode["health"],
  db: TopologyNode["health"],
) => [
  node("web", web, { parent_id: "shop", parents: ["shop"], children: ["db"] }),
  node("shop", shop, { children: ["web", "mail"], namespace: "default" }),
  node("db", db, {
    parent_id: "web",
    parents: ["web", "mail"],
    type: "Database",
    namespace: "data",
  }),
  node("mail", "healthy", { parent_id: "shop", parents: ["shop"], children: ["db", "gone"] }),
];
const draw = (all: TopologyNode[], options: Partial<Parameters<typeof toGraph>[1]> = {}) =>
  toGraph(all, { rootId: undefined, wanted: undefined, pathOf: (id) => `/x/${id}`, ...options });
const carried = (all: TopologyNode[]) =>
  draw(all).edges.flatMap(({ from, to, carries }) => (carries ? [`${to} ${carries} ${from}`] : []));

test.each<[Parameters<typeof tree>, string[]]>([
  [
    ["unhealthy", "unhealthy", "unhealthy"],
    ["web unhealthy shop", "db unhealthy web"],
  ],
  [
    ["warning", "warning", "unhealthy"],
    ["web warning shop", "db warning web"],
  ],
  // Its own rules forgive what is below it, and what is a little ill makes nobody very ill.
  [["healthy", "unhealthy", "warning"], []],
  [["unhealthy", "warning", "warning"], ["db warning web"]],
  [["healthy", "healthy", "healthy"], []],
])("of %j goes along the edges: %j", (healths, expected) => {
  expect(carried(tree(...healths)).toSorted()).toEqual(expected.toSorted());
});

test("is in the order of names, so that it stands still when health turns", () => {
  const { nodes, edges, root } = draw(tree("healthy", "healthy", "unhealthy"), { rootId: "shop" });
  expect(nodes.map(({ id }) => id)).toEqual(["db", "mail", "shop", "web"]);
  expect(root).toBe("shop");
  expect(nodes[0]).toEqual({
    id: "db",
    kind: "Database",
    icon: undefined,
    title: "db",
    href: "/x/db",
    tone: "unhealthy",
    toneLabel: "Unhealthy",
    note: undefined,
    tags: ["data"],
    isFaint: false,
  });
  expect(nodes[2]).toMatchObject({ kind: "Component", tags: [] });
  expect(edges.map(({ from, to, isSoft }) => `${from} ${to} ${isSoft}`)).toEqual([
    "mail db true",
    "shop web false",
    "shop mail false",
    "web db false",
  ]);
});

test("what is looked for comes with all that leads to it, faintly", () => {
  const { nodes } = draw(tree("healthy", "healthy", "healthy"), { wanted: new Set(["web", "no"]) });
  expect(nodes.map(({ id, isFaint }) => `${id} ${isFaint}`)).toEqual(["shop true", "web false"]);
});

test("a word of its own is said, a word of another health is not", () => {
  const words = draw([
    node("a", "healthy", { status: "unhealthy" }),
    node("b", "unhealthy", { status: "CrashLoopBackOff" }),
  ]).nodes.map(({ toneLabel }) => toneLabel);
  expect(words).toEqual(["Healthy", "CrashLoopBackOff"]);
});
