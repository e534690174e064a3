import { describe, expect, test } from "vitest";
import type { LogLine } from "@mainstay/contract/logs/log-answers.ts";
import { afterChoice, evidenceOf } from "./evidence-lines.ts";

const line = (number: number): LogLine => ({
  id: `l${number}`,
  timestamp: new Date(number * 1000).toISOString(),
  message: `line ${number}`,
  labels: { app: "web" },
});
/** The newest first, as they are shown. */
const shown = Array.from({ length: 20 }, (_, index) => line(19 - index));
const chosen = (...numbers: number[]) =>
  evidenceOf(shown, new Set(numbers.map((number) => `l${number}`)));

describe("what is attached", () => {
  test.each<[number[], number[], string[]]>([
    [[], [], []],
    [[10], [7, 8, 9, 10, 11, 12, 13], ["3"]],
    // What is around both is there once.
    [
      [10, 12],
      [7, 8, 9, 10, 11, 12, 13, 14, 15],
      ["3", "5"],
    ],
    [
      [2, 17],
      [0, 1, 2, 3, 4, 5, 14, 15, 16, 17, 18, 19],
      ["2", "9"],
    ],
    [[0], [0, 1, 2, 3], ["0"]],
    [[19], [16, 17, 18, 19], ["3"]],
    // One that is not shown any more.
    [[99], [], []],
  ])("of %j is %j, in order of time", (numbers, lines, places) => {
    const evidence = chosen(...numbers);
    expect(evidence.lines).toEqual(lines.map(line));
    expect(Object.keys(evidence.selected_lines)).toEqual(places);
    expect(Object.values(evidence.selected_lines)).toEqual(
      numbers.filter((number) => number < 20).map(line),
    );
  });
});

describe("a choice", () => {
  const press = (selected: string[], id: string, last?: string, withShift = false) =>
    afterChoice(shown, selected, { id, last, withShift });

  test("is added and taken back", () => {
    expect(press([], "l3")).toEqual(["l3"]);
    expect(press(["l3", "l4"], "l3")).toEqual(["l4"]);
  });

  test("with Shift reaches from the last one, either way", () => {
    expect(press(["l3"], "l6", "l3", true)).toEqual(["l3", "l6", "l5", "l4"]);
    expect(press(["l6"], "l4", "l6", true)).toEqual(["l6", "l5", "l4"]);
    // The last one is not there any more.
    expect(press(["l99"], "l4", "l99", true)).toEqual(["l99", "l4"]);
  });
});
