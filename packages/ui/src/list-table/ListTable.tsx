import {
  columnGroupingFeature,
  createExpandedRowModel,
  createGroupedRowModel,
  createSortedRowModel,
  type ColumnDef,
  type Row as TableRow,
  rowExpandingFeature,
  rowSelectionFeature,
  type RowSelectionState,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { ChevronDown, ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { useMemo, useState } from "react";
import { BulkBar } from "./BulkBar.tsx";
import type { Column, Sort } from "../data-table/column.ts";
import { compareValues, toCellText, toSortable } from "./cell-values.ts";
import { DataTable, type DataTableProps } from "../data-table/DataTable.tsx";

/** What of the table library is used: each feature costs bytes (decision 5). */
const features = tableFeatures({
  rowSortingFeature,
  columnGroupingFeature,
  rowExpandingFeature,
  rowSelectionFeature,
  sortedRowModel: createSortedRowModel(),
  groupedRowModel: createGroupedRowModel(),
  expandedRowModel: createExpandedRowModel(),
});
type Line<Row extends object> = TableRow<typeof features, Row>;

/** The ids of the rows that are chosen. */
export type Selected = RowSelectionState;

export interface Selection {
  selected: Selected;
  onChange: (selected: Selected) => void;
}

type Passed = "label" | "isLoading" | "empty" | "storageKey" | "exportName" | "onEndReached";

export interface ListTableProps<Row extends object> extends Pick<DataTableProps<Row>, Passed> {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowId: (row: Row) => string;
  onOpen?: ((row: Row) => void) | undefined;
  /** Two lines for a phone; the first columns when left out. */
  renderPhoneRow?: (row: Row) => ReactNode;
  sort?: Sort | null;
  onSort?: (sort: Sort | null) => void;
  /** The rows come in order already, because only some of them are here. */
  isSortedElsewhere?: boolean;
  /** The column whose values make the groups, which stand in the order of their first rows. */
  groupBy?: string | null | undefined;
  selection?: Selection | undefined;
  /** Whether a row may be chosen; all may unless said. */
  isSelectable?: ((row: Row) => boolean) | undefined;
  /** What can be done with the chosen rows that are here. */
  renderBulkActions?: ((rows: readonly Row[]) => ReactNode) | undefined;
  /** The rows to export where only some of them are here. */
  loadExport?: (() => Promise<readonly Row[]>) | undefined;
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

function GroupHead<Row extends object>({ line }: { line: Line<Row> }) {
  const Mark = line.getIsExpanded() ? ChevronDown : ChevronRight;
  return (
    <span className="inline-flex max-w-full items-center gap-1 align-middle text-sm font-medium">
      <Mark aria-hidden="true" size={14} strokeWidth={1.75} className="shrink-0 text-muted" />
      <span className="truncate">{String(line.groupingValue)}</span>
      <span className="text-xs font-normal text-muted tabular-nums">
        {number.format(line.subRows.length)}
      </span>
    </span>
  );
}

/** How the columns of a list say what they hold to the table library. */
const asDefinitions = <Row extends object>(
  columns: readonly Column<Row>[],
): ColumnDef<typeof features, Row>[] =>
  columns.map(({ id, value, sortValue = value }) => ({
    id,
    ...(value && {
      accessorFn: (row) => toSortable(sortValue?.(row)),
      getGroupingValue: (row) => toCellText(value(row)),
    }),
    // What says nothing stands last, whichever way.
    sortUndefined: "last",
    sortFn: (one, other, columnId) =>
      compareValues(one.getValue(columnId), other.getValue(columnId)),
  }));

function asLineColumns<Row extends object>(
  columns: readonly Column<Row>[],
  isGrouped: boolean,
): Column<Line<Row>>[] {
  return columns.map((column, index) => {
    const { value, exports, sortValue: _, renderGroup, renderCell, ...looks } = column;
    return {
      ...looks,
      ...(value && { value: (line: Line<Row>) => value(line.original) }),
      ...(exports && {
        exports: exports.map((field) => ({
          ...field,
          value: (line: Line<Row>) => field.value(line.original),
        })),
      }),
      // The first column carries the heads of the groups.
      ...(isGrouped && index === 0 ? { hideable: false } : {}),
      renderCell: (line) => {
        if (!line.getIsGrouped()) {
          const cell = renderCell(line.original);
          return index === 0 && isGrouped ? <span className="pl-4.5">{cell}</span> : cell;
        }
        if (index === 0) return <GroupHead line={line} />;
        return renderGroup?.(line.subRows.map(({ original }) => original));
      },
    };
  });
}

const nothing: Selected = {};

/** The table of a list page: sorts, groups, chooses and exports what it is given. */
export function ListTable<Row extends object>(props: ListTableProps<Row>) {
  const { columns, rows, rowId, sort = null, isSortedElsewhere = false, selection } = props;
  const { groupBy = null, onOpen, isSelectable, loadExport } = props;
  const [toggled, setToggled] = useState<Readonly<Record<string, boolean>>>({});

  // A sort is a new object on every render of its owner; what it says is compared instead.
  const [sortBy, sortDesc] = [sort?.by, sort?.desc ?? false];
  const sorting = useMemo(
    () => (sortBy === undefined ? [] : [{ id: sortBy, desc: sortDesc }]),
    [sortBy, sortDesc],
  );
  const isGrouped = columns.some(({ id, value }) => id === groupBy && value !== undefined);
  const grouping = useMemo(() => (isGrouped && groupBy ? [groupBy] : []), [isGrouped, groupBy]);
  const definitions = useMemo(() => asDefinitions(columns), [columns]);
  // Groups are open until they are closed; the name of none stands for those.
  const expanded = useMemo(() => ({ ...toggled, "": true }), [toggled]);
  const table = useTable({
    features,
    columns: definitions,
    data: rows,
    getRowId: rowId,
    state: { sorting, grouping, expanded, rowSelection: selection?.selected ?? nothing },
    manualSorting: isSortedElsewhere,
    autoResetAll: false,
    getIsRowExpanded: (line) => toggled[line.id] ?? true,
    enableRowSelection: (line) => !line.getIsGrouped() && (isSelectable?.(line.original) ?? true),
    isRowRangeSelectionEvent: (event) => (event as { shiftKey?: boolean }).shiftKey === true,
    onRowSelectionChange: (next) =>
      selection?.onChange(typeof next === "function" ? next(selection.selected) : next),
  });
  const lines = table.getRowModel().rows;
  const lineColumns = useMemo(() => asLineColumns(columns, isGrouped), [columns, isGrouped]);
  const chosen = selection ? table.getSelectedRowModel().flatRows : [];
  const isAll = chosen.length > 0 && table.getIsAllRowsSelected();

  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <DataTable<Line<Row>>
        label={props.label}
        columns={lineColumns}
        rows={lines}
        rowId={lineId}
        {...(isGrouped
          ? {
              level: (line) => line.depth + 1,
              isExpanded: (line) => (line.getIsGrouped() ? line.getIsExpanded() : undefined),
              onToggle: (line) => setToggled({ ...toggled, [line.id]: !line.getIsExpanded() }),
            }
          : {})}
        {...(onOpen && { onOpen: (line) => onOpen(line.original) })}
        renderPhoneRow={(line) =>
          line.getIsGrouped() ? (
            <GroupHead line={line} />
          ) : (
            (props.renderPhoneRow?.(line.original) ?? (
              <FirstColumns columns={columns} row={line.original} />
            ))
          )
        }
        sort={sort}
        {...(props.onSort ? { onSort: props.onSort } : {})}
        {...(props.isLoading === undefined ? {} : { isLoading: props.isLoading })}
        empty={props.empty}
        {...(props.storageKey === undefined ? {} : { storageKey: props.storageKey })}
        choice={
          selection && {
            isSelected: (line) => (line.getCanSelect() ? line.getIsSelected() : undefined),
            onSelect: (line, shiftKey) =>
              line.getToggleSelectedHandler()({
                target: { checked: !line.getIsSelected() },
                shiftKey,
              }),
            state: isAll ? "all" : chosen.length > 0 ? "some" : "none",
            onSelectAll: () => table.toggleAllRowsSelected(!isAll),
          }
        }
        exportName={props.exportName}
        loadExport={
          loadExport &&
          (async () => (await loadExport()).map((row) => ({ original: row }) as Line<Row>))
        }
        onEndReached={props.onEndReached}
      />
      {selection && (
        <BulkBar
          count={Object.keys(selection.selected).length}
          onClear={() => selection.onChange(nothing)}
        >
          {props.renderBulkActions?.(chosen.map(({ original }) => original))}
        </BulkBar>
      )}
    </div>
  );
}

const lineId = (line: { id: string }) => line.id;
