import { Badge } from "@mainstay/ui/Badge.tsx";
import type { Column } from "@mainstay/ui/data-table/column.ts";
import { Icon } from "@mainstay/ui/Icon.tsx";
import { ageColumn, createdByColumn, nameColumn } from "@mainstay/ui/list-table/stock-columns.tsx";
import { elsewhere } from "../agents.ts";
import { Source } from "../documents/Source.tsx";
import { readDetails, tabsOf } from "../jobs/details.ts";
import { JobStatus } from "../jobs/JobStatus.tsx";
import { type ListedKind, type ListedResource, shows } from "./queries.ts";

const labelsOf = ({ labels }: ListedResource): string[] =>
  Object.entries(labels ?? {}).map(([name, value]) => `${name}=${value}`);

/** The first one, and how many there are besides. */
function Tags({ row }: { row: ListedResource }) {
  const [first, ...others] = labelsOf(row);
  if (first === undefined) return null;
  return (
    <span className="flex min-w-0 items-center gap-1" data-tooltip={labelsOf(row).join("\n")}>
      <Badge className="min-w-0 shrink!">
        <span className="truncate">{first}</span>
      </Badge>
      {others.length > 0 && (
        <span className="shrink-0 text-xs text-muted">+{others.length} more</span>
      )}
    </span>
  );
}

export const hasJobDetails = ({ job_details }: ListedResource) =>
  tabsOf(readDetails(job_details)).length > 0;

/** The columns of document 3, "Generic settings list", but those that the kind does not show. */
export function resourceColumns<Row extends ListedResource>(
  of: ListedKind<Row>,
  viewDetails: (row: Row) => void,
): readonly Column<Row>[] {
  const plain = (id: "namespace" | "schedule", header: string): Column<Row> => ({
    id,
    header,
    width: 104,
    minWidth: 96,
    dropOrder: 6,
    sortable: true,
    value: (row) => row[id],
    renderCell: (row) => <span className="truncate">{row[id] ?? "–"}</span>,
  });
  const all: Column<Row>[] = [
    nameColumn({
      mark: (row) => {
        const icon = of.iconOf?.(row) ?? row.icon;
        return icon ? <Icon name={icon} /> : null;
      },
      after: ({ agent }) => elsewhere(agent) && <Badge tooltip="Agent">{elsewhere(agent)}</Badge>,
    }),
    ...(of.own?.columns ?? []),
    {
      id: "source",
      header: "Source",
      width: 120,
      minWidth: 88,
      dropOrder: 4,
      sortable: true,
      value: ({ source }) => source ?? "Console",
      renderCell: ({ source }) => <Source source={source} />,
    },
    plain("schedule", "Schedule"),
    plain("namespace", "Namespace"),
    {
      id: "job_status",
      header: "Job Status",
      width: 172,
      sortable: true,
      value: ({ job_status }) => job_status?.toLowerCase(),
      renderCell: (row) =>
        typeof row.job_status !== "string" ? (
          "–"
        ) : (
          <span className="flex min-w-0 items-center gap-2">
            <JobStatus status={row.job_status} />
            {hasJobDetails(row) && (
              <button
                type="button"
                aria-label={`View details of the last job of ${row.name}`}
                onClick={(event) => {
                  event.stopPropagation();
                  viewDetails(row);
                }}
                className="shrink-0 rounded-control px-1 text-xs font-medium text-accent hover:bg-hover"
              >
                View details
              </button>
            )}
          </span>
        ),
    },
    { ...ageColumn(of.lastRun ?? "job_time_start", "Last Run"), width: 100 },
    { ...ageColumn("job_last_failed", "Last Failed"), width: 116, dropOrder: 7 },
    {
      id: "labels",
      header: "Tags",
      width: 150,
      minWidth: 110,
      dropOrder: 5,
      value: (row) => labelsOf(row).join(", "),
      renderCell: (row) => <Tags row={row} />,
    },
    { ...ageColumn("created_at", "Created"), width: 104, minWidth: 96, dropOrder: 3 },
    { ...ageColumn("updated_at", "Updated"), width: 92, minWidth: 80, dropOrder: 2 },
    createdByColumn({ width: 120, minWidth: 88, dropOrder: 1 }),
  ];
  const isShown = shows(of);
  const hidden: readonly string[] = of.startsHidden ?? [];
  return all
    .filter(({ id }) => isShown(id))
    .map((column) => (hidden.includes(column.id) ? { ...column, startsHidden: true } : column));
}
