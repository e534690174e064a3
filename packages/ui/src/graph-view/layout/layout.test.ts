import Elk from "elkjs/lib/elk-api.js";
import * as elkInPlace from "elkjs/lib/elk-worker.js";
import { describe, expect, test } from "vitest";
import type { Direction } from "../graph.ts";
import { layOutByDagre } from "./dagre-layout.ts";
import { fromElkGraph, toElkGraph } from "./elk-graph.ts";
import { layOutPlainly } from "./plain-layout.ts";
import type { LayoutTask, Positions } from "./task.ts";

// Where there are no workers it is one by itself, which its types do not say.
const { Worker: InPlace } = elkInPlace as unknown as { Worker: new () => Worker };
const elk = new Elk({ workerFactory: () => new InPlace(), algorithms: ["layered"] });
const engines: [string, (task: LayoutTask) => Positions | Promise<Positions>][] = [
  ["dagre", layOutByDagre],
  ["elk", async (task) => fromElkGraph(await elk.layout(toElkGraph(task)))],
  ["plain", layOutPlainly],
];

const task = (
  ids: readonly string[],
  links: readonly (readonly [string, string])[],
  direction: Direction = "right",
): LayoutTask => ({
  boxes: ids.map((id) => ({ id, width: 240, height: 76 })),
  links,
  direction,
  rankSeparation: 120,
  nodeSeparation: 100,
});
const at = (positions: Positions) =>
  new Map(positions.map(([id, x, y]) => [id, { x, y }] as const));

describe.each(engines)("%s", (_name, layOut) => {
  test("layers follow each other to the right, or down", async () => {
    const links = [
      ["a", "b"],
      ["b", "c"],
      ["a", "d"],
    ] as const;
    const right = at(await layOut(task(["a", "b", "c", "d"], links)));
    // One of them keeps a little more room for the bends of what it could draw.
    expect(right.get("b")!.x - right.get("a")!.x).toSatisfy((x) => x >= 360 && x < 380);
    expect(right.get("c")!.x - right.get("b")!.x).toSatisfy((x) => x >= 360 && x < 380);
    expect(right.get("d")!.x).toBe(right.get("b")!.x);
    expect(Math.abs(right.get("d")!.y - right.get("b")!.y)).toBeGreaterThanOrEqual(176);
    const down = at(await layOut(task(["a", "b", "c", "d"], links, "down")));
    expect(down.get("b")!.y - down.get("a")!.y).toSatisfy((y) => y >= 196 && y < 220);
  });

  test("a circle is laid out, and what hangs together with nothing", async () => {
    const positions = await layOut(
      task(
        ["a", "b", "c", "lone"],
        [
          ["a", "b"],
          ["b", "c"],
          ["c", "a"],
          ["b", "b"],
        ],
      ),
    );
    expect(positions.map(([id]) => id)).toEqual(["a", "b", "c", "lone"]);
    const corners = positions.map(([, x, y]) => `${x} ${y}`);
    expect(new Set(corners).size).toBe(4);
    for (const [, x, y] of positions) expect(Number.isFinite(x) && Number.isFinite(y)).toBe(true);
  });

  test("no boxes lie over each other", async () => {
    const ids = Array.from({ length: 60 }, (_, index) => `n${index}`);
    const links = ids.map((id, index) => [`n${(index * 7) % 13}`, id] as const);
    const positions = await layOut(task(ids, links));
    for (const [id, x, y] of positions)
      for (const [other, left, top] of positions)
        if (id < other)
          expect(Math.abs(x - left) >= 240 || Math.abs(y - top) >= 76, `${id} ${other}`).toBe(true);
  });

  test("nothing at all", async () => {
    expect(await layOut(task([], []))).toEqual([]);
  });
});
