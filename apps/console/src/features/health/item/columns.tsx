import { Age } from "@mainstay/ui/Age.tsx";
import type { Column } from "@mainstay/ui/data-table/column.ts";
import { formatDuration, formatPercent } from "@mainstay/ui/duration.ts";
import { StatusDot } from "@mainstay/ui/StatusDot.tsx";
import { toneOf } from "../check/check-state.ts";
import { CheckTypeIcon } from "../check/CheckTypeIcon.tsx";
import { serverTime } from "../check/server-time.ts";
import type { ItemCheck } from "./queries.ts";

/** The server says of one whose next result is overdue that nobody knows. */
const stateOf = ({ status }: ItemCheck) => status ?? "unknown";

const time = (text: string | null) => {
  const moment = serverTime(text);
  return Number.isNaN(moment) ? null : moment;
};

export const itemCheckColumns: readonly Column<ItemCheck>[] = [
  {
    id: "name",
    header: "Check",
    sortable: true,
    hideable: false,
    minWidth: 180,
    value: ({ name }) => name,
    renderCell: (check) => (
      <span className="flex min-w-0 items-center gap-2">
        <StatusDot tone={toneOf(stateOf(check))} label={stateOf(check)} />
        <CheckTypeIcon type={check.type} size={14} />
        <span className="truncate" data-tooltip={check.description || check.name}>
          {check.name}
        </span>
        {check.canary_name && check.canary_name !== check.name && (
          <span className="truncate text-xs text-muted">{check.canary_name}</span>
        )}
      </span>
    ),
  },
  {
    id: "severity",
    header: "Severity",
    width: 90,
    dropOrder: 2,
    sortable: true,
    value: ({ severity }) => severity,
    renderCell: ({ severity }) => <span className="text-muted">{severity || "–"}</span>,
  },
  {
    id: "uptime",
    header: "Uptime",
    width: 84,
    dropOrder: 3,
    align: "right",
    sortable: true,
    value: ({ uptime }) =>
      uptime && uptime.passed + uptime.failed > 0
        ? uptime.passed / (uptime.passed + uptime.failed)
        : null,
    renderCell: ({ uptime }) =>
      uptime && uptime.passed + uptime.failed > 0 ? (
        <span data-tooltip={`${uptime.passed} passed, ${uptime.failed} failed`}>
          {formatPercent(uptime.passed, uptime.passed + uptime.failed)}
        </span>
      ) : (
        <span className="text-muted">–</span>
      ),
  },
  {
    id: "latency",
    header: "Latency",
    width: 84,
    align: "right",
    sortable: true,
    value: ({ latency }) => latency?.rolling1h ?? latency?.p95,
    renderCell: ({ latency }) => {
      const ms = latency?.rolling1h ?? latency?.p95;
      return ms ? formatDuration(ms) : <span className="text-muted">–</span>;
    },
  },
  {
    id: "last_runtime",
    header: "Last run",
    width: 100,
    sortable: true,
    value: ({ last_runtime: at }) => at,
    renderCell: ({ last_runtime: at }) => <Age at={time(at)} className="text-muted" />,
  },
  {
    id: "last_transition_time",
    header: "Transition",
    width: 116,
    dropOrder: 1,
    sortable: true,
    value: ({ last_transition_time: at }) => at,
    renderCell: ({ last_transition_time: at }) => <Age at={time(at)} className="text-muted" />,
  },
];
