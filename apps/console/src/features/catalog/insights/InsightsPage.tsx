import { useQuery } from "@tanstack/react-query";
import { PageBar } from "#lib/PageBar.tsx";
import { paths } from "#lib/paths.ts";
import { useDefaultView } from "#lib/saved-views/use-default-view.ts";
import { useUrlState } from "#lib/url-state.ts";
import { CatalogTabs } from "../shared/CatalogTabs.tsx";
import { InsightList } from "./InsightList.tsx";
import { insightQueries } from "./queries.ts";
import { insightViews } from "./saved-views.ts";
import { insightsCodec } from "./view.ts";

/** /catalog/insights: what somebody found out about items. */
export function InsightsPage() {
  const [view, change] = useUrlState(insightsCodec);
  const isUndecided = useDefaultView(insightViews);
  const page = useQuery({ ...insightQueries.page(view, undefined), enabled: !isUndecided });
  return (
    <>
      <PageBar
        crumbs={[{ label: "Catalog", to: paths.catalog() }, { label: "Insights" }]}
        refresh={{
          onRefresh: () => void page.refetch(),
          isRefreshing: page.isFetching,
          updatedAt: page.dataUpdatedAt,
        }}
      />
      <CatalogTabs selected="insights" />
      <InsightList view={view} change={change} page={page} />
    </>
  );
}
