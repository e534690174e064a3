import { expect, test } from "vitest";
import { readRange, readTime, steppedRange } from "./read-range.ts";

const now = new Date("2026-03-31T12:34:56.789Z");
const iso = (date: Date | undefined) => date?.toISOString();

test.each([
  ["15m", "2026-03-31T12:19:56.789Z"],
  ["1d", "2026-03-30T12:34:56.789Z"],
  ["3w", "2026-03-10T12:34:56.789Z"],
  ["1mo", "2026-02-28T12:34:56.789Z"],
  ["5y", "2021-04-01T12:34:56.789Z"],
  ["now-1h", "2026-03-31T11:34:56.789Z"],
  ["now-1d/d", "2026-03-30T00:00:00.000Z"],
  ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000Z"],
  ["2026-01-02", "2026-01-02T00:00:00.000Z"],
])("%s is %s", (text, expected) => {
  expect(iso(readTime(text, now))).toBe(expected);
});

test.each(["", "soon", "12", "-1h", "now-", "2026-13-01", "x".repeat(100)])(
  "%j is no time",
  (text) => {
    expect(() => readTime(text, now)).toThrow(/is not a time/);
  },
);

test("a range ends now when it has no end, or one that is still to come", () => {
  expect(readRange({}, now)).toEqual({ start: new Date("2026-03-31T11:34:56.789Z") });
  expect(readRange({ start: "2h", end: "now+1h" }, now).end).toBeUndefined();
  expect(() => readRange({ start: "1h", end: "2h" }, now)).toThrow(/ends before/);
});

test.each([
  ["15m", "5m", "2026-03-31T12:15:00.000Z"],
  ["1d", "5m", "2026-03-30T12:30:00.000Z"],
  ["2d", "1h", "2026-03-29T12:00:00.000Z"],
  ["89d", "1h", "2026-01-01T12:00:00.000Z"],
  ["100d", "1d", "2025-12-21T00:00:00.000Z"],
  ["5y", "1d", "2025-07-04T00:00:00.000Z"],
])("%s is read in steps of %s from %s on", (start, step, from) => {
  const range = steppedRange(readRange({ start }, now), now);
  expect([range.step, iso(range.start), range.end]).toEqual([step, from, undefined]);
});

test("an end is rounded up, so that the range is never shorter than asked", () => {
  const range = steppedRange(
    { start: new Date("2026-03-31T10:01:00Z"), end: new Date("2026-03-31T11:01:00Z") },
    now,
  );
  expect([iso(range.start), iso(range.end)]).toEqual([
    "2026-03-31T10:00:00.000Z",
    "2026-03-31T11:05:00.000Z",
  ]);
});
