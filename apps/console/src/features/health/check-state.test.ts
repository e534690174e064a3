import { describe, expect, test } from "vitest";
import { stateOf, toneOf } from "./check-state.ts";
import { buildCheck } from "./testing/build-check.ts";

const now = Date.UTC(2026, 0, 1, 12);
const at = (minutes: number) => new Date(now + minutes * 60_000).toISOString();

describe("the state of a check", () => {
  test.each([
    ["a result that came in time", "healthy", -1, 1, "healthy"],
    ["a run that is a little late", "healthy", -6, -4, "healthy"],
    ["overdue by exactly two intervals", "healthy", -6, -4, "healthy"],
    ["overdue by more than two intervals", "healthy", -10, -7, "stale"],
    ["a failure stays a failure, however old", "unhealthy", -1000, -999, "unhealthy"],
    ["unknown stays unknown", "unknown", -1, 1, "unknown"],
  ] as const)("%s", (_name, status, last, next, expected) => {
    const check = buildCheck({ status, last_runtime: at(last), next_runtime: at(next) });
    expect(stateOf(check, now)).toBe(expected);
  });

  test("without times it cannot be stale", () => {
    expect(stateOf(buildCheck({ last_runtime: undefined, next_runtime: undefined }), now)).toBe(
      "healthy",
    );
    expect(stateOf(buildCheck({ last_runtime: at(-90), next_runtime: undefined }), now)).toBe(
      "healthy",
    );
  });
});

test.each([
  ["degraded", "unhealthy"],
  ["missing", "unhealthy"],
  ["unhealthy", "unhealthy"],
  ["unknown", "unknown"],
  ["suspended", "unknown"],
  ["stale", "unknown"],
  ["warning", "warning"],
  ["warn", "warning"],
  ["mixed", "warning"],
  ["healthy", "healthy"],
  ["anything else", "healthy"],
])("%s is drawn %s", (word, tone) => {
  expect(toneOf(word)).toBe(tone);
});
