import type { CellValue, Column, Sort } from "./column.ts";

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

function isAbsent(value: CellValue): value is null | undefined | "" {
  return value === null || value === undefined || value === "" || Number.isNaN(value);
}

/** The order of two cells that both say something: numbers and dates by size, texts as people sort them. */
function compareValues(a: NonNullable<CellValue>, b: NonNullable<CellValue>): number {
  if (typeof a === "string" || typeof b === "string") return collator.compare(String(a), String(b));
  return Number(a) - Number(b);
}

/** Sorted by a column's value. Rows that have none stay at the end in both directions; equal rows keep their order. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sort: Sort | null,
): readonly Row[] {
  const valueOf = sort && columns.find((column) => column.id === sort.by)?.value;
  if (!valueOf) return rows;
  const direction = sort.desc ? -1 : 1;
  return rows
    .map((row) => ({ row, value: valueOf(row) }))
    .toSorted((a, b) => {
      if (isAbsent(a.value) || isAbsent(b.value))
        return Number(isAbsent(a.value)) - Number(isAbsent(b.value));
      return direction * compareValues(a.value, b.value);
    })
    .map(({ row }) => row);
}

/** A line of a table: a row, or the head of a group of rows. */
export type TableLine<Row> =
  | { kind: "row"; row: Row; isGrouped: boolean }
  | { kind: "group"; id: string; label: string; rows: readonly Row[]; isOpen: boolean };

const nothing = "none";

/** Rows under the heads of their groups, which stand in the order in which their first rows do. */
export function groupRows<Row>(
  rows: readonly Row[],
  column: Column<Row> | undefined,
  isOpen: (groupId: string) => boolean,
): TableLine<Row>[] {
  const valueOf = column?.value;
  if (!column || !valueOf) return rows.map((row) => ({ kind: "row", row, isGrouped: false }));
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const value = valueOf(row);
    const label = isAbsent(value) ? nothing : String(value);
    const group = groups.get(label);
    if (group) group.push(row);
    else groups.set(label, [row]);
  }
  return [...groups].flatMap(([label, members]): TableLine<Row>[] => {
    const id = `${column.id}=${label}`;
    const open = isOpen(id);
    const head: TableLine<Row> = { kind: "group", id, label, rows: members, isOpen: open };
    return open
      ? [head, ...members.map((row): TableLine<Row> => ({ kind: "row", row, isGrouped: true }))]
      : [head];
  });
}
