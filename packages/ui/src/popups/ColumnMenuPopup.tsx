import type { MenuEntry, OpenMenuProps } from "../Menu.tsx";
import { MenuPopup } from "./MenuPopup.tsx";
import type { ColumnMenuProps } from "../data-table/ColumnMenu.tsx";
import { exportEntries } from "../data-table/export-entries.tsx";
import { asDeclared, isHidden, sideOf } from "../data-table/place-columns.ts";

/** Fewer columns hardly ever scroll sideways. */
const leastToPin = 4;

/** The menu itself, fetched when it is first approached. */
export function ColumnMenuPopup<Row>({
  columns,
  state,
  onChange,
  onExport,
  ...opened
}: ColumnMenuProps<Row> & OpenMenuProps) {
  const shownCount = columns.filter((column) => !isHidden(column, state)).length;
  const pins: MenuEntry[] = [
    { kind: "separator" },
    {
      kind: "checks",
      label: "Keep in view",
      options: columns
        .filter((column) => !column.hideHeader && !isHidden(column, state))
        .map((column) => ({
          id: column.id,
          label: column.header,
          checked: sideOf(column, state) !== undefined,
        })),
      onToggle: (id, checked) => onChange({ ...state, pinned: { ...state.pinned, [id]: checked } }),
    },
  ];
  return (
    <MenuPopup
      {...opened}
      entries={[
        {
          kind: "checks",
          label: "Columns",
          options: columns
            .filter((column) => column.hideable !== false)
            .map((column) => ({
              id: column.id,
              label: column.header,
              checked: !isHidden(column, state),
              // A table without columns would have no place for this menu either.
              disabled: shownCount === 1 && !isHidden(column, state),
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
