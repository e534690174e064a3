import { expect, test } from "vitest";
import { formatRange, parseRange, resolveRange } from "@mainstay/ui/time-range/time-range.ts";
import { exactParams, rangeForAge, rangeParams } from "./health-range.ts";

const now = Date.UTC(2026, 5, 15, 10, 40);
const range = (text: string) => {
  const parsed = parseRange(text, now);
  if (!parsed) throw new Error(`${text} is not a range`);
  return parsed;
};

test.each([
  ["15m", { start: "15m" }],
  ["1h", { start: "1h" }],
  ["3w", { start: "3w" }],
  ["5y", { start: "5y" }],
  [
    "2026-06-01T00:00:00Z to 2026-06-02T00:00:00Z",
    { start: "2026-06-01T00:00:00.000Z", end: "2026-06-02T00:00:00.000Z" },
  ],
  [
    "now-2d to now-1d",
    {
      start: new Date(now - 2 * 86_400_000).toISOString(),
      end: new Date(now - 86_400_000).toISOString(),
    },
  ],
])("%s asks with %j", (text, params) => {
  expect(rangeParams(range(text), now)).toEqual(params);
});

test("months are times, cut to the hour", () => {
  expect(rangeParams(range("1mo"), now).start).toMatch(/^2026-05-15T\d\d:00:00.000Z$/);
});

test.each(["15m", "1mo", "now-2d to now-1d", "yesterday"])(
  "of one check %s is asked to the millisecond",
  (text) => {
    const { start, end } = exactParams(range(text), now);
    if (text === "15m") return expect(start).toBe("15m");
    const ends = resolveRange(range(text), now);
    expect(Date.parse(start)).toBe(ends?.from);
    expect(end && Date.parse(end)).toBe(text === "1mo" ? undefined : ends?.to);
  },
);

const hours = (count: number) => new Date(now - count * 3_600_000).toISOString();
test.each([
  [hours(0), "1h"],
  [hours(1), "1h"],
  [hours(1.5), "2h"],
  [hours(5), "6h"],
  [hours(13), "1d"],
  [hours(24 * 6), "1w"],
  [hours(24 * 40), "2mo"],
  [hours(24 * 300), "1y"],
  [hours(24 * 365 * 20), "5y"],
  [undefined, "1h"],
  ["not a time", "1h"],
])("a check that last ran at %s opens with %s", (last, token) => {
  expect(formatRange(rangeForAge(last, now))).toBe(token);
});
