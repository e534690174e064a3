import { describe, expect, test } from "vitest";
import {
  countsOf,
  highestShown,
  type PointState,
  spansOf,
  type TimelinePoint,
  toSeries,
  usualDistance,
} from "./timeline-data.ts";

const point = (time: number, state: PointState = "good", value = time): TimelinePoint => ({
  time,
  value,
  state,
});
const every = (ms: number, count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => point(from + index * ms, "good", index));

test("the usual distance is the median", () => {
  expect(usualDistance([...every(1_000, 5), { time: 60_000 }])).toBe(1_000);
  expect(usualDistance([])).toBe(0);
});

test("of several runs there is a band beside the mean, from their p95 to the longest", () => {
  const bucket = { from: 0, to: 1, good: 1, bad: 0, unknown: 0, p95: 80, max: 90 };
  const series = toSeries([{ ...point(1_000, "good", 30), bucket }, point(2_000, "good", 20)]);
  expect([series.values, series.p95, series.max]).toEqual([
    [30, 20],
    [80, null],
    [90, null],
  ]);
});

test("a stretch without results is a hole, not a line", () => {
  const series = toSeries([...every(1_000, 4), ...every(1_000, 3, 60_000)]);
  expect(series.times).toEqual([0, 1, 2, 3, 31.5, 60, 61, 62]);
  expect(series.values).toEqual([0, 1, 2, 3, null, 0, 1, 2]);
  expect(series.points[4]).toBeNull();
});

test("order and doubles do not matter; what could not be tried has no duration", () => {
  const series = toSeries([point(2_000, "unknown", 9), point(1_000), point(2_000, "bad", 9)]);
  expect([series.times, series.values]).toEqual([
    [1, 2],
    [1_000, null],
  ]);
});

test.each([
  ["no thresholds", 100, [], 110],
  ["one above the values", 100, [130], 156],
  ["one far above: the line is there", 100, [1_000], 1_200],
  ["nothing measured", 0, [], 1],
])("the axis ends above all that is drawn: %s", (_name, max, thresholds, end) => {
  expect(
    highestShown(
      max,
      thresholds.map((value) => ({ value })),
    ),
  ).toBeCloseTo(end);
});

describe("what is shaded", () => {
  const bucket = (from: number, counts: { good: number; bad: number }): TimelinePoint => ({
    time: from + 5,
    value: 1,
    state: counts.bad > 0 ? "bad" : "good",
    bucket: { from, to: from + 10, unknown: 0, p95: 1, max: 1, ...counts },
  });
  const states = (text: string) =>
    text
      .split("")
      .map((letter, index) =>
        point(index * 10, letter === "x" ? "bad" : letter === "?" ? "unknown" : "good"),
      );
  test.each([
    ["failing until it passes", states("..xx.."), { from: 0, to: 50 }, [["bad", 20, 40]]],
    ["failing until now", states("..xx"), { from: 0, to: 45 }, [["bad", 20, 45]]],
    [
      "failing until it is stale",
      states("..xx"),
      { from: 0, to: 100, knownTo: 42 },
      [
        ["bad", 20, 42],
        ["unknown", 42, 100],
      ],
    ],
    ["not tried", states(".??."), { from: 0, to: 30 }, [["unknown", 10, 30]]],
    ["passing", states("...."), { from: 0, to: 30 }, []],
    ["nothing", [], { from: 0, to: 30, knownTo: 10 }, []],
    [
      "a gap",
      [...states("..."), point(100), point(110)],
      { from: 0, to: 110 },
      [["unknown", 30, 100]],
    ],
    [
      "buckets in which all failed, side by side",
      [
        bucket(0, { good: 1, bad: 0 }),
        bucket(10, { good: 0, bad: 2 }),
        bucket(20, { good: 0, bad: 1 }),
        bucket(30, { good: 1, bad: 1 }),
      ],
      { from: 0, to: 40 },
      [["bad", 10, 30]],
    ],
  ])("%s", (_name, points, range, expected) => {
    expect(spansOf(points, range).map(({ kind, from, to }) => [kind, from, to])).toEqual(expected);
  });

  test("counts are those of the runs", () => {
    expect(countsOf([...states(".x?"), bucket(100, { good: 3, bad: 2 })])).toEqual({
      good: 4,
      bad: 3,
      unknown: 1,
    });
  });
});
