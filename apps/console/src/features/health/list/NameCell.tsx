import { Badge } from "@mainstay/ui/Badge.tsx";
import { classNames } from "@mainstay/ui/class-names.ts";
import { formatPercent } from "@mainstay/ui/duration.ts";
import { SplitBar } from "@mainstay/ui/SplitBar.tsx";
import { StatusDot } from "@mainstay/ui/StatusDot.tsx";
import { describeState, toneOf } from "../check/check-state.ts";
import { CheckTypeIcon } from "../check/CheckTypeIcon.tsx";
import { NoResult } from "../check/NoResult.tsx";
import type { Counts, HealthCheck } from "../view/group-checks.ts";
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

export function CountsBar({ counts, isShort }: { counts: Counts; isShort?: boolean }) {
  return (
    <SplitBar
      {...(isShort === undefined ? {} : { isShort })}
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
      isFaded={item.state === "stale" || item.state === "paused"}
      label={describeState(item.check, item.state)}
    />
  );
}

/** Why a check is not fine, in one line; nothing for one that is. */
export function reasonOf({ check, state }: HealthCheck): string | undefined {
  if (state === "stale") return undefined;
  if (state === "paused") return "paused";
  const { streak } = check;
  if (streak) {
    const way = streak.passed ? "passing" : "failing";
    const count = `${way} ${streak.runs} of ${streak.needed}`;
    return check.message ? `${count}: ${check.message}` : count;
  }
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

/** A name with what tells its state; of a group also how many of its checks pass, unless that is said elsewhere. */
export function NameCell({ row, hasCounts = true }: { row: TableRow; hasCounts?: boolean }) {
  if (row.kind === "group") {
    const { health } = row.aggregate;
    return (
      <span className="flex min-w-0 items-center gap-2">
        <StatusDot tone={groupTones[health]} label={groupWords[health]} />
        <span className="min-w-0 truncate font-medium" data-tooltip={row.name}>
          {row.name}
        </span>
        {hasCounts && (
          <span className="shrink-0">
            <CountsBar counts={row.aggregate.counts} isShort />
          </span>
        )}
      </span>
    );
  }
  const { check } = row.item;
  // A group of one keeps its name, unless the check says it itself.
  const groupName = check.name.startsWith(row.groupName ?? "") ? undefined : row.groupName;
  const reason = reasonOf(row.item);
  return (
    <span
      className={classNames("flex min-w-0 items-center gap-2", row.groupId !== undefined && "pl-5")}
    >
      <CheckDot item={row.item} />
      {groupName !== undefined && (
        <span className="max-w-[30%] shrink-0 truncate text-muted" data-tooltip={groupName}>
          {groupName} /
        </span>
      )}
      <CheckTypeIcon type={check.type} size={14} />
      <span className="min-w-0 truncate" data-tooltip={check.description || check.name}>
        {check.name}
      </span>
      {/* With a basis of nothing it gives way before the name does; what has no room in its one line is not shown in part. */}
      <span className="flex h-4.5 min-w-0 flex-1 flex-wrap items-center gap-x-2 overflow-hidden before:-mr-2 before:h-4.5 before:content-['']">
        {row.groupId === undefined && check.namespace !== "" && (
          <Badge className="max-w-40!" tooltip={`Namespace ${check.namespace}`}>
            <span className="truncate">{check.namespace}</span>
          </Badge>
        )}
        {row.item.state === "stale" && (
          <span className="min-w-16 flex-1 truncate text-xs text-muted">
            <NoResult check={check} />
          </span>
        )}
        {reason !== undefined && (
          <span
            className="min-w-16 flex-1 truncate text-xs leading-4.5 text-muted"
            data-tooltip={reason}
          >
            {reason}
          </span>
        )}
      </span>
    </span>
  );
}
