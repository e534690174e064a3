import { useMemo, type ReactNode } from "react";
import type { Column } from "@mainstay/ui/data-table/column.ts";
import { DataTable } from "@mainstay/ui/data-table/DataTable.tsx";
import { formatDuration, formatPercent } from "@mainstay/ui/duration.ts";
import { Popover } from "@mainstay/ui/Popover.tsx";
import { phoneQuery, useMediaQuery } from "@mainstay/ui/use-media-query.ts";
import type { ChangeUrl } from "#lib/url-state.ts";
import { CheckDot, CountsBar, reasonOf, Uptime } from "../list/NameCell.tsx";
import type { Aggregate, HealthCheck } from "../view/group-checks.ts";
import { sortChecks, worstLatency } from "../view/health-rows.ts";
import {
  mostPivotColumns,
  pivotChecks,
  type PivotOptions,
  type PivotRow,
} from "../view/pivot-checks.ts";
import { sortKeys, type HealthView, type PivotCell } from "../view/health-view.ts";

function Cell({ all, type }: { all: Aggregate; type: PivotCell }) {
  const latency = worstLatency(all);
  if (type === "uptime") return <Uptime passed={all.passed} failed={all.failed} />;
  if (type === "latency") return <>{latency === undefined ? "–" : formatDuration(latency)}</>;
  return <CountsBar counts={all.counts} />;
}

/** What a cell says, for a file. */
function cellText(all: Aggregate, type: PivotCell): string | number | undefined {
  const { healthy, unhealthy, warning, unknown } = all.counts;
  if (type === "uptime") return formatPercent(all.passed, all.passed + all.failed);
  if (type === "latency") return worstLatency(all);
  return `${healthy} of ${healthy + unhealthy + warning + unknown}`;
}

const listed = 200;

function Members({ checks, onOpen }: { checks: readonly HealthCheck[]; onOpen: OnOpen }) {
  const worstFirst = sortChecks(checks, { sortBy: undefined, sortDesc: false });
  return (
    <ul className="m-0 flex max-h-[min(420px,var(--available-height))] w-80 max-w-full list-none flex-col overflow-y-auto p-1">
      {worstFirst.slice(0, listed).map((item) => (
        <li key={item.check.id}>
          <button
            type="button"
            onClick={() => onOpen(item)}
            className="flex min-h-8 w-full items-center gap-2 rounded-control border-0 bg-transparent px-2 text-left hover:bg-hover"
          >
            <CheckDot item={item} />
            <span className="max-w-[60%] shrink-0 truncate">{item.check.name}</span>
            <span className="min-w-0 truncate text-xs text-muted">{reasonOf(item)}</span>
          </button>
        </li>
      ))}
      {checks.length > listed && (
        <li className="px-2 py-1 text-xs text-muted">
          {checks.length - listed} more: filter the page to see them.
        </li>
      )}
    </ul>
  );
}

type OnOpen = (item: HealthCheck) => void;
const cellClass =
  "flex h-full min-h-7 w-full items-center rounded-control border-0 bg-transparent p-0 text-left hover:underline";

export interface HealthPivotProps {
  of: { checks: readonly HealthCheck[]; options: PivotOptions };
  view: HealthView;
  change: ChangeUrl<HealthView>;
  onOpen: OnOpen;
  isLoading: boolean;
  empty: ReactNode;
}

/** Groups down, namespaces, agents or values of a label across. A cell opens its checks. */
export function HealthPivot({ of, view, change, onOpen, isLoading, empty }: HealthPivotProps) {
  const pivot = useMemo(() => pivotChecks(of.checks, of.options), [of]);
  const { pivotCellType } = view;
  const isPhone = useMediaQuery(phoneQuery);
  const columns = useMemo(
    (): Column<PivotRow>[] => [
      {
        id: "name",
        header: "Checks",
        sortable: true,
        hideable: false,
        pinned: "start",
        width: isPhone ? 150 : 240,
        value: (row) => row.name,
        renderCell: (row) => (
          <span className="font-medium" data-tooltip={row.name}>
            {row.name}
          </span>
        ),
      },
      ...pivot.columns.slice(0, mostPivotColumns).map((column): Column<PivotRow> => ({
        id: `pivot:${column}`,
        header: column,
        width: pivotCellType === "health" ? 170 : 110,
        value: (row) => {
          const cell = row.cells.get(column);
          return cell && cellText(cell.aggregate, pivotCellType);
        },
        renderCell: (row) => {
          const cell = row.cells.get(column);
          if (!cell) return <span className="text-muted">–</span>;
          const { aggregate, checks } = cell;
          const [only] = checks;
          const content = <Cell all={aggregate} type={pivotCellType} />;
          if (only && checks.length === 1)
            return (
              <button
                type="button"
                aria-label={`Open ${only.check.name}`}
                className={cellClass}
                onClick={() => onOpen(only)}
              >
                {content}
              </button>
            );
          const label = `${checks.length} checks of ${row.name}, ${column}`;
          return (
            <Popover
              label={label}
              renderTrigger={(trigger) => (
                <button
                  type="button"
                  aria-label={`Show ${label}`}
                  className={cellClass}
                  {...trigger}
                >
                  {content}
                </button>
              )}
            >
              {(close) => (
                <Members
                  checks={checks}
                  onOpen={(item) => {
                    close();
                    onOpen(item);
                  }}
                />
              )}
            </Popover>
          );
        },
      })),
    ],
    [pivot.columns, pivotCellType, onOpen, isPhone],
  );

  return (
    <>
      <DataTable
        label="Checks, pivoted"
        columns={columns}
        rows={pivot.rows}
        rowId={(row) => row.id}
        isTableOnPhone
        menuStandsFirst
        renderPhoneRow={(row) => row.name}
        sort={view.sortBy === "name" ? { by: "name", desc: view.sortDesc } : null}
        onSort={(sort) =>
          change(
            { sortBy: sortKeys.find((key) => key === sort?.by), sortDesc: sort?.desc ?? false },
            { replace: true },
          )
        }
        exportName="checks-pivot"
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
