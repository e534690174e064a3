import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { Age } from "@mainstay/ui/Age.tsx";
import type { Column } from "@mainstay/ui/data-table/column.ts";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ageColumn } from "@mainstay/ui/list-table/stock-columns.tsx";
import { ListPage } from "#lib/ListPage.tsx";
import { paths } from "#lib/paths.ts";
import { eventQueries, type QueuedEvents } from "./queries.ts";
import { EventTabs } from "./EventTabs.tsx";

const count = (id: "pending" | "failed" | "average_attempts", header: string) =>
  ({
    id,
    header,
    width: id === "average_attempts" ? 150 : 100,
    minWidth: id === "average_attempts" ? 136 : 80,
    ...(id === "average_attempts" && { dropOrder: 2 }),
    align: "right",
    sortable: true,
    value: (row) => row[id],
    renderCell: (row) => (
      <span className={id === "failed" && row.failed ? "text-unhealthy-fg" : undefined}>
        {row[id]?.toLocaleString() ?? "–"}
      </span>
    ),
  }) satisfies Column<QueuedEvents>;

const columns: readonly Column<QueuedEvents>[] = [
  {
    id: "name",
    header: "Name",
    width: 220,
    minWidth: 160,
    hideable: false,
    sortable: true,
    value: ({ name }) => name,
    renderCell: ({ name }) => <code className="font-mono text-xs">{name}</code>,
  },
  count("pending", "Pending"),
  count("failed", "Failed"),
  count("average_attempts", "Average Attempts"),
  { ...ageColumn("first_failure", "First Failure"), dropOrder: 1 },
  ageColumn("last_failure", "Last Failure"),
  {
    id: "most_common_error",
    header: "Most Common Error",
    minWidth: 200,
    value: ({ most_common_error }) => most_common_error,
    renderCell: ({ most_common_error: error }) => (
      <span className="block truncate text-unhealthy-fg" data-tooltip={error ?? undefined}>
        {error?.split("\n")[0]}
      </span>
    ),
  },
];

/** /settings/event-queue-status: what waits to be handled, by the name of the event. */
export function EventQueuePage() {
  const { history } = useRouter();
  return (
    <ListPage
      crumbs={[{ label: "Settings" }, { label: "Event Queue" }]}
      noun="event queue"
      tabs={<EventTabs selected="queue" />}
      query={useQuery(eventQueries.queue)}
      columns={columns}
      rowId={({ name }) => name}
      onOpen={({ name }) => history.push(paths.eventDeliveries({ query: name, state: "all" }))}
      searchIn={({ name, most_common_error }) => `${name} ${most_common_error ?? ""}`}
      storageKey="event-queue"
      renderPhoneRow={(row) => (
        <span className="flex min-w-0 flex-col">
          <span className="flex justify-between gap-2">
            <code className="truncate font-mono text-xs">{row.name}</code>
            <span className="shrink-0 text-xs text-muted tabular-nums">
              {row.pending?.toLocaleString()} pending, {row.failed?.toLocaleString()} failed
            </span>
          </span>
          <span className="flex justify-between gap-2 text-xs">
            <span className="truncate text-unhealthy-fg">{row.most_common_error}</span>
            {row.last_failure && (
              <span className="shrink-0 text-muted">
                <Age at={row.last_failure} />
              </span>
            )}
          </span>
        </span>
      )}
      empty={
        <EmptyState title="No data available">
          Nothing waits: every event has been handled. Events that could not be handled are tried
          again, and stand here until then.
        </EmptyState>
      }
    />
  );
}
