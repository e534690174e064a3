import { Columns3 } from "lucide-react";
import { IconButton } from "../Button.tsx";
import { Menu } from "../Menu.tsx";
import type { Column } from "./column.ts";
import type { ColumnState } from "./use-column-state.ts";

export interface ColumnMenuProps<Row> {
  columns: readonly Column<Row>[];
  state: ColumnState;
  onChange: (state: ColumnState) => void;
}

export function ColumnMenu<Row>({ columns, state, onChange }: ColumnMenuProps<Row>) {
  return (
    <Menu
      label="Columns"
      renderTrigger={(trigger) => (
        <IconButton
          label="Columns"
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
      ]}
    />
  );
}
