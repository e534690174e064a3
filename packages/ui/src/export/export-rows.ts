import type { CellValue, Column } from "../data-table/column.ts";
import type { ExportFormat } from "./export-entries.tsx";
import { saveFile } from "./save-file.ts";

const plainValue = (value: CellValue): string | number | boolean | null => {
  if (value === null || value === undefined || Number.isNaN(value)) return null;
  if (!(value instanceof Date)) return value;
  return Number.isNaN(value.getTime()) ? null : value.toISOString();
};

/** A text that a spreadsheet would run as a formula is kept from it by a quote in front. */
function csvCell(value: CellValue): string {
  const plain = plainValue(value);
  if (plain === null) return "";
  const text = String(plain);
  const safe = typeof plain === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The columns that have something to export. */
const exported = <Row>(columns: readonly Column<Row>[]) =>
  columns.flatMap(
    ({ id, header, value, exports }) => exports ?? (value ? [{ id, header, value }] : []),
  );

/** Rows as CSV (RFC 4180): a line of headers, then one line each. */
export function toCsv<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const shown = exported(columns);
  const lines = [
    shown.map(({ header }) => csvCell(header)),
    ...rows.map((row) => shown.map(({ value }) => csvCell(value(row)))),
  ];
  return lines.map((line) => `${line.join(",")}\r\n`).join("");
}

/** Rows as a JSON list of objects whose keys are the columns' ids. */
export function toJson<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const shown = exported(columns);
  const records = rows.map((row) =>
    Object.fromEntries(shown.map(({ id, value }) => [id, plainValue(value(row))])),
  );
  return `${JSON.stringify(records, null, 2)}\n`;
}

/** Hands a text to the browser as a file. */
export function downloadText(name: string, mediaType: string, text: string): void {
  saveFile(name, new Blob([text], { type: `${mediaType};charset=utf-8` }));
}

/** Rows as a file in one of the formats. */
export function downloadRows<Row>(
  name: string,
  format: ExportFormat,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): void {
  if (format === "csv") downloadText(`${name}.csv`, "text/csv", toCsv(columns, rows));
  else downloadText(`${name}.json`, "application/json", toJson(columns, rows));
}
