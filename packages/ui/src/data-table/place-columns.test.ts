import { describe, expect, test } from "vitest";
import { actionsColumn } from "../list-table/stock-columns.tsx";
import type { Column } from "./column.ts";
import {
  asDeclared,
  columnsWithoutRoom,
  cssWidth,
  placeColumns,
  showingOnly,
  shownIds,
  type ColumnState,
  withTicked,
} from "./place-columns.ts";

const columns: Column<object>[] = [
  { id: "name", header: "Name", renderCell: () => null },
  { id: "type", header: "Type", renderCell: () => null, width: 90 },
  { id: "size", header: "Size", renderCell: () => null, width: 60 },
  { id: "act", header: "Actions", renderCell: () => null, width: 40, pinned: "end" },
];
const placed = (state: Partial<ColumnState> = {}, selectionWidth = 0) => {
  const { columns: shown, ...rest } = placeColumns(
    columns,
    { ...asDeclared, ...state },
    selectionWidth,
  );
  return {
    ...rest,
    order: shown
      .map(
        ({ column, width, pin }) =>
          `${column.id} ${width ?? "*"}${pin ? ` ${pin.side} ${pin.offset}${pin.isInnermost ? "|" : ""}` : ""}`,
      )
      .join(", "),
  };
};

test("what can be done with a row is there however narrow the list", () => {
  const { column, pin } = placeColumns([columns[0]!, actionsColumn(() => null)], asDeclared, 0)
    .columns[1]!;
  expect([column.id, pin?.side]).toEqual(["actions", "end"]);
});

test("a column that is declared to stay stands at its edge", () => {
  expect(placed()).toEqual({
    order: "name *, type 90, size 60, act 40 end 0|",
    leastWidth: 390,
    fullWidth: 390,
    hasPinned: true,
    hasFiller: false,
  });
});

test("what the reader keeps in view comes first, one beside the other", () => {
  expect(placed({ pinned: { size: true, type: true } }, 36).order).toBe(
    "type 90 start 36, size 60 start 126|, name *, act 40 end 0|",
  );
});

test("the column that takes what is left has a width of its own once it stays in view", () => {
  expect(placed({ pinned: { name: true } })).toMatchObject({
    order: "name 200 start 0|, type 90, size 60, act 40 end 0|",
    hasFiller: true,
  });
});

test("the reader lets go of what was declared to stay, and of columns", () => {
  expect(placed({ pinned: { act: false }, hidden: { type: true }, sizes: { size: 80 } })).toEqual({
    order: "name *, size 80, act 40",
    leastWidth: 320,
    fullWidth: 320,
    hasPinned: false,
    hasFiller: false,
  });
});

test("two at the end stand side by side", () => {
  const [, , size, act] = columns;
  const both = [{ ...size!, pinned: "end" as const }, act!];
  expect(placeColumns(both, asDeclared, 0).columns.map(({ pin }) => pin?.offset)).toEqual([40, 0]);
});

test("a column that starts hidden is shown by who wants it; an address names just those that it shows", () => {
  const own = [
    { id: "name", header: "Name", hideable: false, renderCell: () => null },
    { id: "age", header: "Age", renderCell: () => null },
    { id: "type", header: "Type", startsHidden: true, renderCell: () => null },
  ];
  expect(shownIds(own, asDeclared)).toEqual(["age"]);
  expect(shownIds(own, { hidden: { type: false, age: true } })).toEqual(["type"]);
  const named = showingOnly(own, asDeclared, ["type", "unheard of"]);
  expect(placeColumns(own, named, 0).columns.map(({ column }) => column.id)).toEqual([
    "name",
    "type",
  ]);
});

describe("where there is no room for all columns", () => {
  const some: Column<object>[] = [
    { id: "name", header: "Name", renderCell: () => null, minWidth: 200 },
    { id: "age", header: "Age", renderCell: () => null, width: 100, dropOrder: 2 },
    { id: "tags", header: "Tags", renderCell: () => null, width: 150, minWidth: 90, dropOrder: 3 },
    { id: "cost", header: "Cost", renderCell: () => null, width: 80, dropOrder: 1 },
  ];
  const without = (room: number, state: Partial<ColumnState> = {}) =>
    columnsWithoutRoom(some, { ...asDeclared, ...state }, room);

  test("each is as narrow as it can be before one leaves, the most dispensable first, and one that has no number never", () => {
    expect(without(470)).toEqual([]);
    expect(without(469)).toEqual(["cost"]);
    expect(without(389)).toEqual(["cost", "age"]);
    expect(without(289)).toEqual(["cost", "age", "tags"]);
    expect(without(10)).toEqual(["cost", "age", "tags"]);
  });

  test("what the reader keeps in spite of the room or in view stays, and others leave for it", () => {
    expect(without(389, { kept: { cost: true } })).toEqual(["age"]);
    expect(without(389, { pinned: { cost: true } })).toEqual(["age"]);
    expect(without(10, { kept: { cost: true, age: true, tags: true } })).toEqual([]);
    expect(without(389, { sizes: { cost: 80 } })).toEqual(["age"]);
    expect(columnsWithoutRoom(some, asDeclared, 389, "cost")).toEqual(["age"]);
  });

  test("what is hidden needs none, and what is made wider needs more", () => {
    expect(without(389, { hidden: { age: true } })).toEqual([]);
    expect(without(470, { sizes: { tags: 91 } })).toEqual(["cost"]);
  });

  test("what an address names leaves as well", () => {
    const named = showingOnly(some, asDeclared, ["name", "age", "cost"]);
    expect(columnsWithoutRoom(some, named, 300)).toEqual(["cost"]);
  });

  test("what is ticked is kept where it has no room, and leaves like any other where it had some", () => {
    const ticked = { ...asDeclared, hidden: { cost: false } };
    expect(withTicked(some, ticked, "cost", 389).kept).toEqual({ cost: true });
    const withRoom = withTicked(some, ticked, "cost", 470);
    expect(withRoom.kept).toEqual({});
    expect(columnsWithoutRoom(some, withRoom, 389)).toContain("cost");
  });
});

test("a column with a width and a least one gives way, unless the reader has made it as wide", () => {
  const some: Column<object>[] = [
    { id: "name", header: "Name", renderCell: () => null, minWidth: 200 },
    { id: "bars", header: "Bars", renderCell: () => null, width: 168, minWidth: 120 },
    { id: "type", header: "Type", renderCell: () => null, width: 90 },
  ];
  const table = placeColumns(some, asDeclared, 36);
  expect([table.leastWidth, table.fullWidth]).toEqual([446, 494]);
  expect(table.columns.map((column) => cssWidth(column, table))).toEqual([
    undefined,
    "clamp(120px, 168px - (494px - 100cqw) * 1, 168px)",
    90,
  ]);
  const sized = placeColumns(some, { ...asDeclared, sizes: { bars: 150 } }, 36);
  expect([sized.leastWidth, sized.fullWidth, sized.columns[1]?.width]).toEqual([476, 476, 150]);
  expect(placeColumns(some, { ...asDeclared, pinned: { bars: true } }, 36).leastWidth).toBe(494);
});
