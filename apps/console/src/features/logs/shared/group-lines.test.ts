import { expect, test } from "vitest";
import type { LogLine } from "@mainstay/contract/logs/log-answers.ts";
import { groupLines } from "./group-lines.ts";

const line = (id: string, message: string, level?: LogLine["level"]): LogLine => ({
  id,
  timestamp: "2026-01-01T00:00:00Z",
  message,
  labels: { pod: id },
  ...(level && { level }),
});
const lines = [
  line("e", "retry"),
  line("d", "retry"),
  line("c", "retry", "error"),
  line("b", "done"),
  line("a", "retry"),
];

test("lines in a row that say the same are one, with a count", () => {
  expect(
    groupLines(lines, true).map(({ line: { id }, count, oldest }) => [id, count, oldest.id]),
  ).toEqual([
    ["e", 2, "d"],
    ["c", 1, "c"],
    ["b", 1, "b"],
    ["a", 1, "a"],
  ]);
});

test("they are all there when nobody asked for less", () => {
  expect(groupLines(lines, false).map(({ line: { id }, count }) => [id, count])).toEqual(
    lines.map(({ id }) => [id, 1]),
  );
});
