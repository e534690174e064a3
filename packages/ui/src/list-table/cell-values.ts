import type { CellValue } from "../data-table/column.ts";

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

/** A value as rows are sorted by it: what says nothing is undefined. */
export function toSortable(value: CellValue): string | number | undefined {
  if (value === null || value === undefined || value === "" || Number.isNaN(value))
    return undefined;
  return typeof value === "string" ? value : Number(value);
}

/** A value as the head of a group says it. */
export const toCellText = (value: CellValue): string =>
  toSortable(value) === undefined ? "none" : String(value);

/** The order of two cells that both say something: numbers and dates by size, texts as people sort them. */
export function compareValues(
  a: string | number | undefined,
  b: string | number | undefined,
): number {
  if (typeof a === "string" || typeof b === "string") return collator.compare(String(a), String(b));
  return Number(a) - Number(b);
}
