import { expect, test } from "vitest";
import { nextPageSize } from "./use-growing-page.ts";

test.each([
  ["the last of a full page was reached", 50, 50, 1_000, 100],
  ["again", 100, 100, 1_000, 200],
  ["more rows are still on their way", 100, 50, 1_000, 100],
  ["all rows are here", 200, 130, 130, 200],
  ["nobody counted", 50, 50, Number.POSITIVE_INFINITY, 100],
  ["nobody counted and fewer came", 100, 70, Number.POSITIVE_INFINITY, 100],
])("%s", (_name, pageSize, loaded, total, expected) => {
  expect(nextPageSize(pageSize, loaded, total)).toBe(expected);
});
