import { useQuery } from "@tanstack/react-query";
import { ChevronDown, Paperclip } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import { Age } from "@mainstay/ui/Age.tsx";
import { IconButton } from "@mainstay/ui/Button.tsx";
import { CodeView } from "@mainstay/ui/code-view/CodeView.tsx";
import type { Column } from "@mainstay/ui/data-table/column.ts";
import { formatDuration } from "@mainstay/ui/duration.ts";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { Menu } from "@mainstay/ui/Menu.tsx";
import { Select } from "@mainstay/ui/Select.tsx";
import { StatusDot } from "@mainstay/ui/StatusDot.tsx";
import { formatRange, type TimeRange } from "@mainstay/ui/time-range/time-range.ts";
import { PagedList } from "#lib/PagedList.tsx";
import { firstPage } from "#lib/paged-view.ts";
import { durationFilterError, durationPresets, parseDurationFilter } from "./duration-filter.ts";
import { checkQueries, type CheckRun, type HistoryFilter } from "./queries.ts";
import { RunFiles, type RunFilesProps } from "./RunFiles.tsx";
import { serverTime } from "../check/server-time.ts";

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
  {
    id: "time",
    header: "Age",
    width: 110,
    sortable: true,
    value: (run) => run.time,
    renderCell: (run) => <Age at={serverTime(run.time)} />,
  },
  {
    id: "duration",
    header: "Duration",
    width: 100,
    align: "right",
    sortable: true,
    value: (run) => run.duration,
    renderCell: (run) => formatDuration(run.duration),
  },
  {
    id: "status",
    header: "Status",
    width: 100,
    value: (run) => (run.status ? "Passed" : "Failed"),
    renderCell: (run) => <Outcome run={run} />,
  },
  {
    id: "message",
    header: "Message",
    value: said,
    renderCell: (run) => (
      <span className={run.error ? "text-unhealthy-fg" : "text-muted"}>
        {said(run).split("\n")[0]}
      </span>
    ),
  },
];

const countText = (count: number) => (count === 1 ? "1 file" : `${count} files`);

const filesColumn = (countOf: (run: CheckRun) => number): Column<CheckRun> => ({
  id: "files",
  header: "Files",
  width: 80,
  align: "right",
  value: countOf,
  renderCell: (run) =>
    countOf(run) > 0 && (
      <span
        aria-label={countText(countOf(run))}
        className="inline-flex items-center gap-1 tabular-nums"
      >
        <Paperclip aria-hidden="true" size={14} strokeWidth={1.75} className="text-muted" />
        {countOf(run)}
      </span>
    ),
});

const phoneRow = (run: CheckRun, files: number) => (
  <span className="flex flex-col">
    <span className="flex justify-between gap-2">
      <Outcome run={run} />
      <span className="text-xs text-muted tabular-nums">
        {files > 0 && `${countText(files)} · `}
        {formatDuration(run.duration)} · <Age at={serverTime(run.time)} />
      </span>
    </span>
    <span className="truncate text-xs text-muted">{said(run).split("\n")[0]}</span>
  </span>
);

/** What one run said and left. */
function OpenRun({ run, files }: { run: CheckRun; files: RunFilesProps["files"] | undefined }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.scrollIntoView({ block: "nearest" }), []);
  return (
    <div
      ref={box}
      className="flex max-h-60 shrink-0 flex-col gap-3 overflow-auto border-t px-4 py-3 max-tablet:max-h-none"
    >
      {files && <RunFiles time={run.time} files={files} />}
      {said(run) !== "" && (
        <CodeView label={`Result of ${run.time}`} language="text" text={said(run)} />
      )}
    </div>
  );
}

export interface HistoryTabProps {
  checkId: string;
  range: TimeRange;
  /** Its runs may leave files: not at all, or as its document says now, or said before. */
  leavesFiles: "never" | "perhaps" | "asked";
}

export function HistoryTab({ checkId, range, leavesFiles }: HistoryTabProps) {
  const [filter, setFilter] = useState<Omit<HistoryFilter, "range">>({
    ...firstPage,
    status: "all",
    leastDurationMs: undefined,
  });
  const [typed, setTyped] = useState("All");
  const [open, setOpen] = useState<CheckRun | null>(null);
  const [rangeBefore, setRangeBefore] = useState(formatRange(range));
  if (rangeBefore !== formatRange(range)) {
    setRangeBefore(formatRange(range));
    setFilter({ ...filter, pageIndex: 0 });
  }
  const errorId = useId();
  const found: HistoryFilter = { ...filter, range };
  const page = useQuery(checkQueries.history(checkId, found));
  const times = page.data?.rows.map(({ time }) => time) ?? [];
  const files = useQuery({
    ...checkQueries.filesOfRuns(checkId, times),
    enabled: leavesFiles !== "never" && times.length > 0,
  });
  const hasFiles = leavesFiles === "asked" || (files.data?.size ?? 0) > 0;
  const countOf = (run: CheckRun) => files.data?.get(run.time)?.length ?? 0;
  const isRefused = parseDurationFilter(typed) === null;

  const changeDuration = (text: string) => {
    setTyped(text);
    const leastDurationMs = parseDurationFilter(text);
    if (leastDurationMs !== null) setFilter({ ...filter, leastDurationMs, pageIndex: 0 });
  };

  return (
    // On a phone there is no room for both: the list keeps some of it, and what is open is scrolled to.
    <div className="flex min-h-0 flex-1 flex-col max-tablet:overflow-auto">
      <div className="flex min-h-0 flex-1 flex-col max-tablet:min-h-80 max-tablet:shrink-0">
        <PagedList
          noun="history"
          view={filter}
          change={(next) => setFilter({ ...filter, ...next })}
          page={page}
          loadAll={(limit) => checkQueries.wholeHistory(checkId, found, limit)}
          columns={hasFiles ? columns.toSpliced(-1, 0, filesColumn(countOf)) : columns}
          rowId={(run) => run.time}
          onOpen={(run) => setOpen(open?.time === run.time ? null : run)}
          renderPhoneRow={(run) => phoneRow(run, countOf(run))}
          storageKey="check-history"
          filters={
            <>
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
            </>
          }
          isFiltered={filter.status !== "all" || filter.leastDurationMs !== undefined}
          empty={
            <EmptyState title="No data available">
              No results in this range. Runs appear here as soon as they end.
            </EmptyState>
          }
        />
      </div>
      {open && (hasFiles || said(open) !== "") && (
        <OpenRun key={open.time} run={open} files={hasFiles ? files : undefined} />
      )}
    </div>
  );
}
