import { expect, test } from "vitest";
import { groupRows, sortRows, type TableLine } from "./arrange-rows.ts";
import type { CellValue, Column } from "./column.ts";

interface Item {
  name: string;
  size: CellValue;
}

const column = (id: keyof Item): Column<Item> => ({
  id,
  header: id,
  renderCell: (item) => String(item[id]),
  value: (item) => item[id],
});
const columns = [column("name"), column("size")];
const items = (...sizes: CellValue[]): Item[] =>
  sizes.map((size, index) => ({ name: `n${index}`, size }));
const sizes = (rows: readonly Item[]) => rows.map((row) => row.size);

test.each<[string, CellValue[], CellValue[]]>([
  ["numbers by size", [10, 9, 100], [9, 10, 100]],
  ["texts as people sort them", ["b10", "B9", "a"], ["a", "B9", "b10"]],
  ["dates by time", [new Date(2), new Date(1)], [new Date(1), new Date(2)]],
  [
    "nothing at the end",
    [null, 2, undefined, 1, "", Number.NaN],
    [1, 2, null, undefined, "", Number.NaN],
  ],
])("%s", (_name, given, expected) => {
  expect(sizes(sortRows(items(...given), columns, { by: "size", desc: false }))).toEqual(expected);
});

test("descending turns what there is around, and nothing stays at the end", () => {
  expect(sizes(sortRows(items(null, 1, 2), columns, { by: "size", desc: true }))).toEqual([
    2,
    1,
    null,
  ]);
});

test("without a sort, or by a column that has no value, rows stay as they are", () => {
  const rows = items(2, 1);
  expect(sortRows(rows, columns, null)).toBe(rows);
  expect(sortRows(rows, columns, { by: "other", desc: false })).toBe(rows);
});

const words = (lines: TableLine<Item>[]) =>
  lines.map((line) =>
    line.kind === "group" ? `${line.label} (${line.rows.length})` : `  ${line.row.name}`,
  );

test("rows stand under the heads of their groups; closed ones hide theirs", () => {
  const rows = items("eu", "us", "eu", null);
  expect(words(groupRows(rows, columns[1], (id) => id !== "size=us"))).toEqual([
    "eu (2)",
    "  n0",
    "  n2",
    "us (1)",
    "none (1)",
    "  n3",
  ]);
});

test("without a column nothing is grouped", () => {
  expect(words(groupRows(items(1, 2), undefined, () => true))).toEqual(["  n0", "  n1"]);
});
