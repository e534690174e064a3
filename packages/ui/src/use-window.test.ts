import { expect, test } from "vitest";
import { lineWindow, scrollTopFor } from "./use-window.ts";

const options = { count: 1_000, lineHeight: 35, overscan: 10, headerHeight: 35 };

test.each([
  ["the top", { top: 0, height: 700 }, { start: 0, end: 29, before: 0 }],
  ["the middle", { top: 3_500, height: 700 }, { start: 90, end: 129, before: 3_150 }],
  ["the end", { top: 34_300, height: 700 }, { start: 970, end: 1_000, after: 0 }],
  ["beyond the end", { top: 90_000, height: 700 }, { start: 999, end: 1_000, after: 0 }],
])("at %s", (_name, view, expected) => {
  expect(lineWindow(options, view)).toMatchObject(expected);
});

test("drawn and left out add up to the whole", () => {
  for (const top of [0, 1, 34, 35, 999, 20_000, 34_300, 35_000]) {
    const { start, end, before, after } = lineWindow(options, { top, height: 700 });
    expect(before + (end - start) * 35 + after).toBe(35_000);
  }
});

test("an empty list draws nothing", () => {
  expect(lineWindow({ ...options, count: 0 }, { top: 0, height: 700 })).toEqual({
    start: 0,
    end: 0,
    before: 0,
    after: 0,
  });
});

test.each([
  ["a line that is seen stays", 5, 100, 100],
  ["a line above moves to the top", 1, 100, 35],
  ["a line below moves to the bottom", 40, 0, 40 * 35 + 35 + 35 - 700],
])("%s", (_name, index, top, expected) => {
  expect(scrollTopFor(index, options, { top, height: 700 })).toBe(expected);
});
