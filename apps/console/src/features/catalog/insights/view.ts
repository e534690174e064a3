import {
  type AnalysisType,
  insightSeverities,
  insightStatuses,
  readAnalysisType,
} from "@mainstay/contract/catalog.ts";
import { pageSizes } from "@mainstay/ui/list-table/Pagination.tsx";
import { type PagedView, pagedCodec } from "#lib/paged-view.ts";
import type { UrlCodec } from "#lib/url-state.ts";

const sortKeys = ["first_observed", "last_observed"] as const;
type SortKey = (typeof sortKeys)[number];

/** Which insights are shown. */
export interface InsightsView extends PagedView<SortKey> {
  status: (typeof insightStatuses)[number] | "";
  severity: (typeof insightSeverities)[number] | "";
  type: AnalysisType | "";
  /** Of items of this type. */
  configType: string;
  analyzer: string;
  /** The id of a component: insights of its items. */
  component: string;
  /** The insight that is looked at. */
  insight: string;
}

const paging = pagedCodec({
  sortKeys,
  filters: { status: insightStatuses },
  sizes: pageSizes,
});

export const insightsCodec: UrlCodec<InsightsView> = {
  parse: (raw) => ({
    ...paging.parse(raw),
    severity: insightSeverities.find((one) => one === raw["severity"]?.toLowerCase()) ?? "",
    // Links of others say technicalDebt.
    type: readAnalysisType(raw["type"] ?? "") ?? "",
    configType: raw["configType"] ?? "",
    analyzer: raw["analyzer"] ?? "",
    component: raw["component"] ?? "",
    insight: raw["insight"] ?? "",
  }),
  format: (view) => ({
    ...paging.format(view),
    severity: view.severity || undefined,
    type: view.type || undefined,
    configType: view.configType || undefined,
    analyzer: view.analyzer || undefined,
    component: view.component || undefined,
    insight: view.insight || undefined,
  }),
};

/** How many filters are set, beside the search. */
export const countFilters = (view: InsightsView): number =>
  [view.status, view.severity, view.type, view.configType, view.analyzer, view.component].filter(
    (filter) => filter !== "",
  ).length;

export const isFiltered = (view: InsightsView): boolean =>
  view.query.trim() !== "" || countFilters(view) > 0;
