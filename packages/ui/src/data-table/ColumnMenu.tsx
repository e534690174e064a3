import { Columns3, Download } from "lucide-react";
import { IconButton } from "../Button.tsx";
import { Menu } from "../Menu.tsx";
import type { Column } from "./column.ts";
import type { ColumnState } from "./use-column-state.ts";

export interface ColumnMenuProps<Row> {
  columns: readonly Column<Row>[];
  state: ColumnState;
  onChange: (state: ColumnState) => void;
  /** Offers what is shown as a file. */
  onExport: ((format: "csv" | "json") => void) | undefined;
}

export function ColumnMenu<Row>({ columns, state, onChange, onExport }: ColumnMenuProps<Row>) {
  const name = onExport ? "Columns and export" : "Columns";
  return (
    <Menu
      label={name}
      renderTrigger={(trigger) => (
        <IconButton
          label={name}
          icon={<Columns3 size={14} strokeWidth={1.75} />}
          {...trigger}
          className="size-6!"
        />
      )}
      entries={[
        {
          kind: "checks",
          label: "Columns",
          options: columns
            .filter((column) => column.hideable !== false)
            .map((column) => ({
              id: column.id,
              label: column.header,
              checked: !state.hidden[column.id],
            })),
          onToggle: (id, checked) =>
            onChange({ ...state, hidden: { ...state.hidden, [id]: !checked } }),
        },
        { kind: "separator" },
        {
          kind: "action",
          label: "Reset columns",
          onSelect: () => onChange({ hidden: {}, sizes: {} }),
        },
        ...(onExport
          ? [
              { kind: "separator" } as const,
              {
                kind: "action",
                label: "Export as CSV",
                icon: <Download size={14} strokeWidth={1.75} />,
                onSelect: () => onExport("csv"),
              } as const,
              {
                kind: "action",
                label: "Export as JSON",
                icon: <Download size={14} strokeWidth={1.75} />,
                onSelect: () => onExport("json"),
              } as const,
            ]
          : []),
      ]}
    />
  );
}
