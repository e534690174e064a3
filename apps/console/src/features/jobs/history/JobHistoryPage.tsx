import { useQuery } from "@tanstack/react-query";
import { PageBar } from "#lib/PageBar.tsx";
import { useUrlState } from "#lib/url-state.ts";
import { JobRuns } from "./JobRuns.tsx";
import { jobQueries } from "./queries.ts";
import { jobsCodec, usualOfAll } from "./view.ts";

const codec = jobsCodec(usualOfAll);

/** /settings/jobs: what ran in the background, of everything. */
export function JobHistoryPage() {
  const [view, change] = useUrlState(codec);
  const page = useQuery(jobQueries.page(view, undefined));
  return (
    <>
      <PageBar
        crumbs={[{ label: "Settings" }, { label: "Job History" }]}
        refresh={{
          onRefresh: () => void page.refetch(),
          isRefreshing: page.isFetching,
          updatedAt: page.dataUpdatedAt,
        }}
      />
      <JobRuns view={view} change={change} page={page} />
    </>
  );
}
