import { useQuery } from "@tanstack/react-query";
import { Age } from "@mainstay/ui/Age.tsx";
import { AppLink } from "#lib/AppLink.tsx";
import { readDetails } from "#lib/jobs/details.ts";
import { paths } from "#lib/paths.ts";
import { scraperQueries } from "./queries.ts";

/** Beside a scraper's document: that its last run found something wrong, and what. */
export function LastFailure({ id }: { id: string }) {
  const { data: last } = useQuery(scraperQueries.lastRun(id));
  if (!last) return null;
  const [error] = readDetails(last.details).errors;
  if (last.status?.toUpperCase() === "RUNNING" || (!last.error_count && error === undefined))
    return null;
  return (
    <p className="m-0 rounded-control bg-unhealthy-bg p-2 text-sm break-words text-unhealthy-fg">
      Its last run, <Age at={last.created_at} />, had{" "}
      {last.error_count === 1 ? "an error" : "errors"}
      {error !== undefined && `: ${error}`}.{" "}
      <AppLink to={paths.catalogScraper(id, { tab: "jobs" })} className="underline">
        Job history
      </AppLink>
    </p>
  );
}
