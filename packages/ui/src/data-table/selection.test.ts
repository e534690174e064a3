import { expect, test } from "vitest";
import { selectionState, toggleAll, toggleRow } from "./selection.ts";

const ids = ["a", "b", "c", "d", "e"];
const list = (selected: ReadonlySet<string>) => [...selected].toSorted().join("");

test.each([
  ["", "b", null, "b"],
  ["b", "b", null, ""],
  ["b", "d", "b", "bcd"],
  ["de", "b", "d", "bcde"],
  ["abcde", "d", "b", "ae"],
  ["", "c", "gone", "c"],
  ["x", "c", null, "cx"],
])("%j, then %s (from %s) is %j", (before, id, anchor, after) => {
  expect(list(toggleRow(new Set(before), ids, id, anchor))).toBe(after);
});

test.each([
  ["", "none"],
  ["ab", "some"],
  ["abcde", "all"],
  ["x", "none"],
])("%j is %s", (selected, state) => {
  expect(selectionState(new Set(selected), ids)).toBe(state);
});

test("all and back, leaving alone what is not shown", () => {
  expect(list(toggleAll(new Set("x"), ids))).toBe("abcdex");
  expect(list(toggleAll(new Set("abcdex"), ids))).toBe("x");
});

test("nothing is not all of nothing", () => {
  expect(selectionState(new Set(), [])).toBe("none");
});
