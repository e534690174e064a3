import { describe, expect, test } from "vitest";
import Elk from "elkjs/lib/elk-api.js";
import * as elkInPlace from "elkjs/lib/elk-worker.js";
import type { Direction } from "../graph.ts";
import { layOutByDagre } from "./dagre-layout.ts";
import { fromElkGraph, toElkGraph } from "./elk-graph.ts";
import { layOutPlainly } from "./plain-layout.ts";
import { type RoutedBox, routeLines } from "./route-lines.ts";
import type { LayoutTask, Positions } from "./task.ts";

const { Worker: InPlace } = elkInPlace as unknown as { Worker: new () => Worker };
const elk = new Elk({ workerFactory: () => new InPlace(), algorithms: ["layered"] });
const engines: [string, (task: LayoutTask) => Positions | Promise<Positions>][] = [
  ["dagre", layOutByDagre],
  ["elk", async (task) => fromElkGraph(await elk.layout(toElkGraph(task)))],
  ["plain", layOutPlainly],
];

/** The same numbers each time. */
function numbers(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * most);
  };
}

/** Cards, groups and frames with ties over many layers, back, to themselves and to nothing else. */
function anyTask(seed: number, direction: Direction): LayoutTask {
  const any = numbers(seed);
  const many = 20 + any(40);
  const boxes = Array.from({ length: many }, (_, index) => ({
    id: `n${index}`,
    width: any(12) === 0 ? 780 : 240,
    height: any(12) === 0 ? 400 : any(3) === 0 ? 48 : 80,
  }));
  const links = Array.from(
    { length: many + any(many) },
    () => [`n${any(many)}`, `n${any(many)}`] as const,
  );
  return { boxes, links, direction, rankSeparation: 120, nodeSeparation: 100 };
}

const cases = engines.flatMap(([name, layOut]) =>
  (["right", "down"] as const).map((direction) => ({ name, layOut, direction })),
);

describe.each(cases)("lines of $name, $direction", ({ layOut, direction }) => {
  test("pass under no box that is not their end", async () => {
    for (let seed = 1; seed <= 8; seed += 1) {
      const task = anyTask(seed, direction);
      const sizes = new Map(task.boxes.map((box) => [box.id, box]));
      const boxes: RoutedBox[] = (await layOut(task)).map(([id, x, y]) => ({
        x,
        y,
        ...sizes.get(id)!,
      }));
      const routes = routeLines(boxes, task.links, direction);
      const isRight = direction === "right";
      task.links.forEach(([from, to], index) => {
        const levels = routes[index]!;
        expect(levels.length).toBeGreaterThan(1);
        // Where each piece may be at most: straight ones, and all that a curve between two may reach.
        const pieces = levels.flatMap((level, at) => {
          const next = levels[at + 1];
          const own = [[level.from, level.to, level.across, level.across]];
          return next ? [...own, [level.to, next.from, level.across, next.across]] : own;
        });
        for (const [a = 0, b = 0, c = 0, d = 0] of pieces)
          for (const box of boxes) {
            if (box.id === from || box.id === to) continue;
            const [start, length, top, height] = isRight
              ? [box.x, box.width, box.y, box.height]
              : [box.y, box.height, box.x, box.width];
            const isUnder =
              Math.max(a, b) > start &&
              Math.min(a, b) < start + length &&
              Math.max(c, d) > top &&
              Math.min(c, d) < top + height;
            expect(isUnder, `${from} to ${to} under ${box.id}, graph ${seed}`).toBe(false);
          }
      });
    }
  });
});

test("lines through the same gap are beside each other where there is room", () => {
  const box = (id: string, x: number, y: number): RoutedBox => ({
    id,
    x,
    y,
    width: 240,
    height: 80,
  });
  const boxes = [
    box("a", 0, 0),
    box("b", 0, 180),
    box("wall", 360, 90),
    box("c", 720, 0),
    box("d", 720, 180),
  ];
  const links = [
    ["a", "c"],
    ["b", "d"],
    ["a", "d"],
    ["b", "c"],
    ["a", "wall"],
  ] as const;
  const middles = routeLines(boxes, links, "right")
    .filter((levels) => levels.length === 3)
    .map((levels) => levels[1]!.across);
  const sorted = middles.toSorted((one, other) => one - other);
  expect(sorted).toHaveLength(4);
  for (const [index, across] of sorted.entries())
    if (index > 0) expect(across - sorted[index - 1]!).toBeGreaterThanOrEqual(7.9);
  for (const across of sorted) expect(across < 90 || across > 170).toBe(true);
});

test("thousands of lines are routed at once", () => {
  const task = {
    ...anyTask(3, "right"),
    boxes: Array.from({ length: 3000 }, (_, index) => ({
      id: `n${index}`,
      width: 240,
      height: 80,
    })),
    links: Array.from(
      { length: 6000 },
      (_, index) => [`n${(index * 7) % 3000}`, `n${(index * 13 + 1) % 3000}`] as const,
    ),
  };
  const sizes = new Map(task.boxes.map((box) => [box.id, box]));
  const boxes = layOutPlainly(task).map(([id, x, y]) => ({ x, y, ...sizes.get(id)! }));
  const began = performance.now();
  expect(routeLines(boxes, task.links, "right")).toHaveLength(6000);
  expect(performance.now() - began).toBeLessThan(2000);
});
