import fc from "fast-check";
import { expect, test } from "vitest";
import { foldGraph } from "./fold-graph.ts";
import type { GraphEdge, GraphNode } from "./graph.ts";

const node = (id: string, kind = "pod"): GraphNode => ({ id, kind, title: id });
const edge = (from: string, to: string): GraphEdge => ({ from, to });
const all = { root: "root", toggled: new Set<string>(), most: 1_000 };
const pods = (count: number) => Array.from({ length: count }, (_, index) => node(`pod-${index}`));

const drawn = (...args: Parameters<typeof foldGraph>) => {
  const { cards, links, left, leftKinds } = foldGraph(...args);
  return {
    cards: cards.map(({ id }) => id),
    links: links.map(({ from, to }) => `${from} ${to}`),
    left,
    leftKinds,
  };
};

test.each<[count: number, cards: string[]]>([
  [2, ["root", "pod-0", "pod-1"]],
  // Three make a group, and so small a group is open.
  [3, ["root", ">root/pod", "pod-0", "pod-1", "pod-2"]],
  [4, ["root", ">root/pod"]],
])("%d things of one kind", (count, cards) => {
  const nodes = [node("root", "namespace"), ...pods(count)];
  const edges = pods(count).map(({ id }) => edge("root", id));
  expect(drawn(nodes, edges, all).cards).toEqual(cards);
});

test("a group is opened, and one that is open is closed", () => {
  const nodes = [
    node("root", "namespace"),
    ...pods(4),
    node("a", "job"),
    node("b", "job"),
    node("c", "job"),
  ];
  const edges = nodes.slice(1).map(({ id }) => edge("root", id));
  const toggled = new Set([">root/pod", ">root/job"]);
  expect(drawn(nodes, edges, { ...all, toggled })).toMatchObject({
    cards: ["root", ">root/pod", ">root/job", "pod-0", "pod-1", "pod-2", "pod-3"],
    links: [
      "root >root/pod",
      ">root/pod pod-0",
      ">root/pod pod-1",
      ">root/pod pod-2",
      ">root/pod pod-3",
      "root >root/job",
    ],
  });
});

test("what leads to a thing stands in front of it, in a group of its own", () => {
  const nodes = [node("root", "node"), ...pods(4)];
  const edges = pods(4).map(({ id }) => edge(id, "root"));
  expect(drawn(nodes, edges, all)).toMatchObject({
    cards: ["root", "<root/pod"],
    links: ["<root/pod root"],
  });
  expect(drawn(nodes, edges, { ...all, toggled: new Set(["<root/pod"]) }).links).toEqual([
    "<root/pod root",
    ...pods(4).map(({ id }) => `${id} <root/pod`),
  ]);
});

test("kinds and sides are kept apart", () => {
  const nodes = [node("root", "x"), node("a"), node("b"), node("c"), node("d", "job")];
  const edges = [edge("root", "a"), edge("root", "b"), edge("c", "root"), edge("root", "d")];
  expect(drawn(nodes, edges, all).cards).toEqual(["root", "a", "b", "c", "d"]);
});

test("a thing is folded: what only it leads to is away, what others lead to as well is not", () => {
  const nodes = ["root", "a", "b", "deep", "both"].map((id) => node(id, id));
  const edges = [
    edge("root", "a"),
    edge("root", "b"),
    edge("a", "deep"),
    edge("a", "both"),
    edge("b", "both"),
  ];
  const shown = foldGraph(nodes, edges, { ...all, toggled: new Set(["a"]) });
  expect(shown.cards.map(({ id, isOpen }) => [id, isOpen])).toEqual([
    ["root", true],
    ["a", false],
    ["b", true],
    ["both", undefined],
  ]);
  expect(shown.links.map(({ from, to }) => `${from} ${to}`)).toEqual([
    "root a",
    "root b",
    "b both",
  ]);
});

test("circles, ties to oneself and ties to what is not there", () => {
  const nodes = ["root", "a", "b"].map((id) => node(id, id));
  const edges = [
    edge("root", "a"),
    edge("a", "b"),
    edge("b", "root"),
    edge("a", "a"),
    edge("a", "gone"),
  ];
  expect(drawn(nodes, edges, all)).toMatchObject({
    cards: ["root", "a", "b"],
    links: ["root a", "b root", "a b"],
  });
});

test("a group carries the worst of what its own carry, and where a graph begins at many places they stand side by side", () => {
  const nodes = [node("a", "ns"), node("b", "ns"), node("c", "ns"), ...pods(4)];
  const edges = pods(4).map(({ id }, index): GraphEdge => ({
    ...edge("a", id),
    ...(index === 1 && { carries: "warning" }),
    ...(index === 2 && { carries: "unhealthy" }),
  }));
  const { cards, links } = foldGraph(
    nodes,
    [...edges, { ...edge("a", "b"), carries: "warning" }, edge("a", "b")],
    {
      ...all,
      root: undefined,
    },
  );
  expect(cards.map(({ id }) => id)).toEqual(["a", ">a/pod", "c", "b"]);
  expect(links.map(({ to, carries }) => [to, carries])).toEqual([
    [">a/pod", "unhealthy"],
    ["b", "warning"],
  ]);
});

