import { expect, test } from "vitest";
import { turnsOf, turnWords, windowOf } from "./past-window.ts";

const day = 24 * 60 * 60_000;
const now = 1_000 * day;

test.each<
  [span: "30d" | "7d" | "1d", ago: number | undefined, since: number, from: number, to: number]
>([
  ["30d", undefined, 900, 970, 1000],
  ["30d", 12, 900, 970, 1000],
  ["7d", undefined, 900, 993, 1000],
  ["7d", 6.9, 900, 993, 1000],
  // Farther back it is another stretch, that follows on it.
  ["7d", 7.1, 900, 986, 993],
  ["1d", 3.5, 900, 996, 997],
  // Before that nothing is known.
  ["30d", undefined, 998, 998, 1000],
  ["7d", 29, 900, 970, 972],
])(
  "%s with a moment %j days ago, known since %d, is from %d to %d",
  (span, ago, since, from, to) => {
    const window = windowOf({
      span,
      at: ago === undefined ? undefined : now - ago * day,
      now,
      since: since * day,
    });
    // A minute less than the server keeps.
    expect([Math.abs(window.from / day - from) < 0.001, window.to / day]).toEqual([true, to]);
    expect(window.isLast).toBe(to === 1000);
  },
);

test("turns are told when they are over, the worst first, and none after now", () => {
  const time = (ms: number) => new Date(ms).toISOString();
  const turns = turnsOf({
    from: time(0),
    to: time(150),
    stepMs: 100,
    since: null,
    turns: [
      { at: time(0), healthy: 1, unhealthy: 1200 },
      { at: time(100), unknown: 1 },
    ],
  });
  expect(turns.map(({ after }) => after)).toEqual([100, 150]);
  expect(turns.map(turnWords)).toEqual(["1,200 turned unhealthy, 1 healthy", "1 turned unknown"]);
});
