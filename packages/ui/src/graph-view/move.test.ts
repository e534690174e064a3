import { expect, test } from "vitest";
import { foldGraph } from "./fold-graph.ts";
import type { Direction } from "./graph.ts";
import { layOutByDagre } from "./layout/dagre-layout.ts";
import { planLayout } from "./layout/plan-layout.ts";
import { type ArrowKey, moveFrom } from "./move.ts";

const placed = (
  ids: readonly string[],
  pairs: readonly string[],
  direction: Direction,
  toggled: readonly string[] = [],
) => {
  const shown = foldGraph(
    ids.map((id) => ({ id, kind: id.replace(/\d+$/, ""), title: id })),
    pairs.map((pair) => ({ from: pair.split(">")[0]!, to: pair.split(">")[1]! })),
    { root: ids[0]!, toggled: new Set(toggled), most: 100 },
  );
  const { task, place } = planLayout(shown, {
    direction,
    rankSeparation: 120,
    nodeSeparation: 100,
  });
  return place(layOutByDagre(task));
};
const walk = (graph: ReturnType<typeof placed>, start: string, keys: readonly ArrowKey[]) =>
  keys.reduce((at, key) => moveFrom(graph, at, key), start);

test("along the edges and back, and from neighbour to neighbour", () => {
  const graph = placed(["a", "b", "c", "d", "up"], ["a>b", "a>c", "b>d", "up>a"], "right");
  expect(walk(graph, "a", ["ArrowLeft"])).toBe("up");
  const [upper, lower] = ["b", "c"].toSorted(
    (one, other) => graph.cards.get(one)!.y - graph.cards.get(other)!.y,
  );
  expect(walk(graph, upper!, ["ArrowDown"])).toBe(lower);
  expect(walk(graph, lower!, ["ArrowUp"])).toBe(upper);
  expect(walk(graph, "b", ["ArrowRight"])).toBe("d");
  expect(walk(graph, "d", ["ArrowLeft", "ArrowLeft", "ArrowLeft"])).toBe("up");
});

test("with layers from above to below the other arrows follow the edges", () => {
  const graph = placed(["a", "b", "c"], ["a>b", "a>c"], "down");
  const first = walk(graph, "a", ["ArrowDown"]);
  expect(["b", "c"]).toContain(first);
  expect(walk(graph, first, ["ArrowUp"])).toBe("a");
  expect(
    walk(graph, first, [
      graph.cards.get(first)!.x < graph.cards.get(first === "b" ? "c" : "b")!.x
        ? "ArrowRight"
        : "ArrowLeft",
    ]),
  ).toBe(first === "b" ? "c" : "b");
});

test("an arrow that leads nowhere stays", () => {
  const graph = placed(["a", "b"], ["a>b"], "right");
  expect(walk(graph, "a", ["ArrowLeft"])).toBe("a");
  expect(walk(graph, "b", ["ArrowRight", "ArrowUp", "ArrowDown"])).toBe("b");
  expect(walk(graph, "gone", ["ArrowRight"])).toBe("gone");
});

test("around a circle every card is reached", () => {
  const graph = placed(["a", "b", "c"], ["a>b", "b>c", "c>a"], "right");
  expect(walk(graph, "a", ["ArrowRight", "ArrowRight"])).toBe("c");
});

test("in a frame the arrows go by rows and columns, and out of it along the edge", () => {
  const ids = ["root", ...Array.from({ length: 12 }, (_, index) => `pod${index}`)];
  const graph = placed(
    ids,
    ids.slice(1).map((id) => `root>${id}`),
    "right",
    [">root/pod"],
  );
  expect(graph.frames).toHaveLength(1);
  const first = graph.cards.get("pod0")!;
  expect(graph.cards.get(walk(graph, "pod0", ["ArrowRight"]))).toMatchObject({ y: first.y });
  expect(walk(graph, "pod0", ["ArrowRight", "ArrowLeft"])).toBe("pod0");
  expect(walk(graph, "pod0", ["ArrowDown", "ArrowUp"])).toBe("pod0");
  expect(walk(graph, "pod0", ["ArrowLeft"])).toBe(">root/pod");
});

test("from the root every card can be reached with the arrows", () => {
  const ids = ["root", ...Array.from({ length: 40 }, (_, index) => `k${index}x`)];
  const pairs = ids.slice(1).map((id, index) => `${ids[Math.floor(index / 3)]}>${id}`);
  const graph = placed(ids, pairs, "right");
  const reached = new Set(["root"]);
  for (const id of reached)
    for (const key of ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"] as const)
      reached.add(moveFrom(graph, id, key));
  expect([...graph.cards.keys()].filter((id) => !reached.has(id))).toEqual([]);
});
