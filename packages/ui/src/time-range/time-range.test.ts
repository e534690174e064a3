import { describe, expect, test } from "vitest";
import {
  describeRange,
  formatRange,
  futureRanges,
  mappedRanges,
  parseMoment,
  parseRange,
  pastRanges,
  resolveRange,
} from "./time-range.ts";

// A Thursday, in local time, so that days and weeks are those of whoever reads.
const now = new Date(2026, 2, 26, 10, 30, 15, 500).getTime();
const local = (...parts: [number, number, number?, number?, number?, number?, number?]) =>
  new Date(parts[0], parts[1], ...parts.slice(2)).getTime();

describe("a moment", () => {
  test.each([
    ["now", now],
    ["now-5m", now - 300_000],
    ["now-2d", local(2026, 2, 24, 10, 30, 15, 500)],
    ["now+1h", now + 3_600_000],
    ["now-1d+6h", local(2026, 2, 25, 16, 30, 15, 500)],
    ["now/d", local(2026, 2, 26)],
    ["now/w", local(2026, 2, 23)],
    ["now-1mo/mo", local(2026, 1, 1)],
    ["now-1M/M", local(2026, 1, 1)],
    ["now/y", local(2026, 0, 1)],
    ["2026-01-02T03:04:05Z", Date.UTC(2026, 0, 2, 3, 4, 5)],
  ])("%s", (text, expected) => {
    expect(parseMoment(text, now)).toBe(expected);
  });

  test("rounds up at the end of a range", () => {
    expect(parseMoment("now-1d/d", now, true)).toBe(local(2026, 2, 26) - 1);
  });

  test("a month before the 31st is the last day of the month before", () => {
    expect(parseMoment("now-1mo", local(2026, 2, 31))).toBe(local(2026, 1, 28));
  });

  test.each([
    "",
    "later",
    "now-",
    "now-2",
    "now-2q",
    "now--2d",
    "now-9999999y",
    "13",
    "now-2d;drop",
    `now${"-1d".repeat(40)}`,
  ])("%j is none", (text) => {
    expect(parseMoment(text, now)).toBeUndefined();
  });
});

describe("a range from text", () => {
  test.each([
    ["2d", "2d", "Last 2 days"],
    ["1h", "1h", "Last hour"],
    ["now-2d", "2d", "Last 2 days"],
    ["  last 3 mo ", "3mo", "Last 3 months"],
    ["now-2d to now-1d", "now-2d..now-1d", "now-2d to now-1d"],
    ["now+1w", "now..now+1w", "Next week"],
    ["Yesterday", "yesterday", "Yesterday"],
    ["previous-month", "previous-month", "Previous month"],
  ])("%s", (text, param, words) => {
    const range = parseRange(text, now);
    expect(range && formatRange(range)).toBe(param);
    expect(range && describeRange(range)).toBe(words);
    expect(range && parseRange(formatRange(range), now)).toEqual(range);
  });

  test("two moments", () => {
    const range = parseRange("2026-01-01T00:00:00Z to 2026-01-02T00:00:00Z", now);
    expect(range).toEqual({
      kind: "absolute",
      from: "2026-01-01T00:00:00.000Z",
      to: "2026-01-02T00:00:00.000Z",
    });
    expect(range && parseRange(formatRange(range), now)).toEqual(range);
  });

  test.each([
    "",
    "soon",
    "now",
    "2026-01-02 to 2026-01-01",
    "now to now-1d",
    "1h..2h..3h",
    "0m",
    "<script>",
  ])("%j is refused", (text) => {
    expect(parseRange(text, now)).toBeUndefined();
  });
});

test("every named range means something, and starts before it ends", () => {
  expect(mappedRanges.length).toBeGreaterThan(5);
  for (const { name } of mappedRanges) {
    const { from, to } = resolveRange({ kind: "mapped", name }, now)!;
    expect(to, name).toBeGreaterThan(from);
  }
});

test("every range of the specification is offered, and 5 minutes to 5 years ahead and behind", () => {
  const past = pastRanges.map((range) => formatRange(range));
  expect(past).toEqual(
    expect.arrayContaining(
      "15m 1h 2h 3h 6h 12h 1d 2d 3d 1w 2w 3w 1mo 2mo 3mo 6mo 1y 2y 3y 5y".split(" "),
    ),
  );
  expect([past.at(0), past.at(-1)]).toEqual(["5m", "5y"]);
  expect(futureRanges.map((range) => formatRange(range))).toEqual(
    past.map((amount) => `now..now+${amount}`),
  );
});
