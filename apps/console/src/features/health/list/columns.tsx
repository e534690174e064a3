import { ChevronRight } from "lucide-react";
import { Age } from "@mainstay/ui/Age.tsx";
import { Badge } from "@mainstay/ui/Badge.tsx";
import { classNames } from "@mainstay/ui/class-names.ts";
import type { Column } from "@mainstay/ui/data-table/column.ts";
import { formatDuration, formatPercent } from "@mainstay/ui/duration.ts";
import { Icon } from "@mainstay/ui/Icon.tsx";
import { SplitBar } from "@mainstay/ui/SplitBar.tsx";
import { StatusDot } from "@mainstay/ui/StatusDot.tsx";
import { StatusStrip } from "@mainstay/ui/StatusStrip.tsx";
import { describeState, toneOf } from "../check/check-state.ts";
import { checkTypeMarks } from "../check/check-type-icon.ts";
import { NoResult } from "../check/NoResult.tsx";
import { latencyOf, type Counts, type HealthCheck } from "../view/group-checks.ts";
import type { HealthRow } from "../view/health-rows.ts";

/** A row with whether it is open, which the expander shows. */
export type TableRow = HealthRow & { isOpen?: boolean | undefined };

const groupTones = {
  good: "healthy",
  mixed: "warning",
  bad: "unhealthy",
  unknown: "unknown",
} as const;
const groupWords = { good: "Good", mixed: "Mixed", bad: "Bad", unknown: "Unknown" };

export function CountsBar({ counts }: { counts: Counts }) {
  return (
    <SplitBar
      counted="healthy"
      parts={[
        { tone: "healthy", count: counts.healthy, label: "passing" },
        { tone: "warning", count: counts.warning, label: "warning" },
        { tone: "unhealthy", count: counts.unhealthy, label: "failing" },
        { tone: "unknown", count: counts.unknown, label: "unknown" },
      ]}
    />
  );
}

export function CheckDot({ item }: { item: HealthCheck }) {
  return (
    <StatusDot
      tone={toneOf(item.state)}
      isFaded={item.state === "stale"}
      label={describeState(item.check, item.state)}
    />
  );
}

/** Why a check is not fine, in one line; nothing for one that is. */
export function reasonOf({ check, state }: HealthCheck): string | undefined {
  if (state === "stale") return undefined;
  return state === "healthy" ? undefined : check.message;
}

export function Uptime({ passed, failed }: { passed: number; failed: number }) {
  return (
    <span
      data-tooltip={`${passed} passed, ${failed} failed`}
      className={classNames(failed > 0 && "text-text", failed === 0 && "text-muted")}
    >
      {formatPercent(passed, passed + failed)}
    </span>
  );
}

function Name({ row }: { row: TableRow }) {
  if (row.kind === "group") {
    const { health } = row.aggregate;
    return (
      <span className="flex min-w-0 items-center gap-2">
        <StatusDot tone={groupTones[health]} label={groupWords[health]} />
        <span className="truncate font-medium" data-tooltip={row.name}>
          {row.name}
        </span>
        <Badge>{row.checks.length}</Badge>
      </span>
    );
  }
  const { check } = row.item;
  const reason = reasonOf(row.item);
  return (
    <span
      className={classNames("flex min-w-0 items-center gap-2", row.groupId !== undefined && "pl-5")}
    >
      <CheckDot item={row.item} />
      <Icon name={check.type} mark={checkTypeMarks[check.type]} size={14} />
      <span
        className="shrink-0 truncate max-w-[60%]"
        data-tooltip={check.description || check.name}
      >
        {check.name}
      </span>
      {row.groupId === undefined && check.namespace !== "" && (
        <Badge tooltip="Namespace">{check.namespace}</Badge>
      )}
      {row.item.state === "stale" && (
        <span className="min-w-0 truncate text-xs text-muted">
          <NoResult check={check} />
        </span>
      )}
      {reason !== undefined && (
        <span className="min-w-0 truncate text-xs text-muted" data-tooltip={reason}>
          {reason}
        </span>
      )}
    </span>
  );
}

function stripLabel({ check, state }: HealthCheck): string {
  const failed = check.recent.filter(([, , passed]) => passed === 0).length;
  return `${describeState(check, state)}. Last ${check.recent.length} results: ${failed} failed`;
}

/** Document 1, section 2: expander, Checks, Health, Uptime, Latency, Transition. */
export const healthColumns: readonly Column<TableRow>[] = [
  {
    id: "expander",
    header: "Expand",
    hideHeader: true,
    hideable: false,
    width: 40,
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
    minWidth: 220,
    renderCell: (row) => <Name row={row} />,
  },
  {
    id: "health",
    header: "Health",
    sortable: true,
    width: 176,
    minWidth: 120,
    renderCell: (row) =>
      row.kind === "group" ? (
        <CountsBar counts={row.aggregate.counts} />
      ) : row.item.check.recent.length === 0 ? (
        <span className="text-xs text-muted">No results yet</span>
      ) : (
        <StatusStrip
          entries={row.item.check.recent}
          label={stripLabel(row.item)}
          isOld={row.item.state === "stale"}
        />
      ),
  },
  {
    id: "uptime",
    header: "Uptime",
    sortable: true,
    width: 88,
    align: "right",
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
    width: 92,
    align: "right",
    renderCell: (row) => {
      const latency = row.kind === "group" ? row.aggregate.latencyMs : latencyOf(row.item.check);
      const tooltip =
        row.kind === "group" ? "Mean of the checks' 95th percentiles" : "95th percentile";
      return (
        <span className="text-muted" data-tooltip={tooltip}>
          {latency === undefined ? "–" : formatDuration(latency)}
        </span>
      );
    },
  },
  {
    id: "transition",
    header: "Transition",
    width: 110,
    align: "right",
    renderCell: (row) => (
      <Age
        className="text-muted"
        at={
          row.kind === "group" ? row.aggregate.lastTransition : row.item.check.last_transition_time
        }
      />
    ),
  },
];

/** A row on a phone: name and uptime, below them what happened. */
export function PhoneRow({ row }: { row: TableRow }) {
  const isGroup = row.kind === "group";
  const latency = isGroup ? row.aggregate.latencyMs : latencyOf(row.item.check);
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
          <Name row={row} />
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
            isOld={row.item.state === "stale"}
          />
        )}
        <span className="ml-auto">{latency === undefined ? "" : formatDuration(latency)}</span>
        <Age at={isGroup ? row.aggregate.lastTransition : row.item.check.last_transition_time} />
      </span>
    </span>
  );
}
