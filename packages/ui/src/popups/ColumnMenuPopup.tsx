import type { MenuEntry, OpenMenuProps } from "../Menu.tsx";
import { MenuPopup } from "./MenuPopup.tsx";
import type { ColumnMenuProps } from "../data-table/ColumnMenu.tsx";
import type { Column } from "../data-table/column.ts";
import { exportEntries } from "../export/export-entries.tsx";
import { asDeclared, isHidden, sideOf } from "../data-table/place-columns.ts";

/** Fewer columns hardly ever scroll sideways. */
const leastToPin = 4;

/** The menu itself, fetched when it is first approached. */
export function ColumnMenuPopup<Row>({
  columns,
  state,
  placed,
  onChange,
  exported,
  ...opened
}: ColumnMenuProps<Row> & OpenMenuProps) {
  const isShown = ({ id }: Column<Row>) => placed.columns.some(({ column }) => column.id === id);
  const hasNoRoom = (column: Column<Row>) => !isHidden(column, state) && !isShown(column);
  const shownCount = columns.filter(isShown).length;
  const pins: MenuEntry[] = [
    { kind: "separator" },
    {
      kind: "checks",
      label: "Keep in view",
      options: columns
        .filter((column) => !column.hideHeader && isShown(column))
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
              checked: isShown(column),
              // A table without columns would have no place for this menu either.
              disabled: shownCount === 1 && isShown(column),
              note: hasNoRoom(column) ? "no room" : undefined,
            })),
          onToggle: (id, checked) =>
            onChange(
              {
                ...state,
                hidden: { ...state.hidden, [id]: !checked },
                kept: { ...state.kept, [id]: false },
              },
              checked ? id : undefined,
            ),
        },
        ...(columns.length >= leastToPin ? pins : []),
        { kind: "separator" },
        {
          kind: "action",
          label: "Reset columns",
          onSelect: () => onChange(asDeclared),
        },
        ...(exported ? [{ kind: "separator" } as const, ...exportEntries(exported)] : []),
      ]}
    />
  );
}
