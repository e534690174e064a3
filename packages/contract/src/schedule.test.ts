import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { isTimeZone, nextRun, parseSchedule } from "./schedule.ts";

const runs = (text: string, after: string, count: number, timeZone?: string): string[] => {
  const schedule = parseSchedule(text, timeZone);
  const found: string[] = [];
  for (let at = new Date(after); found.length < count;) {
    const next = nextRun(schedule, at);
    if (!next) break;
    found.push(next.toISOString());
    at = next;
  }
  return found;
};

describe("the next slots", () => {
  test.each([
    [
      "*/5 * * * *",
      "2026-01-01T00:02:00Z",
      undefined,
      ["2026-01-01T00:05:00.000Z", "2026-01-01T00:10:00.000Z"],
    ],
    [
      "@hourly",
      "2026-01-01T00:02:00Z",
      undefined,
      ["2026-01-01T01:00:00.000Z", "2026-01-01T02:00:00.000Z"],
    ],
    [
      "@daily",
      "2026-01-01T00:00:00Z",
      "Asia/Tokyo",
      ["2026-01-01T15:00:00.000Z", "2026-01-02T15:00:00.000Z"],
    ],
    [
      "@weekly",
      "2026-01-01T00:00:00Z",
      undefined,
      ["2026-01-04T00:00:00.000Z", "2026-01-11T00:00:00.000Z"],
    ],
    [
      "@monthly",
      "2026-01-15T00:00:00Z",
      undefined,
      ["2026-02-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z"],
    ],
    [
      "@yearly",
      "2026-01-15T00:00:00Z",
      undefined,
      ["2027-01-01T00:00:00.000Z", "2028-01-01T00:00:00.000Z"],
    ],
    [
      "@every 90s",
      "1970-01-01T00:02:00Z",
      undefined,
      ["1970-01-01T00:03:00.000Z", "1970-01-01T00:04:30.000Z"],
    ],
    [
      "CRON_TZ=Asia/Tokyo 0 9 * * *",
      "2026-01-01T00:00:00Z",
      "Europe/Berlin",
      ["2026-01-02T00:00:00.000Z"],
    ],
    ["30 3-6,20-23 * * *", "2026-01-01T06:30:00Z", undefined, ["2026-01-01T20:30:00.000Z"]],
    // Day of month and day of week: either.
    [
      "0 0 13 * 5",
      "2026-01-10T00:00:00Z",
      undefined,
      ["2026-01-13T00:00:00.000Z", "2026-01-16T00:00:00.000Z"],
    ],
    ["@never", "2026-01-01T00:00:00Z", undefined, []],
    ["0 0 30 2 *", "2026-01-01T00:00:00Z", undefined, []],
  ])("%s", (text, after, timeZone, expected) => {
    expect(runs(text, after, Math.max(expected.length, 1), timeZone)).toEqual(expected);
  });
});

describe("clock changes in Berlin", () => {
  test.each([
    [
      "a fixed time that the clock jumps over runs once, right after the jump",
      "30 2 * * *",
      "2026-03-28T12:00:00Z",
      ["2026-03-29T01:00:00.000Z", "2026-03-30T00:30:00.000Z"],
    ],
    [
      "a fixed time that happens twice runs at the first",
      "30 2 * * *",
      "2026-10-24T12:00:00Z",
      ["2026-10-25T00:30:00.000Z", "2026-10-26T01:30:00.000Z"],
    ],
    [
      "a wildcard keeps its interval through the repeated hour",
      "*/30 * * * *",
      "2026-10-25T00:15:00Z",
      [
        "2026-10-25T00:30:00.000Z",
        "2026-10-25T01:00:00.000Z",
        "2026-10-25T01:30:00.000Z",
        "2026-10-25T02:00:00.000Z",
      ],
    ],
    [
      "a wildcard keeps its interval through the missing hour",
      "0 * * * *",
      "2026-03-28T23:30:00Z",
      ["2026-03-29T00:00:00.000Z", "2026-03-29T01:00:00.000Z", "2026-03-29T02:00:00.000Z"],
    ],
    [
      "an interval does not care",
      "@every 1h",
      "2026-03-29T00:30:00Z",
      ["2026-03-29T01:00:00.000Z", "2026-03-29T02:00:00.000Z"],
    ],
  ])("%s", (_name, text, after, expected) => {
    expect(runs(text, after, expected.length, "Europe/Berlin")).toEqual(expected);
  });
});

test("a time zone is looked up once, however many schedules are read", () => {
  const looks = vi.spyOn(Intl, "DateTimeFormat");
  for (let n = 0; n < 3; n += 1) parseSchedule("@every 1m", "Pacific/Chatham");
  expect(isTimeZone("Pacific/Chatham")).toBe(true);
  expect(looks).toHaveBeenCalledTimes(1);
  looks.mockRestore();
});

test("slots of an interval are anchored, not counted from the last run", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 100_000 }),
      fc.integer({ min: 0, max: 4_000_000_000_000 }),
      fc.integer({ min: 0, max: 4_000_000_000_000 }),
      (seconds, afterMs, originMs) => {
        const schedule = parseSchedule(`@every ${seconds}s`);
        const after = new Date(afterMs);
        const next = nextRun(schedule, after, new Date(originMs)) as Date;
        expect(next.getTime()).toBeGreaterThan(afterMs);
        expect(next.getTime()).toBeLessThanOrEqual(afterMs + seconds * 1000);
        expect(Math.abs(next.getTime() - originMs) % (seconds * 1000)).toBe(0);
        // Asking a little later, before the slot, gives the same slot.
        const later = new Date(Math.floor((afterMs + next.getTime()) / 2));
        expect(nextRun(schedule, later, new Date(originMs))).toEqual(next);
      },
    ),
  );
});

test.each([
  ["", undefined, "empty"],
  ["* * * *", undefined, "has 5 fields, this has 4"],
  ["* * * * * *", undefined, "has 5 fields, this has 6"],
  ["61 * * * *", undefined, "Invalid value for minute"],
  ["a b c d e", undefined, "is not a schedule"],
  ["@fortnightly", undefined, "known names are"],
  ["@every", undefined, "known names are"],
  ["@every 0.5s", undefined, "the shortest interval is 1s"],
  ["@every soon", undefined, "is not a duration"],
  ["@every -5s", undefined, "negative"],
  ["@daily", "Mars/Olympus", "not a time zone"],
  ["TZ=Mars/Olympus * * * * *", undefined, "not a time zone"],
  ["* * * * * ".repeat(100), undefined, "too long"],
])("refuses %j", (text, timeZone, why) => {
  expect(() => parseSchedule(text, timeZone)).toThrow(why);
});
