import type { MouseEvent, ReactNode, Ref } from "react";
import { memo } from "react";
import { classNames } from "../class-names.ts";
import type { PlacedColumns } from "./place-columns.ts";
import { pinnedLook, pinnedStyle } from "./pinned-cell.ts";
import { SelectionBox } from "./SelectionCell.tsx";

export interface DataTableRowProps<Row> {
  id: string;
  row: Row;
  index: number;
  height: number;
  placed: PlacedColumns<Row>;
  renderPhoneRow: ((row: Row) => ReactNode) | undefined;
  level: number | undefined;
  expanded: boolean | undefined;
  isActive: boolean;
  /** Rows of this table can be chosen; not every one must be. */
  hasSelection: boolean;
  /** Whether the row is chosen; nothing where rows cannot be. */
  isSelected: boolean | undefined;
  onSelect: (row: Row, withShift: boolean) => void;
  onActivate: (id: string) => void;
  onOpen: ((row: Row) => void) | undefined;
  onToggle: ((row: Row) => void) | undefined;
  /** Told how high it is, where rows are as high as their content. */
  measure: Ref<HTMLTableRowElement> | undefined;
}

const ownsItsPress = "a,button,input,select,label,[role=button]";

function DataTableRowPlain<Row>(props: DataTableRowProps<Row>) {
  const {
    id,
    row,
    index,
    height,
    placed,
    renderPhoneRow,
    level,
    expanded,
    isActive,
    isSelected,
    onSelect,
    onActivate,
    onOpen,
    onToggle,
    hasSelection,
    measure,
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
      ref={measure}
      data-index={index}
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
        // Cells that stay in view hide what passes beneath them with the colour of their row.
        isSelected === true
          ? "bg-selected"
          : isGroup
            ? "bg-sunken"
            : placed.hasPinned && "bg-surface",
      )}
    >
      {hasSelection && (
        <td
          style={placed.hasPinned && !renderPhoneRow ? { left: 0 } : undefined}
          className={classNames(
            "border-b p-0",
            placed.hasPinned && !renderPhoneRow && "sticky z-1 bg-inherit",
          )}
        >
          {isSelected !== undefined && (
            <SelectionBox
              label={`Select row ${index + 1}`}
              state={isSelected ? "all" : "none"}
              onToggle={(withShift) => onSelect(row, withShift)}
            />
          )}
        </td>
      )}
      {renderPhoneRow ? (
        <td className="border-b px-4 py-1">{renderPhoneRow(row)}</td>
      ) : (
        <>
          {placed.columns.map(({ column, pin }) => (
            <td
              key={column.id}
              style={pinnedStyle(pin)}
              className={classNames(
                "overflow-hidden border-b px-2 first:pl-4 last:pr-4",
                column.wraps ? "py-1.5 wrap-anywhere" : "py-0 text-ellipsis whitespace-nowrap",
                column.align === "right" && "text-right tabular-nums",
                pin && "sticky z-1 bg-inherit",
                pinnedLook(pin),
              )}
            >
              {column.renderCell(row)}
            </td>
          ))}
          {placed.hasFiller && <td aria-hidden="true" className="border-b p-0" />}
        </>
      )}
    </tr>
  );
}

// memo loses the type parameter; the cast gives it back.
export const DataTableRow = memo(DataTableRowPlain) as typeof DataTableRowPlain;