test("two ties between the same things are one, and soft when both are", () => {
  const nodes = ["root", "a", "b"].map((id) => node(id, id));
  const edges: GraphEdge[] = [
    { from: "root", to: "a", isSoft: true, label: "Mounts" },
    { from: "root", to: "a", label: "Owns" },
    { from: "root", to: "b", isSoft: true, label: "Mounts" },
    { from: "root", to: "b", isSoft: true, label: "Mounts" },
  ];
  expect(foldGraph(nodes, edges, all).links).toEqual([
    { from: "root", to: "a", isSoft: false, label: "Mounts, Owns" },
    { from: "root", to: "b", isSoft: true, label: "Mounts" },
  ]);
});

test("what does not hang together with the root stands beside it, where many, as a group", () => {
  const nodes = [node("root", "x"), ...pods(5), node("a", "job"), node("b", "job")];
  expect(drawn(nodes, [edge("b", "a")], all)).toMatchObject({
    cards: ["root", ">/pod", "b", "a"],
    links: ["b a"],
  });
  expect(drawn(nodes, [edge("a", "b"), edge("b", "a")], all).cards).toEqual([
    "root",
    ">/pod",
    "a",
    "b",
  ]);
});

test("the nearest are drawn, and what is left out is told by kind", () => {
  const nodes = [node("root", "x"), ...pods(6), ...["a", "b"].map((id) => node(id, "job"))];
  const edges = [
    ...pods(6).map(({ id }) => edge("root", id)),
    edge("pod-0", "a"),
    edge("pod-1", "b"),
  ];
  const toggled = new Set([">root/pod"]);
  expect(drawn(nodes, edges, { ...all, toggled, most: 4 })).toEqual({
    cards: ["root", ">root/pod", "pod-0", "pod-1"],
    links: ["root >root/pod", ">root/pod pod-0", ">root/pod pod-1"],
    left: 6,
    leftKinds: [
      ["pod", 4],
      ["job", 2],
    ],
  });
});

test("a group tells how its things are, the worst first", () => {
  const tones = ["healthy", "unhealthy", "healthy", undefined, "warning"] as const;
  const nodes = [
    node("root", "x"),
    ...tones.map((tone, index) => ({ ...node(`p${index}`), tone })),
  ];
  const edges = tones.map((_, index) => edge("root", `p${index}`));
  expect(foldGraph(nodes, edges, all).cards[1]).toMatchObject({
    count: 5,
    tones: [
      ["unhealthy", 1],
      ["warning", 1],
      ["healthy", 2],
    ],
  });
});

test("whatever the graph: each thing once, links between cards only, and all of it when all is open", () => {
  const graph = fc.integer({ min: 1, max: 12 }).chain((count) =>
    fc.record({
      kinds: fc.array(fc.constantFrom("a", "b"), { minLength: count, maxLength: count }),
      pairs: fc.array(fc.tuple(fc.nat(count - 1), fc.nat(count - 1)), { maxLength: 40 }),
    }),
  );
  fc.assert(
    fc.property(graph, ({ kinds, pairs }) => {
      const nodes = kinds.map((kind, index) => node(String(index), kind));
      const edges = pairs.map(([from, to]) => edge(String(from), String(to)));
      let toggled = new Set<string>();
      // Every group is opened, and those that this brings to light.
      for (let closed = 1; closed > 0;) {
        const { cards } = foldGraph(nodes, edges, { root: "0", toggled, most: 1_000 });
        const shut = cards.filter((card) => card.type === "group" && !card.isOpen);
        closed = shut.length;
        toggled = new Set([...toggled, ...shut.map(({ id }) => id)]);
      }
      const { cards, links, left } = foldGraph(nodes, edges, { root: "0", toggled, most: 1_000 });
      const ids = cards.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(left).toBe(0);
      expect(ids.filter((id) => !/^[<>]/.test(id)).toSorted()).toEqual(
        nodes.map(({ id }) => id).toSorted(),
      );
      for (const { from, to } of links) expect(ids).toEqual(expect.arrayContaining([from, to]));
      const some = foldGraph(nodes, edges, { root: "0", toggled, most: 3 });
      expect(some.cards.length).toBe(Math.min(3, cards.length));
    }),
  );
});

test("twenty thousand things are folded in a moment", () => {
  const nodes = [
    node("root", "x"),
    ...Array.from({ length: 20_000 }, (_, index) => node(`n${index}`, `k${index % 40}`)),
  ];
  const edges = nodes
    .slice(1)
    .map(({ id }, index) => edge(index < 200 ? "root" : `n${index % 200}`, id));
  const { cards, left } = foldGraph(nodes, edges, all);
  expect(cards.length + left).toBeGreaterThan(40);
});
