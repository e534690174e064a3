import { ArrowDown, ArrowUp } from "lucide-react";
import type { PointerEvent, ReactNode } from "react";
import { useRef } from "react";
import { classNames } from "../class-names.ts";
import { nextSort, type Sort } from "./column.ts";
import type { PlacedColumns } from "./place-columns.ts";
import { pinnedLook, pinnedStyle } from "./pinned-cell.ts";

export interface DataTableHeaderProps<Row> {
  placed: PlacedColumns<Row>;
  sort: Sort | null;
  onSort: ((sort: Sort | null) => void) | undefined;
  onResize: (columnId: string, width: number) => void;
  /** Drawn in the first column when that has no header to show; without, the menu lies over the last one. */
  menu: ReactNode;
  /** The box that chooses all rows, where rows can be chosen. */
  selectAll?: ReactNode;
}

const widest = 1200;
const keyboardStep = 16;

function ResizeHandle({
  header,
  width,
  least,
  onResize,
}: {
  header: string;
  width: number | undefined;
  least: number;
  onResize: (width: number) => void;
}) {
  const start = useRef<{ x: number; width: number } | null>(null);
  const widthOf = (element: Element) =>
    element.closest("th")?.getBoundingClientRect().width ?? least;
  const resize = (width: number) => onResize(Math.round(Math.min(widest, Math.max(least, width))));

  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    start.current = { x: event.clientX, width: widthOf(event.currentTarget) };
  };
  return (
    <span
      role="separator"
      aria-orientation="vertical"
      aria-label={`Width of ${header}`}
      aria-valuenow={width ?? least}
      aria-valuemin={least}
      aria-valuemax={widest}
      tabIndex={0}
      data-tooltip="Drag, or use the arrow keys"
      className="absolute top-1.5 right-0 bottom-1.5 w-1.5 cursor-col-resize touch-none border-r border-border hover:border-accent"
      onPointerDown={onPointerDown}
      onPointerMove={(event) => {
        if (start.current) resize(start.current.width + event.clientX - start.current.x);
      }}
      onPointerUp={() => {
        start.current = null;
      }}
      onKeyDown={(event) => {
        const step = { ArrowLeft: -keyboardStep, ArrowRight: keyboardStep }[event.key];
        if (step === undefined) return;
        event.preventDefault();
        resize(widthOf(event.currentTarget) + step);
      }}
    />
  );
}

export function DataTableHeader<Row>({
  placed,
  sort,
  onSort,
  onResize,
  menu,
  selectAll,
}: DataTableHeaderProps<Row>) {
  return (
    <thead>
      <tr className="h-[35px]">
        {selectAll !== undefined && (
          <th
            scope="col"
            style={placed.hasPinned ? { left: 0 } : undefined}
            className={classNames(
              "sticky top-0 border-b bg-surface p-0",
              placed.hasPinned ? "z-15" : "z-10",
            )}
          >
            {selectAll}
          </th>
        )}
        {placed.columns.map(({ column, width, pin }, index) => {
          const sorted = sort?.by === column.id ? (sort.desc ? "descending" : "ascending") : "none";
          const isLast = index === placed.columns.length - 1;
          const isFirst = index === 0;
          return (
            <th
              key={column.id}
              scope="col"
              aria-sort={column.sortable ? sorted : undefined}
              style={pinnedStyle(pin)}
              className={classNames(
                "group/th sticky top-0 border-b bg-surface px-2 text-xs font-medium text-muted first:pl-4",
                pin ? "z-15" : "z-10",
                pinnedLook(pin),
                menu === undefined ? "last:pr-10" : "last:pr-4",
                column.align === "right" ? "text-right" : "text-left",
              )}
            >
              <span
                className={classNames(
                  "flex min-w-0 items-center",
                  column.align === "right" && "justify-end",
                )}
              >
                {column.sortable && onSort ? (
                  <button
                    type="button"
                    onClick={() => onSort(nextSort(sort, column.id))}
                    className="-mx-1 flex min-w-0 items-center gap-1 rounded-control border-0 bg-transparent px-1 py-0.5 hover:text-text"
                  >
                    <span className={classNames("truncate", sorted !== "none" && "text-text")}>
                      {column.header}
                    </span>
                    {sorted === "ascending" && (
                      <ArrowUp aria-hidden="true" size={12} strokeWidth={2} />
                    )}
                    {sorted === "descending" && (
                      <ArrowDown aria-hidden="true" size={12} strokeWidth={2} />
                    )}
                  </button>
                ) : (
                  <span className={column.hideHeader ? "sr-only" : "truncate"}>
                    {column.header}
                  </span>
                )}
                {isFirst && menu !== undefined && (
                  <span className={column.hideHeader ? "-ml-2" : "ml-1"}>{menu}</span>
                )}
              </span>
              {!isLast && !column.hideHeader && (
                <ResizeHandle
                  header={column.header}
                  width={width}
                  least={column.minWidth ?? 48}
                  onResize={(width) => onResize(column.id, width)}
                />
              )}
            </th>
          );
        })}
        {placed.hasFiller && (
          <td aria-hidden="true" className="sticky top-0 z-10 border-b bg-surface p-0" />
        )}
      </tr>
    </thead>
  );
}
