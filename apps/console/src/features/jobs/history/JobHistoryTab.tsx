import { useQuery } from "@tanstack/react-query";
import { useUrlState } from "#lib/url-state.ts";
import { JobRuns } from "./JobRuns.tsx";
import { jobQueries, type RunsOf } from "./queries.ts";
import { jobsCodec, usualOfOne } from "./view.ts";

const codec = jobsCodec(usualOfOne);

/** What ran for one resource, on its own page. */
export function JobHistoryTab({ kind, id }: RunsOf) {
  const [view, change] = useUrlState(codec);
  const of = { kind, id };
  const page = useQuery(jobQueries.page(view, of));
  return <JobRuns of={of} view={view} change={change} page={page} />;
}
