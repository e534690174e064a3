import type { CheckSummary } from "@mainstay/contract/health.ts";
import { classNames } from "@mainstay/ui/class-names.ts";
import { formatDuration } from "@mainstay/ui/duration.ts";
import { latencyOf } from "../view/group-checks.ts";
import type { TableRow } from "./NameCell.tsx";

/** Document 1, section 9: percent from which the bar is orange and red. */
const orangeFrom = 75;
const redFrom = 90;

/** How long a check takes, and how much that is of what it may take. */
export function latencyOfCheck(check: CheckSummary) {
  const ms = latencyOf(check);
  const limit = check.latency_limit;
  const percent =
    ms === undefined || !limit ? undefined : Math.min(100, Math.round((ms / limit) * 100));
  return { ms, limit, percent, name: check.name };
}

/** Of a group that of its slowest check. */
export function latencyOfRow(row: TableRow) {
  const check = row.kind === "group" ? row.aggregate.slowest : row.item.check;
  return check && latencyOfCheck(check);
}

export const latencyTone = (percent: number): string =>
  percent >= redFrom ? "bg-unhealthy" : percent >= orangeFrom ? "bg-warning" : "bg-control";

export function LatencyCell({ row }: { row: TableRow }) {
  const latency = latencyOfRow(row);
  if (latency?.ms === undefined) return <span className="text-muted">–</span>;
  const { ms, limit, percent, name } = latency;
  const of = row.kind === "group" ? `Slowest check: ${name}\n` : "";
  const share =
    percent === undefined || !limit
      ? ""
      : `, ${percent}% of the ${formatDuration(limit)} it may take`;
  return (
    <span
      className="inline-flex items-center gap-2 text-muted"
      data-tooltip={`${of}95th percentile: ${formatDuration(ms)}${share}`}
    >
      {formatDuration(ms)}
      <span
        role={percent === undefined ? undefined : "meter"}
        aria-label={percent === undefined ? undefined : "Share of the time it may take"}
        aria-valuenow={percent}
        className={classNames(
          "flex h-1.5 w-8 shrink-0 overflow-hidden rounded-bar",
          percent !== undefined && "bg-hover",
        )}
      >
        {percent !== undefined && (
          <span
            className={classNames("min-w-0.5 rounded-bar", latencyTone(percent))}
            style={{ width: `${percent}%` }}
          />
        )}
      </span>
    </span>
  );
}
