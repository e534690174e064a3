import { useQuery } from "@tanstack/react-query";
import { ChevronDown } from "lucide-react";
import { useId, useState } from "react";
import { Age } from "@mainstay/ui/Age.tsx";
import { IconButton } from "@mainstay/ui/Button.tsx";
import { CodeView } from "@mainstay/ui/code-view/CodeView.tsx";
import type { Column } from "@mainstay/ui/data-table/column.ts";
import { DataTable } from "@mainstay/ui/data-table/DataTable.tsx";
import { formatDuration } from "@mainstay/ui/duration.ts";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { Menu } from "@mainstay/ui/Menu.tsx";
import { Pagination } from "@mainstay/ui/Pagination.tsx";
import { Select } from "@mainstay/ui/Select.tsx";
import { StatusDot } from "@mainstay/ui/StatusDot.tsx";
import { formatRange, type TimeRange } from "@mainstay/ui/time-range/time-range.ts";
import { messageOf } from "#lib/api-error.ts";
import { durationFilterError, durationPresets, parseDurationFilter } from "./duration-filter.ts";
import { healthQueries, type CheckRun, type HistoryFilter } from "../queries.ts";
import { serverTime } from "../check/server-time.ts";

/** Document 1, section 9. */
const pageSizes = [50, 100, 200];

const said = (run: CheckRun) => [run.error, run.message].filter(Boolean).join("\n");

function Outcome({ run }: { run: CheckRun }) {
  return (
    <span className="flex items-center gap-1.5">
      <StatusDot tone={run.status ? "healthy" : "unhealthy"} />
      {run.status ? "Passed" : "Failed"}
    </span>
  );
}

const columns: readonly Column<CheckRun>[] = [
  { id: "age", header: "Age", width: 110, renderCell: (run) => <Age at={serverTime(run.time)} /> },
  {
    id: "duration",
    header: "Duration",
    width: 100,
    align: "right",
    renderCell: (run) => formatDuration(run.duration),
  },
  { id: "status", header: "Status", width: 100, renderCell: (run) => <Outcome run={run} /> },
  {
    id: "message",
    header: "Message",
    renderCell: (run) => (
      <span className={run.error ? "text-unhealthy-fg" : "text-muted"}>
        {said(run).split("\n")[0]}
      </span>
    ),
  },
];

const phoneRow = (run: CheckRun) => (
  <span className="flex flex-col">
    <span className="flex justify-between gap-2">
      <Outcome run={run} />
      <span className="text-xs text-muted tabular-nums">
        {formatDuration(run.duration)} · <Age at={serverTime(run.time)} />
      </span>
    </span>
    <span className="truncate text-xs text-muted">{said(run).split("\n")[0]}</span>
  </span>
);

export function HistoryTab({ checkId, range }: { checkId: string; range: TimeRange }) {
  const [filter, setFilter] = useState<Omit<HistoryFilter, "range">>({
    status: "all",
    leastDurationMs: undefined,
    pageIndex: 0,
    pageSize: 50,
  });
  const [typed, setTyped] = useState("All");
  const [open, setOpen] = useState<CheckRun | null>(null);
  const [rangeBefore, setRangeBefore] = useState(formatRange(range));
  if (rangeBefore !== formatRange(range)) {
    setRangeBefore(formatRange(range));
    setFilter({ ...filter, pageIndex: 0 });
  }
  const errorId = useId();
  const { data, error, isPending, isPlaceholderData, refetch } = useQuery(
    healthQueries.history(checkId, { ...filter, range }),
  );
  const isRefused = parseDurationFilter(typed) === null;

  const changeDuration = (text: string) => {
    setTyped(text);
    const leastDurationMs = parseDurationFilter(text);
    if (leastDurationMs !== null) setFilter({ ...filter, leastDurationMs, pageIndex: 0 });
  };

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex shrink-0 flex-wrap items-center gap-3 border-b px-4 py-2">
        <span className="flex items-center gap-1.5">
          <label className="flex items-center gap-1.5 text-xs text-muted">
            Duration
            <input
              value={typed}
              aria-invalid={isRefused}
              aria-describedby={isRefused ? errorId : undefined}
              onFocus={(event) => event.target.select()}
              onChange={(event) => changeDuration(event.target.value)}
              className="field w-20 text-text"
            />
          </label>
          <Menu
            label="Duration presets"
            align="start"
            entries={[
              {
                kind: "choice",
                label: "At least",
                value: typed,
                options: durationPresets.map((preset) => ({ value: preset, label: preset })),
                onSelect: changeDuration,
              },
            ]}
            renderTrigger={(trigger) => (
              <IconButton
                label="Duration presets"
                icon={<ChevronDown size={14} strokeWidth={1.75} />}
                {...trigger}
              />
            )}
          />
        </span>
        <Select
          label="Status"
          value={filter.status}
          options={[
            { value: "all", label: "All" },
            { value: "healthy", label: "Healthy" },
            { value: "unhealthy", label: "Unhealthy" },
          ]}
          onChange={(status) =>
            setFilter({
              ...filter,
              status: status === "healthy" || status === "unhealthy" ? status : "all",
              pageIndex: 0,
            })
          }
        />
        {isRefused && (
          <span id={errorId} role="alert" className="text-xs text-unhealthy-fg">
            {durationFilterError}
          </span>
        )}
      </div>
      {error && !data ? (
        <ErrorDisplay
          title="The history could not be loaded"
          message={messageOf(error)}
          onRetry={() => void refetch()}
        />
      ) : (
        <div className={`flex min-h-40 flex-1 flex-col ${isPlaceholderData ? "opacity-60" : ""}`}>
          <DataTable
            label="History"
            columns={columns}
            rows={data?.rows ?? []}
            rowId={(run) => run.time}
            onOpen={(run) => setOpen(open?.time === run.time ? null : run)}
            renderPhoneRow={phoneRow}
            isLoading={isPending}
            empty={
              <EmptyState title="No data available">
                No results in this range match the filters. Runs appear here as soon as they end.
              </EmptyState>
            }
          />
        </div>
      )}
      {open && said(open) !== "" && (
        <div className="max-h-60 shrink-0 overflow-auto border-t p-3">
          <CodeView label={`Result of ${open.time}`} language="text" text={said(open)} />
        </div>
      )}
      <div className="shrink-0 border-t px-4 py-1.5">
        <Pagination
          pageIndex={filter.pageIndex}
          pageSize={filter.pageSize}
          total={data?.total ?? 0}
          sizes={pageSizes}
          onChange={(page) => setFilter({ ...filter, ...page })}
        />
      </div>
    </div>
  );
}
