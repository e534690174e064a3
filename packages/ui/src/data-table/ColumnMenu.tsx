import { Columns3 } from "lucide-react";
import { IconButton } from "../Button.tsx";
import { Menu } from "../Menu.tsx";
import type { Column } from "./column.ts";
import { exportEntries, type ExportFormat } from "./export-entries.tsx";
import type { ColumnState } from "./use-column-state.ts";

export interface ColumnMenuProps<Row> {
  columns: readonly Column<Row>[];
  state: ColumnState;
  onChange: (state: ColumnState) => void;
  /** Offers what is shown as a file. */
  onExport: ((format: ExportFormat) => void) | undefined;
}

export function ColumnMenu<Row>({ columns, state, onChange, onExport }: ColumnMenuProps<Row>) {
  const name = onExport ? "Columns and export" : "Columns";
  const shownCount = columns.filter((column) => !state.hidden[column.id]).length;
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
              // A table without columns would have no place for this menu either.
              disabled: shownCount === 1 && !state.hidden[column.id],
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
        ...(onExport ? [{ kind: "separator" } as const, ...exportEntries(onExport)] : []),
      ]}
    />
  );
}
