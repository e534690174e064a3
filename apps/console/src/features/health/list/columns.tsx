import { ChevronRight } from "lucide-react";
import { useMemo } from "react";
import { Age } from "@mainstay/ui/Age.tsx";
import { classNames } from "@mainstay/ui/class-names.ts";
import type { Column } from "@mainstay/ui/data-table/column.ts";
import { formatDuration } from "@mainstay/ui/duration.ts";
import { StatusStrip } from "@mainstay/ui/status-strip/StatusStrip.tsx";
import { describeState } from "../check/check-state.ts";
import { latencyOf, type CheckGroup, type HealthCheck } from "../view/group-checks.ts";
import { groupStrip } from "../view/group-strip.ts";
import { noSeverity } from "../view/severity.ts";
import { ExpiryCell } from "./ExpiryCell.tsx";
import { LatencyCell, latencyOfRow } from "./LatencyCell.tsx";
import { CountsBar, NameCell, type TableRow, Uptime } from "./NameCell.tsx";

function stripLabel({ check, state }: HealthCheck): string {
  const failed = check.recent.filter(([, , passed]) => passed === 0).length;
  return `${describeState(check, state)}. Last ${check.recent.length} results: ${failed} failed`;
}

const isOld = ({ state }: HealthCheck) => state === "stale" || state === "paused";

/** The results of a group's checks together. */
function GroupStrip({ group, height }: { group: CheckGroup; height?: number }) {
  const { members } = group;
  const entries = useMemo(() => groupStrip(members), [members]);
  if (entries.length === 0) return <span className="text-xs text-muted">No results yet</span>;
  const failed = entries.filter((entry) => entry?.[2] === 0).length;
  return (
    <StatusStrip
      entries={entries}
      isOfMany
      {...(height === undefined ? {} : { height })}
      label={`${group.name}: ${failed} of ${entries.length} equal times with failures`}
    />
  );
}

const severityWords = (row: TableRow): string =>
  row.kind === "group" ? row.aggregate.severity : row.item.severity;

const ofCheck =
  <Value,>(value: (item: HealthCheck) => Value) =>
  (row: TableRow): Value | undefined =>
    row.kind === "check" ? value(row.item) : undefined;

const share = ({ check: { uptime } }: HealthCheck) => {
  const runs = uptime.passed + uptime.failed;
  return runs === 0 ? null : Math.round((uptime.passed / runs) * 10_000) / 100;
};

/** Columns that are there for who wants them. */
const textColumn = (
  id: string,
  header: string,
  value: (item: HealthCheck) => string | undefined,
): Column<TableRow> => ({
  id,
  header,
  width: 150,
  startsHidden: true,
  value: ofCheck(value),
  renderCell: (row) => {
    const text = ofCheck(value)(row);
    return text ? (
      <bdi className="text-muted" data-tooltip={text}>
        {text}
      </bdi>
    ) : null;
  },
});

