import { useQuery } from "@tanstack/react-query";
import { ChevronDown, Paperclip, X } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import { type HealthGraph, outcomeOfRun } from "@mainstay/contract/health.ts";
import { Age, Moment } from "@mainstay/ui/Age.tsx";
import { IconButton } from "@mainstay/ui/Button.tsx";
import { classNames } from "@mainstay/ui/class-names.ts";
import { CodeView } from "@mainstay/ui/code-view/CodeView.tsx";
import type { Column } from "@mainstay/ui/data-table/column.ts";
import { formatDuration } from "@mainstay/ui/duration.ts";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { Menu } from "@mainstay/ui/Menu.tsx";
import { Select } from "@mainstay/ui/Select.tsx";
import { StatusDot } from "@mainstay/ui/StatusDot.tsx";
import { PagedList } from "#lib/PagedList.tsx";
import type { ChangeUrl } from "#lib/url-state.ts";
import { durationFilterError, durationPresets, parseDurationFilter } from "./duration-filter.ts";
import { historyStatuses, type HistoryView } from "./history-view.ts";
import { checkQueries, type CheckRowDetail, type CheckRun, type HistoryFilter } from "./queries.ts";
import { RunDetails } from "./RunDetails.tsx";
import { RunFiles, type RunFilesProps } from "./RunFiles.tsx";
import { serverTime } from "../check/server-time.ts";

const said = (run: CheckRun) => [run.error, run.message].filter(Boolean).join("\n");

const outcomes = {
  passed: { tone: "healthy", word: "Passed" },
  failed: { tone: "unhealthy", word: "Failed" },
  untried: { tone: "unknown", word: "Not tried" },
} as const;

function Outcome({ run }: { run: CheckRun }) {
  const { tone, word } = outcomes[outcomeOfRun(run)];
  return (
    <span className="flex items-center gap-1.5">
      <StatusDot tone={tone} />
      {word}
    </span>
  );
}

/** When it was, and how long ago that is. */
const When = ({ run }: { run: CheckRun }) => (
  <span className="flex items-baseline gap-2 tabular-nums">
    <Moment at={serverTime(run.time)} />
    <Age at={serverTime(run.time)} className="text-xs text-muted" />
  </span>
);

const columns: readonly Column<CheckRun>[] = [
  {
    id: "time",
    header: "Time",
    width: 230,
    sortable: true,
    value: (run) => run.time,
    renderCell: (run) => <When run={run} />,
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
    value: (run) => outcomes[outcomeOfRun(run)].word,
    renderCell: (run) => <Outcome run={run} />,
  },
  {
    id: "message",
    header: "Message",
    value: said,
    renderCell: (run) => (
      <span className={outcomeOfRun(run) === "failed" ? "text-unhealthy-fg" : "text-muted"}>
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
        {formatDuration(run.duration)} · <Moment at={serverTime(run.time)} /> ·{" "}
        <Age at={serverTime(run.time)} />
      </span>
    </span>
    <span className="truncate text-xs text-muted">{said(run).split("\n")[0]}</span>
  </span>
);

/** What one run said and left. */
function OpenRun({
  check,
  run,
  files,
  onClose,
}: {
  check: Pick<CheckRowDetail, "id" | "type">;
  run: CheckRun;
  files: RunFilesProps["files"] | undefined;
  onClose: () => void;
}) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => box.current?.scrollIntoView({ block: "nearest" }), []);
  return (
    <section
      ref={box}
      aria-label="Run"
      className="flex max-h-[45%] shrink-0 flex-col gap-3 overflow-auto border-t px-4 py-3 *:shrink-0 max-tablet:max-h-none [@media(max-height:839px)]:max-h-none"
    >
      <div className="flex items-center gap-3">
        <Outcome run={run} />
        <When run={run} />
        <span className="text-sm tabular-nums">{formatDuration(run.duration)}</span>
        <span className="flex-1" />
        <IconButton
          label="Close the run"
          icon={<X size={14} strokeWidth={1.75} />}
          onClick={onClose}
        />
      </div>
      {said(run) !== "" && (
        <CodeView label={`Result of ${run.time}`} language="text" text={said(run)} />
      )}
      {files && <RunFiles time={run.time} files={files} />}
      <RunDetails checkId={check.id} time={run.time} type={check.type} />
    </section>
  );
}

