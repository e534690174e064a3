import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { type ReactNode, Suspense, useMemo, useState } from "react";
import { Age } from "@mainstay/ui/Age.tsx";
import { Button, IconButton } from "@mainstay/ui/Button.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import { CreateButton } from "../CreateButton.tsx";
import { Source } from "../documents/Source.tsx";
import { readDetails } from "../jobs/details.ts";
import { JobStatus } from "../jobs/JobStatus.tsx";
import { pagedCodec } from "../paged-view.ts";
import type { PageBarProps } from "../PageBar.tsx";
import { PagedPage } from "../PagedList.tsx";
import { useUrlState } from "../url-state.ts";
import { type ListedKind, type ListedResource, resourceQueries, sortKeysOf } from "./queries.ts";
import { resourceColumns } from "./resource-columns.tsx";

const JobDialog = lazyPart(() =>
  import("../jobs/JobDialog.tsx").then((module) => module.JobDialog),
);

export interface ResourceListPageProps<Row extends ListedResource> {
  of: ListedKind<Row>;
  /** In the breadcrumb: `Health Checks`. */
  title: string;
  /** What the page is in, where that is not the settings. */
  within?: PageBarProps["crumbs"];
  /** Above the list: where the page is one of several. */
  tabs?: ReactNode;
  /** Where one of them is shown. */
  to: (id: string, row: Row) => string;
  /** What the plus button says and does; left out for who may not. */
  create?: { label: string; onCreate: () => void } | undefined;
  /** Another way to one: a mark beside the plus button, and its words where there are none. */
  otherCreate?: { label: string; icon: ReactNode; onCreate: () => void } | undefined;
  /** What one of them is, where there are none. */
  about: ReactNode;
  /** What stands above the list when it is open. */
  children?: ReactNode;
}

/** All of a kind, with the last of their jobs. */
export function ResourceListPage<Row extends ListedResource>({
  of,
  title,
  within = [{ label: "Settings" }],
  tabs,
  to,
  create,
  otherCreate,
  about,
  children,
}: ResourceListPageProps<Row>) {
  const { history } = useRouter();
  const codec = useMemo(() => pagedCodec({ sortKeys: sortKeysOf(of), filters: {} }), [of]);
  const [view, change] = useUrlState(codec);
  const [open, setOpen] = useState<ListedResource | null>(null);
  const columns = useMemo(() => resourceColumns(of, setOpen), [of]);
  // Where there is room for one time only.
  const phoneTime = (row: Row) =>
    of.lastRun ? row.last_runtime : of.view ? row.job_time_start : row.created_at;
  return (
    <PagedPage
      crumbs={[...within, { label: title }]}
      tabs={tabs}
      actions={
        <>
          {create && <CreateButton {...create} />}
          {otherCreate && (
            <IconButton
              label={otherCreate.label}
              icon={otherCreate.icon}
              onClick={otherCreate.onCreate}
            />
          )}
        </>
      }
      noun={title.toLowerCase()}
      view={view}
      change={change}
      page={useQuery(resourceQueries.page(of, view))}
      loadAll={(limit) => resourceQueries.all(of, view, limit)}
      columns={columns}
      rowId={({ id }) => id}
      onOpen={(row) => history.push(to(row.id, row))}
      storageKey={`resources.${of.table}`}
      search={{
        label: `Search ${title.toLowerCase()}`,
        placeholder: of.own?.search?.placeholder ?? "Search by name",
      }}
      isFiltered={view.query !== ""}
      renderPhoneRow={(row) => (
        <span className="flex min-w-0 flex-col">
          <span className="flex min-w-0 justify-between gap-2">
            <bdi className="truncate font-medium">{row.name}</bdi>
            {typeof row.job_status === "string" && (
              <span className="shrink-0 text-xs">
                <JobStatus status={row.job_status} />
              </span>
            )}
          </span>
          <span className="flex min-w-0 justify-between gap-2 text-xs text-muted">
            <Source source={row.source} />
            <span className="shrink-0">
              <Age at={phoneTime(row)} />
            </span>
          </span>
        </span>
      )}
      empty={
        <EmptyState
          title="No resources found"
          actions={
            <>
              {create && (
                <Button kind="primary" onClick={create.onCreate}>
                  {create.label}
                </Button>
              )}
              {otherCreate && (
                <Button icon={otherCreate.icon} onClick={otherCreate.onCreate}>
                  {otherCreate.label}
                </Button>
              )}
            </>
          }
        >
          {about}
        </EmptyState>
      }
    >
      <Suspense>
        {open && (
          <JobDialog
            run={{
              name: open.job_name ?? null,
              status: open.job_status ?? null,
              resource_name: open.name,
              time_start: open.job_time_start ?? null,
              duration_millis: open.job_duration_millis ?? null,
              hostname: open.job_hostname ?? null,
            }}
            details={readDetails(open.job_details)}
            onClose={() => setOpen(null)}
          />
        )}
      </Suspense>
      {children}
    </PagedPage>
  );
}
