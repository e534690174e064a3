import { expect, test } from "vitest";
import type { CellValue, Column } from "../data-table/column.ts";
import { toCsv, toJson } from "./export-rows.ts";

const columns: Column<{ name: string; size: CellValue }>[] = [
  { id: "icon", header: "Icon", renderCell: () => null },
  { id: "name", header: 'Name, "full"', renderCell: () => null, value: (row) => row.name },
  { id: "size", header: "Size", renderCell: () => null, value: (row) => row.size },
];

test.each<[string, CellValue, string, CellValue]>([
  ["a", 1, "a,1", 1],
  ["a,b", -1.5, '"a,b",-1.5', -1.5],
  ['say "hi"', true, '"say ""hi""",true', true],
  ["two\nlines", null, '"two\nlines",', null],
  ["=SUM(A1)", Number.NaN, "'=SUM(A1),", null],
  ["-x", undefined, "'-x,", null],
  ["@a", new Date(0), "'@a,1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.000Z"],
  ["+1", "\t=1", "'+1,'\t=1", "\t=1"],
  ["-2+3", "\r=1", "'-2+3,\"'\r=1\"", "\r=1"],
  ["=1,2", '=HYPERLINK("x")', `"'=1,2","'=HYPERLINK(""x"")"`, '=HYPERLINK("x")'],
  ["ü 日本", new Date(Number.NaN), "ü 日本,", null],
])("%j and %s", (name, size, csv, json) => {
  expect(toCsv(columns, [{ name, size }])).toBe(`"Name, ""full""",Size\r\n${csv}\r\n`);
  expect(JSON.parse(toJson(columns, [{ name, size }]))).toEqual([{ name, size: json }]);
});

test("no rows are a header and an empty list", () => {
  expect(toCsv(columns, [])).toBe('"Name, ""full""",Size\r\n');
  expect(JSON.parse(toJson(columns, []))).toEqual([]);
});

test("a header that a spreadsheet would run is kept from it too", () => {
  const evil = [{ id: "a", header: "=1+1", renderCell: () => null, value: () => "x" }];
  expect(toCsv(evil, [{}])).toBe("'=1+1\r\nx\r\n");
});
