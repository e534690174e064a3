import { expect, test } from "vitest";
import { buildGraph } from "../testing/build-graph.ts";
import { pointsOf } from "./CheckChart.tsx";

const time = "2026-01-01T12:00:00.000Z";
const at = Date.parse(time);

test("few runs are a mark each; many are what they come to in stretches of time", () => {
  const runs = [{ time, status: false, duration: 20, message: "status 503" }];
  const point = { time, status: false, duration: 30, p95: 80, max: 90, passed: 3, failed: 2 };
  const status = [{ ...point, unknown: 1, message: "status 503" }];
  const window = { before: 1_000, after: 2_000 };
  const graph = buildGraph({ window, status });
  expect(pointsOf({ ...graph, runs })).toEqual([
    { time: at, value: 20, state: "bad", message: "status 503" },
  ]);
  const { runs: _none, ...without } = graph;
  expect(pointsOf(without)).toEqual([
    {
      time: at,
      value: 30,
      state: "bad",
      message: "status 503",
      bucket: { from: at - 1_000, to: at + 2_000, good: 3, bad: 2, unknown: 1, p95: 80, max: 90 },
    },
  ]);
});
