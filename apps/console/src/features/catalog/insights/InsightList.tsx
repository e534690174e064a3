import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import { pageSizes } from "@mainstay/ui/list-table/Pagination.tsx";
import { Suspense } from "react";
import type { RowPage } from "#lib/db.ts";
import { PagedList } from "#lib/PagedList.tsx";
import { type ChangeUrl, useUrlState } from "#lib/url-state.ts";
import { columnsOfOne, insightColumns, phoneRow } from "./columns.tsx";
import { InsightFilters } from "./InsightFilters.tsx";
import { type Insight, insightQueries } from "./queries.ts";
import { insightsCodec, type InsightsView, isFiltered } from "./view.ts";

const InsightDialog = lazyPart(() =>
  import("./dialog/InsightDialog.tsx").then((module) => module.InsightDialog),
);

export interface InsightListProps {
  itemId?: string;
  view: InsightsView;
  change: ChangeUrl<InsightsView>;
  page: UseQueryResult<RowPage<Insight>>;
}

/** Insights of one item, or of everything, and one of them whole. */
export function InsightList({ itemId, view, change, page }: InsightListProps) {
  const isOfOne = itemId !== undefined;
  return (
    <>
      <PagedList
        noun="insights"
        view={view}
        change={change}
        page={page}
        columns={isOfOne ? columnsOfOne : insightColumns}
        rowId={({ id }) => id}
        onOpen={({ id }) => change({ insight: id })}
        sizes={pageSizes}
        storageKey={isOfOne ? "item-insights" : "catalog-insights"}
        loadAll={(limit) => insightQueries.all(view, itemId, limit)}
        filters={<InsightFilters view={view} change={change} isOfOne={isOfOne} />}
        isFiltered={isFiltered(view)}
        renderPhoneRow={phoneRow}
        empty={
          <EmptyState title="No insights">
            Scrapers find insights: what is insecure, too costly, or not as it should be.
          </EmptyState>
        }
      />
      {view.insight !== "" && (
        <Suspense>
          <InsightDialog
            id={view.insight}
            inOrder={page.data?.rows.map(({ id }) => id) ?? []}
            onShow={(id) => change({ insight: id }, { replace: true })}
            onClose={() => change({ insight: "" })}
          />
        </Suspense>
      )}
    </>
  );
}

/** What somebody found out about one item. */
export function InsightsTab({ item }: { item: { id: string } }) {
  const [view, change] = useUrlState(insightsCodec);
  const page = useQuery(insightQueries.page(view, item.id));
  return <InsightList itemId={item.id} view={view} change={change} page={page} />;
}
