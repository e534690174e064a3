import { Download } from "lucide-react";
import type { Column } from "../data-table/column.ts";
import type { MenuAction } from "../Menu.tsx";
import { toastFailed } from "../toasts.ts";

export type ExportFormat = "csv" | "json";

/** What a table offers as a file. */
export interface Exported<Row> {
  /** Of the file, without its ending. */
  name: string;
  columns: () => readonly Column<Row>[];
  loadRows: () => readonly Row[] | Promise<readonly Row[]>;
}

async function exportAs<Row>(format: ExportFormat, { name, columns, loadRows }: Exported<Row>) {
  try {
    const [{ downloadRows }, rows] = await Promise.all([import("./export-rows.ts"), loadRows()]);
    downloadRows(name, format, columns(), rows);
  } catch (failure) {
    toastFailed(
      `The export could not be made: ${failure instanceof Error ? failure.message : "the connection was lost."}`,
    );
  }
}

/** The entries of a menu that export what is shown. */
export const exportEntries = <Row,>(exported: Exported<Row>): MenuAction[] =>
  (["csv", "json"] as const).map((format) => ({
    kind: "action",
    label: `Export as ${format.toUpperCase()}`,
    icon: <Download size={14} strokeWidth={1.75} />,
    onSelect: () => void exportAs(format, exported),
  }));
