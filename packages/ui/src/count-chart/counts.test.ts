import { expect, test } from "vitest";
import { barWords, chartWords, type CountBar, type CountKind } from "./counts.ts";

const kinds: readonly CountKind[] = [
  { id: "info", label: "Info", ink: "--info", opacity: 1 },
  { id: "error", label: "Error", ink: "--unhealthy", opacity: 1 },
];
const bar = (minute: number, info: number, error: number): CountBar => ({
  from: Date.UTC(2026, 0, 1, 0, minute),
  to: Date.UTC(2026, 0, 1, 0, minute + 1),
  parts: [
    { kind: "info", count: info },
    { kind: "error", count: error },
  ],
});

test("a bar says when, and how many of each kind there are", () => {
  expect(barWords(bar(0, 1200, 3), kinds).slice(1)).toEqual(["Error 3", "Info 1,200"]);
  expect(barWords(bar(0, 0, 3), kinds).slice(1)).toEqual(["Error 3"]);
});

test("a chart says how many there are, and where the most", () => {
  expect(chartWords([], "lines")).toBe("No lines.");
  expect(chartWords([bar(0, 1, 0), bar(1, 5, 2), bar(2, 1, 1)], "lines")).toMatch(
    /^10 lines, the most .*: 7\.$/,
  );
});
