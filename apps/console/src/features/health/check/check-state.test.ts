import { describe, expect, test } from "vitest";
import { describeState, stateOf, toneOf } from "./check-state.ts";
import { buildCheck } from "../testing/build-check.ts";

const now = Date.UTC(2026, 0, 1, 12);
const at = (minutes: number) => new Date(now + minutes * 60_000).toISOString();

describe("the state of a check", () => {
  test.each([
    ["a result that came in time", "healthy", 1, "healthy"],
    ["due this very moment", "healthy", 0, "healthy"],
    ["overdue", "healthy", -0.01, "stale"],
    ["a failure says nothing about now either", "unhealthy", -1, "stale"],
    ["a failure that is not overdue", "unhealthy", 1, "unhealthy"],
    ["unknown stays unknown", "unknown", 1, "unknown"],
    ["nothing is due by the clock", "healthy", undefined, "healthy"],
  ] as const)("%s", (_name, status, due, expected) => {
    const check = buildCheck({ status, result_due: due === undefined ? undefined : at(due) });
    expect(stateOf(check, now)).toBe(expected);
  });
});

test.each(["healthy", "unhealthy", undefined] as const)(
  "held, last known %s: nobody knows it now, and it says why",
  (status) => {
    const check = buildCheck({ status, held: "not supported", message: "not supported" });
    expect(stateOf(check, now)).toBe("unknown");
    expect(describeState(check, "unknown")).toBe("Unknown: not supported");
  },
);

test("what could not be tried is unknown, whatever it was before", () => {
  const check = buildCheck({
    status: "healthy",
    untried: "ping is missing",
    message: "ping is missing",
  });
  expect(stateOf(check, now)).toBe("unknown");
});

test("paused: what it said last is of the past, overdue or not", () => {
  const check = buildCheck({ status: "unhealthy", paused: true, result_due: at(-5), message: "x" });
  expect(stateOf(check, now)).toBe("paused");
  expect(describeState(check, "paused")).toBe("Paused");
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
