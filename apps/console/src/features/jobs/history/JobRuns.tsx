import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { Suspense } from "react";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import { pageSizes } from "@mainstay/ui/list-table/Pagination.tsx";
import { toastDone } from "@mainstay/ui/toasts.ts";
import type { RowPage } from "#lib/db.ts";
import { PagedList } from "#lib/PagedList.tsx";
import type { ChangeUrl } from "#lib/url-state.ts";
import { allColumns, columnsOfOne, phoneRow } from "./columns.tsx";
import { readDetails, tabsOf } from "#lib/jobs/details.ts";
import { JobFilters } from "./JobFilters.tsx";
import { jobQueries, type JobRun, type RunsOf } from "./queries.ts";
import type { JobsView } from "./view.ts";

const JobDialog = lazyPart(() =>
  import("#lib/jobs/JobDialog.tsx").then((module) => module.JobDialog),
);

export interface JobRunsProps {
  of?: RunsOf;
  view: JobsView;
  change: ChangeUrl<JobsView>;
  page: UseQueryResult<RowPage<JobRun>>;
}

/** Runs of jobs, and what one of them has said of itself. */
export function JobRuns({ of, view, change, page }: JobRunsProps) {
  const shown = page.data?.rows.find(({ id }) => id === view.job);
  const other = useQuery({
    ...jobQueries.one(view.job),
    enabled: view.job !== "" && page.data !== undefined && shown === undefined,
  });
  const open = view.job === "" ? undefined : (shown ?? other.data ?? undefined);
  const details = open && readDetails(open.details);
  return (
    <>
      <PagedList
        noun="job history"
        view={view}
        change={change}
        page={page}
        loadAll={(limit) => jobQueries.all(view, of, limit)}
        columns={of ? columnsOfOne : allColumns}
        rowId={({ id }) => id}
        sizes={pageSizes}
        onOpen={(run) => {
          if (tabsOf(readDetails(run.details)).length > 0) change({ job: run.id });
          else toastDone("No details found");
        }}
        storageKey={of ? "job-history-tab" : "job-history"}
        filters={<JobFilters view={view} change={change} isOfOne={of !== undefined} />}
        isFiltered={
          view.names.size > 0 ||
          view.resourceTypes.size > 0 ||
          view.statuses.size > 0 ||
          view.atLeast !== ""
        }
        renderPhoneRow={phoneRow}
        empty={
          <EmptyState title="No data available">
            {of
              ? "Nothing has run for this yet, or not in this range of time."
              : "No job has run in this range of time."}
          </EmptyState>
        }
      />
      <Suspense>
        {open && details && tabsOf(details).length > 0 && (
          <JobDialog run={open} details={details} onClose={() => change({ job: "" })} />
        )}
      </Suspense>
    </>
  );
}
