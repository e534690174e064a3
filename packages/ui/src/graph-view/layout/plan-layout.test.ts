import { expect, test } from "vitest";
import { foldGraph } from "../fold-graph.ts";
import type { Direction } from "../graph.ts";
import { layOutByDagre } from "./dagre-layout.ts";
import { planLayout } from "./plan-layout.ts";

const fan = (many: number, isIncoming = false) => {
  const ids = Array.from({ length: many }, (_, index) => `n${index}`);
  const nodes = ["root", ...ids].map((id) => ({
    id,
    kind: id === "root" ? "x" : "pod",
    title: id,
  }));
  const edges = ids.map((id) => (isIncoming ? { from: id, to: "root" } : { from: "root", to: id }));
  const toggled = new Set(many > 3 ? [isIncoming ? "<root/pod" : ">root/pod"] : []);
  return foldGraph(nodes, edges, { root: "root", toggled, most: 5_000 });
};
const plan = (shown: ReturnType<typeof fan>, direction: Direction = "right") => {
  const { task, place } = planLayout(shown, {
    direction,
    rankSeparation: 120,
    nodeSeparation: 100,
  });
  return { task, placed: place(layOutByDagre(task)) };
};

test("a few stand in a layer, each with its line", () => {
  const { task, placed } = plan(fan(5));
  expect(task.boxes).toHaveLength(7);
  expect(placed.frames).toEqual([]);
  expect(placed.lines).toHaveLength(6);
  expect(new Set([...placed.cards.values()].map(({ x }) => x)).size).toBe(3);
});

test.each([
  [false, "right"],
  [true, "right"],
  [false, "down"],
] as const)(
  "many stand in a frame, in rows, with one line to it (%s, %s)",
  (isIncoming, direction) => {
    const { task, placed } = plan(fan(1_000, isIncoming), direction);
    expect(task.boxes).toHaveLength(3);
    const [frame] = placed.frames;
    expect(frame!.width / frame!.height).toBeCloseTo(1, 0);
    expect(placed.lines).toHaveLength(2);
    expect(placed.links).toHaveLength(1_001);
    const members = [...placed.cards.values()].filter((card) => card.frame !== undefined);
    expect(members).toHaveLength(1_000);
    expect(new Set(members.map(({ x, y }) => `${x} ${y}`)).size).toBe(1_000);
    for (const { x, y, width, height } of members) {
      expect(x).toBeGreaterThanOrEqual(frame!.x);
      expect(y).toBeGreaterThanOrEqual(frame!.y);
      expect(x + width).toBeLessThanOrEqual(frame!.x + frame!.width);
      expect(y + height).toBeLessThanOrEqual(frame!.y + frame!.height);
    }
    const root = placed.cards.get("root")!;
    if (direction === "down") expect(frame!.y).toBeGreaterThan(root.y);
    else expect(frame!.x < root.x).toBe(isIncoming);
  },
);

test("nothing lies left of or above the corner, and the size holds all", () => {
  const { placed } = plan(fan(30));
  const all = [...placed.cards.values(), ...placed.frames];
  expect(Math.min(...all.map(({ x }) => x))).toBe(0);
  expect(Math.min(...all.map(({ y }) => y))).toBe(0);
  expect(placed.width).toBe(Math.max(...all.map(({ x, width }) => x + width)));
  expect(placed.height).toBe(Math.max(...all.map(({ y, height }) => y + height)));
});

test("what is folded stands outside of a frame: more may come of it", () => {
  const ids = Array.from({ length: 12 }, (_, index) => `n${index}`);
  const nodes = ["root", ...ids, "child"].map((id) => ({ id, kind: "pod", title: id }));
  const edges = [...ids.map((id) => ({ from: "root", to: id })), { from: "n0", to: "child" }];
  const toggled = new Set(["n0", ">root/pod"]);
  const { placed } = plan(foldGraph(nodes, edges, { root: "root", toggled, most: 5_000 }));
  const framed = [...placed.cards.values()].filter(({ frame }) => frame !== undefined);
  expect(framed.map(({ card }) => card.id).toSorted()).toEqual(ids.slice(1).toSorted());
});