/** Document 1, section 2: expander, Checks, Health, Uptime, Latency, Transition; ours adds severity. */
export const healthColumns: readonly Column<TableRow>[] = [
  {
    id: "expander",
    header: "Expand",
    hideHeader: true,
    hideable: false,
    width: 36,
    renderCell: (row) =>
      row.kind === "group" ? (
        <ChevronRight
          aria-hidden="true"
          size={14}
          strokeWidth={1.75}
          className={classNames(
            "text-muted transition-transform duration-120",
            row.isOpen && "rotate-90",
          )}
        />
      ) : null,
  },
  {
    id: "name",
    header: "Checks",
    sortable: true,
    hideable: false,
    minWidth: 200,
    exports: [
      { id: "name", header: "Check", value: ofCheck(({ check }) => check.name) },
      { id: "namespace", header: "Namespace", value: ofCheck(({ check }) => check.namespace) },
      { id: "message", header: "Message", value: ofCheck(({ check }) => check.message) },
    ],
    renderCell: (row) => <NameCell row={row} />,
  },
  {
    id: "health",
    header: "Health",
    sortable: true,
    width: 168,
    minWidth: 120,
    value: ofCheck(({ state }) => state),
    renderCell: (row) =>
      row.kind === "group" ? (
        <GroupStrip group={row} />
      ) : row.item.check.recent.length === 0 ? (
        <span className="text-xs text-muted">No results yet</span>
      ) : (
        <StatusStrip
          entries={row.item.check.recent}
          label={stripLabel(row.item)}
          isOld={isOld(row.item)}
        />
      ),
  },
  {
    id: "severity",
    header: "Severity",
    sortable: true,
    width: 72,
    value: ofCheck(({ severity }) => (severity === noSeverity ? null : severity)),
    renderCell: (row) => {
      const words = severityWords(row);
      return (
        <span
          className="text-muted"
          data-tooltip={row.kind === "group" ? "The worst of its checks" : undefined}
        >
          {words === noSeverity ? "–" : words}
        </span>
      );
    },
  },
  {
    id: "uptime",
    header: "Uptime",
    sortable: true,
    width: 76,
    align: "right",
    exports: [{ id: "uptime", header: "Uptime (%)", value: ofCheck(share) }],
    renderCell: (row) =>
      row.kind === "group" ? (
        <Uptime passed={row.aggregate.passed} failed={row.aggregate.failed} />
      ) : (
        <Uptime
          passed={row.item.check.uptime?.passed ?? 0}
          failed={row.item.check.uptime?.failed ?? 0}
        />
      ),
  },
  {
    id: "latency",
    header: "Latency",
    sortable: true,
    width: 112,
    align: "right",
    exports: [
      { id: "latency", header: "Latency (ms)", value: ofCheck(({ check }) => latencyOf(check)) },
    ],
    renderCell: (row) => <LatencyCell row={row} />,
  },
  {
    id: "transition",
    header: "Transition",
    width: 82,
    align: "right",
    value: ofCheck(({ check }) => check.last_transition_time),
    renderCell: (row) => (
      <Age
        className="text-muted"
        at={
          row.kind === "group" ? row.aggregate.lastTransition : row.item.check.last_transition_time
        }
      />
    ),
  },
  textColumn("type", "Type", ({ check }) => check.type),
  textColumn("canary", "Canary", ({ check }) => check.canary_name),
  textColumn("endpoint", "Endpoint", ({ check }) => check.endpoint),
  textColumn("description", "Description", ({ check }) => check.description),
  textColumn("labels", "Labels", ({ check }) =>
    Object.entries(check.labels)
      .map(([key, value]) => `${key}=${value}`)
      .join(", "),
  ),
];

/** There where any check knows of an end. */
export const expiryColumn: Column<TableRow> = {
  id: "expires",
  header: "Expires",
  sortable: true,
  width: 74,
  align: "right",
  exports: [
    { id: "expires", header: "Expires", value: ofCheck(({ check }) => check.expires_at) },
    {
      id: "expires_what",
      header: "What expires",
      value: ofCheck(({ check }) => check.expires_what),
    },
  ],
  renderCell: (row) => <ExpiryCell row={row} />,
};

/** A row on a phone: name and uptime, below them what happened. */
export function PhoneRow({ row }: { row: TableRow }) {
  const isGroup = row.kind === "group";
  const latency = latencyOfRow(row);
  return (
    <span className="flex flex-col gap-0.5">
      <span className="flex items-center gap-2">
        {isGroup && (
          <ChevronRight
            aria-hidden="true"
            size={14}
            strokeWidth={1.75}
            className={classNames("shrink-0 text-muted", row.isOpen && "rotate-90")}
          />
        )}
        <span className="min-w-0 flex-1">
          <NameCell row={row} hasCounts={false} />
        </span>
        <span className="text-xs tabular-nums">
          {isGroup ? (
            <Uptime passed={row.aggregate.passed} failed={row.aggregate.failed} />
          ) : (
            <Uptime
              passed={row.item.check.uptime?.passed ?? 0}
              failed={row.item.check.uptime?.failed ?? 0}
            />
          )}
        </span>
      </span>
      <span
        className={classNames(
          "flex items-center gap-3 text-xs text-muted tabular-nums",
          isGroup || row.groupId ? "pl-5" : "",
        )}
      >
        {isGroup ? (
          <CountsBar counts={row.aggregate.counts} />
        ) : (
          <StatusStrip
            entries={row.item.check.recent}
            height={16}
            label={stripLabel(row.item)}
            isOld={isOld(row.item)}
          />
        )}
        {severityWords(row) !== noSeverity && <span>{severityWords(row)}</span>}
        <span className="ml-auto">
          {latency?.ms === undefined ? "" : formatDuration(latency.ms)}
        </span>
        <Age at={isGroup ? row.aggregate.lastTransition : row.item.check.last_transition_time} />
      </span>
    </span>
  );
}
