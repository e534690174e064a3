import { Columns3 } from "lucide-react";
import { IconButton } from "../Button.tsx";
import { Menu, type MenuEntry } from "../Menu.tsx";
import type { Column } from "./column.ts";
import { exportEntries, type ExportFormat } from "./export-entries.tsx";
import { asDeclared, type ColumnState, sideOf } from "./place-columns.ts";

export interface ColumnMenuProps<Row> {
  columns: readonly Column<Row>[];
  state: ColumnState;
  onChange: (state: ColumnState) => void;
  /** Offers what is shown as a file. */
  onExport: ((format: ExportFormat) => void) | undefined;
}

/** Fewer columns hardly ever scroll sideways. */
const leastToPin = 4;

export function ColumnMenu<Row>({ columns, state, onChange, onExport }: ColumnMenuProps<Row>) {
  const name = onExport ? "Columns and export" : "Columns";
  const shownCount = columns.filter((column) => !state.hidden[column.id]).length;
  const pins: MenuEntry[] = [
    { kind: "separator" },
    {
      kind: "checks",
      label: "Keep in view",
      options: columns
        .filter((column) => !column.hideHeader && !state.hidden[column.id])
        .map((column) => ({
          id: column.id,
          label: column.header,
          checked: sideOf(column, state) !== undefined,
        })),
      onToggle: (id, checked) => onChange({ ...state, pinned: { ...state.pinned, [id]: checked } }),
    },
  ];
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
        ...(columns.length >= leastToPin ? pins : []),
        { kind: "separator" },
        {
          kind: "action",
          label: "Reset columns",
          onSelect: () => onChange(asDeclared),
        },
        ...(onExport ? [{ kind: "separator" } as const, ...exportEntries(onExport)] : []),
      ]}
    />
  );
}
