import { ChevronDown, ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { useMemo, useState } from "react";
import { Pagination, type PaginationProps } from "../Pagination.tsx";
import { groupRows, sortRows, type TableLine } from "./arrange-rows.ts";
import { BulkBar } from "./BulkBar.tsx";
import type { Column, Sort } from "./column.ts";
import { DataTable, type DataTableProps } from "./DataTable.tsx";
import type { Selection } from "./selection.ts";

type Passed = "label" | "isLoading" | "empty" | "storageKey" | "exportName" | "onEndReached";

export interface ListTableProps<Row extends object> extends Pick<DataTableProps<Row>, Passed> {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowId: (row: Row) => string;
  onOpen?: (row: Row) => void;
  /** Two lines for a phone; the first columns when left out. */
  renderPhoneRow?: (row: Row) => ReactNode;
  sort?: Sort | null;
  onSort?: (sort: Sort | null) => void;
  /** The rows come in order already, because only some of them are here. */
  isSortedElsewhere?: boolean;
  /** The column whose values make the groups. */
  groupBy?: string | null;
  selection?: Selection;
  /** What can be done with the chosen rows that are here. */
  renderBulkActions?: (rows: readonly Row[]) => ReactNode;
  /** Page controls below the rows. */
  pages?: PaginationProps;
}

function FirstColumns<Row>({ columns, row }: { columns: readonly Column<Row>[]; row: Row }) {
  const [first, ...others] = columns.filter((column) => column.header !== "");
  return (
    <span className="flex min-w-0 flex-col">
      <span className="truncate text-sm font-medium">{first?.renderCell(row)}</span>
      <span className="flex min-w-0 gap-3 truncate text-xs text-muted">
        {others.slice(0, 3).map((column) => (
          <span key={column.id} className="min-w-0 truncate">
            {column.renderCell(row)}
          </span>
        ))}
      </span>
    </span>
  );
}

const number = new Intl.NumberFormat();

function GroupHead({ label, count, isOpen }: { label: string; count: number; isOpen: boolean }) {
  const Mark = isOpen ? ChevronDown : ChevronRight;
  return (
    <span className="inline-flex max-w-full items-center gap-1 align-middle text-sm font-medium">
      <Mark aria-hidden="true" size={14} strokeWidth={1.75} className="shrink-0 text-muted" />
      <span className="truncate">{label}</span>
      <span className="text-xs font-normal text-muted tabular-nums">{number.format(count)}</span>
    </span>
  );
}

function asLineColumns<Row>(
  columns: readonly Column<Row>[],
  isGrouped: boolean,
): Column<TableLine<Row>>[] {
  return columns.map((column, index) => {
    const { value, renderGroup, renderCell, ...looks } = column;
    return {
      ...looks,
      ...(value
        ? { value: (line: TableLine<Row>) => (line.kind === "row" ? value(line.row) : null) }
        : {}),
      // The first column carries the heads of the groups.
      ...(isGrouped && index === 0 ? { hideable: false } : {}),
      renderCell: (line) => {
        if (line.kind === "row") {
          return index === 0 && line.isGrouped ? (
            <span className="pl-4.5">{renderCell(line.row)}</span>
          ) : (
            renderCell(line.row)
          );
        }
        if (index === 0)
          return <GroupHead label={line.label} count={line.rows.length} isOpen={line.isOpen} />;
        return renderGroup?.(line.rows);
      },
    };
  });
}

const noToggles: ReadonlyMap<string, boolean> = new Map();

/** The table of a list page: sorts, groups, chooses, exports and pages what it is given. */
export function ListTable<Row extends object>(props: ListTableProps<Row>) {
  const { columns, rows, rowId, sort = null, isSortedElsewhere = false, selection, pages } = props;
  const { groupBy = null, onOpen } = props;
  const [toggled, setToggled] = useState(noToggles);

  // A sort is a new object on every render of its owner; what it says is compared instead.
  const sortBy = sort?.by;
  const sortDesc = sort?.desc ?? false;
  const lines = useMemo(() => {
    const wanted =
      sortBy === undefined || isSortedElsewhere ? null : { by: sortBy, desc: sortDesc };
    const sorted = sortRows(rows, columns, wanted);
    return groupRows(
      sorted,
      columns.find((column) => column.id === groupBy),
      (id) => toggled.get(id) ?? true,
    );
  }, [rows, columns, sortBy, sortDesc, isSortedElsewhere, groupBy, toggled]);
  const isGrouped = lines.some((line) => line.kind === "group");
  const lineColumns = useMemo(() => asLineColumns(columns, isGrouped), [columns, isGrouped]);
  const chosen = selection ? rows.filter((row) => selection.selected.has(rowId(row))) : [];

  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <DataTable<TableLine<Row>>
        label={props.label}
        columns={lineColumns}
        rows={lines}
        rowId={(line) => (line.kind === "group" ? line.id : rowId(line.row))}
        {...(isGrouped
          ? {
              level: (line) => (line.kind === "row" ? 2 : 1),
              isExpanded: (line) => (line.kind === "group" ? line.isOpen : undefined),
              onToggle: (line) => {
                if (line.kind === "group") setToggled(new Map(toggled).set(line.id, !line.isOpen));
              },
            }
          : {})}
        {...(onOpen
          ? {
              onOpen: (line) => {
                if (line.kind === "row") onOpen(line.row);
              },
            }
          : {})}
        renderPhoneRow={(line) =>
          line.kind === "group" ? (
            <GroupHead label={line.label} count={line.rows.length} isOpen={line.isOpen} />
          ) : (
            (props.renderPhoneRow?.(line.row) ?? <FirstColumns columns={columns} row={line.row} />)
          )
        }
        sort={sort}
        {...(props.onSort ? { onSort: props.onSort } : {})}
        {...(props.isLoading === undefined ? {} : { isLoading: props.isLoading })}
        empty={props.empty}
        {...(props.storageKey === undefined ? {} : { storageKey: props.storageKey })}
        selection={selection}
        isSelectable={selection && ((line) => line.kind === "row")}
        exportName={props.exportName}
        onEndReached={props.onEndReached}
      />
      {selection && (
        <BulkBar count={selection.selected.size} onClear={() => selection.onChange(new Set())}>
          {props.renderBulkActions?.(chosen)}
        </BulkBar>
      )}
      {pages && (
        <div className="shrink-0 overflow-x-auto border-t px-4 py-1.5">
          <Pagination {...pages} />
        </div>
      )}
    </div>
  );
}
