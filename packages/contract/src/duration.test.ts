import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatDuration, isDuration, parseDuration } from "./duration.ts";

describe("parseDuration", () => {
  test.each([
    ["0", 0],
    ["0s", 0],
    ["1ns", 1e-6],
    ["250us", 0.25],
    ["250µs", 0.25],
    ["300ms", 300],
    ["30s", 30_000],
    ["1.5h", 5_400_000],
    [".5s", 500],
    ["0.1s0.2s", 300],
    ["1h30m", 5_400_000],
    ["1d12h", 129_600_000],
    ["2w", 1_209_600_000],
    ["1y", 31_536_000_000],
    ["5m5m", 600_000],
    [" 5m ", 300_000],
  ])("%s", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test.each([
    ["", "empty"],
    ["  ", "empty"],
    ["5", "needs a unit"],
    ["1h5", "needs a unit"],
    ["-5m", "negative"],
    ["5 m", "write numbers with units"],
    ["5M", "write numbers with units"],
    ["five minutes", "write numbers with units"],
    ["1e3s", "write numbers with units"],
    ["101y", "longer than 100 years"],
    [`${"9".repeat(60)}h`, "longer than 100 years"],
    ["1s".repeat(40), "too long"],
    ["NaNs", "write numbers with units"],
  ])("refuses %j", (text, why) => {
    expect(() => parseDuration(text)).toThrow(why);
    expect(isDuration(text)).toBe(false);
  });
});

describe("formatDuration", () => {
  test.each([
    [0, "0s"],
    [1, "1ms"],
    [1500, "1s500ms"],
    [90_000, "1m30s"],
    [129_600_000, "1d12h"],
    [0.25, "250us"],
    [0.000_001, "1ns"],
    [0.999_999_9, "1ms"],
  ])("%d", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  test("what is written is read back", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3_000_000_000_000 }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms);
      }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000_000 }), (nanoseconds) => {
        expect(parseDuration(formatDuration(nanoseconds / 1e6))).toBeCloseTo(nanoseconds / 1e6, 6);
      }),
    );
  });

  test("never writes what cannot be read", () => {
    expect(() => formatDuration(-1)).toThrow("-1");
    expect(() => formatDuration(Number.NaN)).toThrow("NaN");
  });
});

test("any text is a duration or a clear error, and never a surprise", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      try {
        expect(parseDuration(text)).toBeGreaterThanOrEqual(0);
      } catch (error) {
        expect((error as Error).message).toContain("is not a duration");
      }
    }),
  );
});
