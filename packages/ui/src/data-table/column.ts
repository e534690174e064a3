import type { ReactNode } from "react";

/** What a column sorts, groups and exports by. */
export type CellValue = string | number | boolean | Date | null | undefined;

/** The edge at which a column stays in view when the table is scrolled sideways. */
export type Side = "start" | "end";

/** One column of an exported file. */
export interface ExportedField<Row> {
  id: string;
  header: string;
  value: (row: Row) => CellValue;
}

export interface Column<Row> {
  id: string;
  header: string;
  /** Shown instead of the header's text when the column has none to show. */
  hideHeader?: boolean;
  renderCell: (row: Row) => ReactNode;
  /** What the cell says, without its looks: for sorting, grouping and export. */
  value?: (row: Row) => CellValue;
  /** What of it is exported where that is not just its value under its header. */
  exports?: readonly ExportedField<Row>[];
  /** What it sorts by where that is not what it says. */
  sortValue?: (row: Row) => CellValue;
  /** What a group row shows in this column, e.g. a sum. */
  renderGroup?: (rows: readonly Row[]) => ReactNode;
  /** In pixels; the one column without takes what is left. */
  width?: number;
  /** How narrow the reader may make it. With a width, it is as narrow where there is no more room for all columns. */
  minWidth?: number;
  align?: "left" | "right";
  sortable?: boolean;
  /**
   * Where there is no room for all columns, those with a number leave, the lowest first. A column that holds what a row is
   * known by has none; nor has one of a table in which a column wraps.
   */
  dropOrder?: number;
  /** Whether the reader may hide it; yes unless said. */
  hideable?: boolean;
  /** Hidden until the reader shows it. */
  startsHidden?: boolean;
  /** Stays in view unless the reader says otherwise. */
  pinned?: Side;
  /** Shows all it has to say, in as many lines as that takes: the rows are as high as their content. */
  wraps?: boolean;
}

export interface Sort {
  by: string;
  desc: boolean;
}

/** A header was chosen: ascending, then descending, then as it was. */
export function nextSort(current: Sort | null, columnId: string): Sort | null {
  if (current?.by !== columnId) return { by: columnId, desc: false };
  return current.desc ? null : { by: columnId, desc: true };
}
