/** Columns padded to their widest cell, two spaces apart, as terminals expect. */
export function formatTable(head: string[], rows: string[][]): string {
  const all = [head, ...rows].map((row) => row.map(oneLine));
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** What comes from outside neither breaks the table nor steers the terminal. */
const oneLine = (cell: string) => cell.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ");
