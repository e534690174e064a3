import { Age } from "@mainstay/ui/Age.tsx";
import { Badge } from "@mainstay/ui/Badge.tsx";
import type { Column } from "@mainstay/ui/data-table/column.ts";
import { formatDuration } from "@mainstay/ui/duration.ts";
import { elsewhere } from "#lib/agents.ts";
import { ResourceLink } from "#lib/resources/ResourceLink.tsx";
import { readDetails } from "#lib/jobs/details.ts";
import { JobStatus } from "#lib/jobs/JobStatus.tsx";
import type { JobRun } from "./queries.ts";

const count = (id: "success_count" | "error_count", header: string): Column<JobRun> => ({
  id,
  header,
  width: 96,
  minWidth: 82,
  align: "right",
  sortable: true,
  value: (run) => run[id],
  renderCell: (run) => run[id]?.toLocaleString() ?? "–",
});

const resource: Column<JobRun> = {
  id: "resource_type",
  header: "Resource",
  width: 220,
  minWidth: 128,
  sortable: true,
  value: ({ resource_name }) => resource_name,
  renderCell: ({ resource_type, resource_id, resource_name }) =>
    resource_id === null || resource_type === null ? (
      "–"
    ) : (
      <ResourceLink
        kind={resource_type}
        id={resource_id}
        name={resource_name ?? resource_id}
        isGone={resource_name === null || resource_name === resource_id}
      />
    ),
};

const firstError = (run: JobRun) => readDetails(run.details).errors[0]?.split("\n")[0] ?? "";

const columns: readonly Column<JobRun>[] = [
  {
    // Of the runs of an hour the first one's: it is what the list is sorted by, and its counts are of all since then.
    id: "created_at",
    header: "Started",
    width: 110,
    minWidth: 84,
    sortable: true,
    value: ({ created_at }) => created_at,
    renderCell: ({ created_at }) => <Age at={created_at} />,
  },
  {
    id: "name",
    header: "Job Name",
    width: 240,
    minWidth: 120,
    hideable: false,
    sortable: true,
    value: ({ name }) => name,
    renderCell: (run) => (
      <span className="flex min-w-0 items-center gap-2">
        <span className="truncate" data-tooltip={run.name ?? undefined}>
          {run.name}
        </span>
        {elsewhere(run.agent) && <Badge tooltip="Agent">{elsewhere(run.agent)}</Badge>}
      </span>
    ),
  },
  {
    id: "status",
    header: "Status",
    width: 110,
    minWidth: 88,
    sortable: true,
    value: ({ status }) => status?.toLowerCase(),
    renderCell: ({ status }) => <JobStatus status={status} />,
  },
  {
    id: "duration_millis",
    header: "Duration",
    width: 100,
    minWidth: 80,
    align: "right",
    sortable: true,
    value: ({ duration_millis }) => duration_millis,
    renderCell: ({ duration_millis }) =>
      duration_millis === null ? "–" : formatDuration(duration_millis),
  },
  count("success_count", "Succeeded"),
  count("error_count", "Errors"),
  {
    id: "error",
    header: "First error",
    minWidth: 140,
    value: firstError,
    renderCell: (run) => (
      <span className="block truncate text-unhealthy-fg" data-tooltip={firstError(run)}>
        {firstError(run)}
      </span>
    ),
  },
];

export const allColumns: readonly Column<JobRun>[] = [
  ...columns.slice(0, 2),
  resource,
  ...columns.slice(2),
];
/** Whose runs they are is said by the page around them. */
export const columnsOfOne: readonly Column<JobRun>[] = columns;

export const phoneRow = (run: JobRun) => (
  <span className="flex min-w-0 flex-col">
    <span className="flex min-w-0 justify-between gap-2">
      <span className="truncate font-medium">
        {run.name}
        {run.resource_name !== null && (
          <span className="font-normal text-muted"> · {run.resource_name}</span>
        )}
      </span>
      <span className="shrink-0 text-xs">
        <JobStatus status={run.status} />
      </span>
    </span>
    <span className="flex min-w-0 justify-between gap-2 text-xs text-muted">
      <span className="truncate">{firstError(run)}</span>
      <span className="shrink-0 tabular-nums">
        {run.duration_millis !== null && `${formatDuration(run.duration_millis)} · `}
        <Age at={run.created_at} />
      </span>
    </span>
  </span>
);