export interface HistoryTabProps {
  check: Pick<CheckRowDetail, "id" | "type">;
  /** What the header and the chart are of; nothing before they are there. */
  graph: Pick<HealthGraph, "range" | "runsSince"> | undefined;
  /** Another range has been asked for. */
  isOld: boolean;
  view: HistoryView;
  change: ChangeUrl<HistoryView>;
  /** Its runs may leave files: not at all, or as its document says now, or said before. */
  leavesFiles: "never" | "perhaps" | "asked";
}

const noRange = { start: "", end: "" };
const dayMs = 86_400_000;

export function HistoryTab(props: HistoryTabProps) {
  const { check, graph, isOld, view, change, leavesFiles } = props;
  const checkId = check.id;
  const [open, setOpen] = useState<CheckRun | null>(null);
  const [typed, setTyped] = useState(view.duration || "All");
  const [writtenDuration, setWrittenDuration] = useState(view.duration);
  // Another address came, not what was typed here.
  if (writtenDuration !== view.duration) {
    setWrittenDuration(view.duration);
    setTyped(view.duration || "All");
  }
  const errorId = useId();
  const found: HistoryFilter = { ...view, range: graph?.range ?? noRange };
  const page = useQuery({ ...checkQueries.history(checkId, found), enabled: graph !== undefined });
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
    if (parseDurationFilter(text) === null) return;
    const duration = parseDurationFilter(text) === undefined ? "" : text;
    setWrittenDuration(duration);
    change({ duration, pageIndex: 0 }, { replace: true });
  };

  return (
    // On a phone, and on a low screen, there is no room for both: the list keeps some of it, and what is open is scrolled to.
    <div
      className={classNames(
        "flex min-h-0 flex-1 flex-col max-tablet:overflow-auto [@media(max-height:839px)]:overflow-auto",
        isOld && "opacity-60",
      )}
    >
      <div className="flex min-h-0 flex-1 flex-col max-tablet:min-h-80 max-tablet:shrink-0 [@media(max-height:839px)]:min-h-72 [@media(max-height:839px)]:shrink-0">
        <PagedList
          noun="history"
          view={view}
          change={change}
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
                value={view.status}
                options={[
                  { value: "all", label: "All" },
                  { value: "healthy", label: "Healthy" },
                  { value: "unhealthy", label: "Unhealthy" },
                  { value: "unknown", label: "Not tried" },
                ]}
                onChange={(chosen) =>
                  change({
                    status: historyStatuses.find((status) => status === chosen) ?? "all",
                    pageIndex: 0,
                  })
                }
              />
              {graph?.runsSince !== undefined && (
                <span className="text-xs text-muted">
                  Single runs are kept for{" "}
                  {Math.round((serverTime(graph.range.end) - serverTime(graph.runsSince)) / dayMs)}{" "}
                  days. The figures above count older ones too, since{" "}
                  <Moment at={serverTime(graph.range.start)} />.
                </span>
              )}
              {isRefused && (
                <span id={errorId} role="alert" className="text-xs text-unhealthy-fg">
                  {durationFilterError}
                </span>
              )}
            </>
          }
          isFiltered={view.status !== "all" || view.duration !== ""}
          empty={
            <EmptyState title="No data available">
              No results in this range. Runs appear here as soon as they end.
            </EmptyState>
          }
        />
      </div>
      {open && (
        <OpenRun
          key={open.time}
          check={check}
          run={open}
          files={hasFiles ? files : undefined}
          onClose={() => setOpen(null)}
        />
      )}
    </div>
  );
}
