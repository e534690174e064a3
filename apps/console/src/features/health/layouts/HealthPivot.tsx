import { useMemo, type ReactNode } from "react";
import type { Column } from "@mainstay/ui/data-table/column.ts";
import { DataTable } from "@mainstay/ui/data-table/DataTable.tsx";
import { formatDuration } from "@mainstay/ui/duration.ts";
import type { ChangeUrl } from "#lib/url-state.ts";
import { CountsBar, Uptime } from "../list/columns.tsx";
import type { Aggregate, HealthCheck } from "../view/group-checks.ts";
import { mostPivotColumns, type Pivot, type PivotRow } from "../view/health-rows.ts";
import { sortKeys, type HealthView, type PivotCell } from "../view/health-view.ts";

function Cell({ all, type }: { all: Aggregate; type: PivotCell }) {
  if (type === "uptime") return <Uptime passed={all.passed} failed={all.failed} />;
  if (type === "latency")
    return <>{all.latencyMs === undefined ? "–" : formatDuration(all.latencyMs)}</>;
  return <CountsBar counts={all.counts} />;
}

export interface HealthPivotProps {
  pivot: Pivot;
  view: HealthView;
  change: ChangeUrl<HealthView>;
  onOpen: (item: HealthCheck) => void;
  isLoading: boolean;
  empty: ReactNode;
}

/** Groups down, namespaces, agents or values of a label across. */
export function HealthPivot({ pivot, view, change, onOpen, isLoading, empty }: HealthPivotProps) {
  const { pivotCellType } = view;
  const columns = useMemo(
    (): Column<PivotRow>[] => [
      {
        id: "name",
        header: "Checks",
        sortable: true,
        hideable: false,
        width: 240,
        renderCell: (row) => <span className="font-medium">{row.name}</span>,
      },
      ...pivot.columns.slice(0, mostPivotColumns).map((column): Column<PivotRow> => ({
        id: `pivot:${column}`,
        header: column,
        width: pivotCellType === "health" ? 170 : 110,
        renderCell: (row) => {
          const cell = row.cells.get(column);
          if (!cell) return <span className="text-muted">–</span>;
          const [only] = cell.checks;
          const content = <Cell all={cell.aggregate} type={pivotCellType} />;
          return only && cell.checks.length === 1 ? (
            <button
              type="button"
              aria-label={`Open ${only.check.name}`}
              className="rounded-control border-0 bg-transparent p-0 text-left hover:underline"
              onClick={() => onOpen(only)}
            >
              {content}
            </button>
          ) : (
            content
          );
        },
      })),
    ],
    [pivot.columns, pivotCellType, onOpen],
  );

  return (
    <>
      <DataTable
        label="Checks, pivoted"
        columns={columns}
        rows={pivot.rows}
        rowId={(row) => row.id}
        renderPhoneRow={(row) => (
          <span className="flex flex-col">
            <span className="truncate font-medium">{row.name}</span>
            <span className="flex gap-3 overflow-hidden text-xs text-muted">
              {[...row.cells].slice(0, 2).map(([column, cell]) => (
                <span key={column} className="flex min-w-0 items-center gap-1">
                  <span className="truncate">{column}</span>
                  <Cell all={cell.aggregate} type={pivotCellType} />
                </span>
              ))}
            </span>
          </span>
        )}
        sort={view.sortBy === "name" ? { by: "name", desc: view.sortDesc } : null}
        onSort={(sort) =>
          change(
            { sortBy: sortKeys.find((key) => key === sort?.by), sortDesc: sort?.desc ?? false },
            { replace: true },
          )
        }
        isLoading={isLoading}
        empty={empty}
      />
      {pivot.columns.length > mostPivotColumns && (
        <p className="m-0 border-t px-4 py-1.5 text-xs text-muted">
          {pivot.columns.length - mostPivotColumns} more columns are not shown. Filter or choose
          another pivot to see them.
        </p>
      )}
    </>
  );
}
