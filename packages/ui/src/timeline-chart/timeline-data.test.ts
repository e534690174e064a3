import { expect, test } from "vitest";
import { highestShown, toSeries, usualDistance } from "./timeline-data.ts";

const every = (ms: number, count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({ time: from + index * ms, value: index }));

test("the usual distance is the median", () => {
  expect(usualDistance([...every(1_000, 5), { time: 60_000, value: 1 }])).toBe(1_000);
  expect(usualDistance([])).toBe(0);
});

test("a stretch without results is a hole, not a line", () => {
  const series = toSeries([...every(1_000, 4), ...every(1_000, 3, 60_000)]);
  expect(series.times).toEqual([0, 1, 2, 3, 31.5, 60, 61, 62]);
  expect(series.values).toEqual([0, 1, 2, 3, null, 0, 1, 2]);
});

test("bad points are marked, order and doubles do not matter", () => {
  const series = toSeries([
    { time: 2_000, value: 9, isBad: true },
    { time: 1_000, value: 4 },
    { time: 2_000, value: 9, isBad: true },
  ]);
  expect(series).toEqual({ times: [1, 2], values: [4, 9], bad: [null, 9] });
});

test.each([
  ["no thresholds", 100, [], 110],
  ["one above the values", 100, [130], 143],
  ["one too far away to be worth flattening the values", 100, [1_000], 110],
  ["nothing measured", 0, [], 1],
])("the axis ends above the values: %s", (_name, max, thresholds, end) => {
  expect(
    highestShown(
      max,
      thresholds.map((value) => ({ value })),
    ),
  ).toBeCloseTo(end);
});
