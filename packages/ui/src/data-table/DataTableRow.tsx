import type { MouseEvent, ReactNode } from "react";
import { memo } from "react";
import { classNames } from "../class-names.ts";
import type { Column } from "./column.ts";
import { SelectionBox } from "./SelectionCell.tsx";

export interface DataTableRowProps<Row> {
  id: string;
  row: Row;
  index: number;
  height: number;
  columns: readonly Column<Row>[];
  renderPhoneRow: ((row: Row) => ReactNode) | undefined;
  level: number | undefined;
  expanded: boolean | undefined;
  isActive: boolean;
  /** Rows of this table can be chosen; not every one must be. */
  hasSelection: boolean;
  /** Whether the row is chosen; nothing where rows cannot be. */
  isSelected: boolean | undefined;
  onSelect: (id: string, withShift: boolean) => void;
  onActivate: (id: string) => void;
  onOpen: ((row: Row) => void) | undefined;
  onToggle: ((row: Row) => void) | undefined;
}

const ownsItsPress = "a,button,input,select,label,[role=button]";

function DataTableRowPlain<Row>(props: DataTableRowProps<Row>) {
  const {
    id,
    row,
    index,
    height,
    columns,
    renderPhoneRow,
    level,
    expanded,
    isActive,
    isSelected,
    onSelect,
    onActivate,
    onOpen,
    onToggle,
  } = props;
  const isGroup = expanded !== undefined;
  const act = isGroup ? onToggle : onOpen;

  const onClick = (event: MouseEvent) => {
    if (event.target instanceof Element && event.target.closest(ownsItsPress)) return;
    if (window.getSelection()?.isCollapsed === false) return;
    onActivate(id);
    act?.(row);
  };

  return (
    <tr
      data-row-id={id}
      aria-rowindex={index + 2}
      aria-level={level}
      aria-expanded={expanded}
      aria-selected={isSelected}
      tabIndex={isActive ? 0 : -1}
      onFocus={() => onActivate(id)}
      onClick={onClick}
      style={{ height }}
      className={classNames(
        "group/row hover:bg-hover focus-visible:outline-offset-[-2px]",
        act && "cursor-pointer",
        isGroup && "bg-sunken",
        isSelected === true && "bg-selected",
      )}
    >
      {props.hasSelection && (
        <td className="border-b p-0">
          {isSelected !== undefined && (
            <SelectionBox
              label={`Select row ${index + 1}`}
              state={isSelected ? "all" : "none"}
              onToggle={(withShift) => onSelect(id, withShift)}
            />
          )}
        </td>
      )}
      {renderPhoneRow ? (
        <td className="border-b px-4 py-1">{renderPhoneRow(row)}</td>
      ) : (
        columns.map((column) => (
          <td
            key={column.id}
            className={classNames(
              "overflow-hidden border-b px-2 py-0 text-ellipsis whitespace-nowrap first:pl-4 last:pr-4",
              column.align === "right" && "text-right tabular-nums",
            )}
          >
            {column.renderCell(row)}
          </td>
        ))
      )}
    </tr>
  );
}

// memo loses the type parameter; the cast gives it back.
export const DataTableRow = memo(DataTableRowPlain) as typeof DataTableRowPlain;
