import { expect, test } from "vitest";
import { formatLineRange, parseLineRange } from "./line-range.ts";

test.each([
  ["L10", { from: 10, to: 10 }, "L10"],
  ["L10-20", { from: 10, to: 20 }, "L10-20"],
  ["L20-L10", { from: 10, to: 20 }, "L10-20"],
  ["7-7", { from: 7, to: 7 }, "L7"],
])("%s", (text, range, written) => {
  expect(parseLineRange(text)).toEqual(range);
  expect(formatLineRange(parseLineRange(text))).toBe(written);
});

test.each([undefined, null, "", "L", "L0", "L-1", "L1-", "L1-2-3", "L99999999999", "<b>"])(
  "%j is no range",
  (text) => {
    expect(parseLineRange(text)).toBeNull();
    expect(formatLineRange(parseLineRange(text))).toBeUndefined();
  },
);
