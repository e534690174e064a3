import { changeOrders } from "@mainstay/contract/catalog-answers.ts";
import { type ChangeSeverity, changeSeverities } from "@mainstay/contract/catalog.ts";
import {
  formatTriStateFilter,
  parseTriStateFilter,
  type TriStateFilter,
} from "@mainstay/ui/filters/tri-state-filter.ts";
import { pageSizes } from "@mainstay/ui/list-table/Pagination.tsx";
import {
  formatRange,
  parseRange,
  relativeRange,
  type TimeRange,
} from "@mainstay/ui/time-range/time-range.ts";
import { type PagedView, pagedCodec } from "#lib/paged-view.ts";
import type { UrlCodec } from "#lib/url-state.ts";

export type ChangeOrder = (typeof changeOrders)[number];

/** What of a change is looked at. */
export const changeParts = ["diff", "patches", "details"] as const;
export type ChangePart = (typeof changeParts)[number];

/** Which changes are shown. */
export interface ChangesView extends PagedView<ChangeOrder> {
  /** A filter of items by their ids, as the server reads it. */
  ids: string;
  configTypes: TriStateFilter;
  changeTypes: TriStateFilter;
  authors: TriStateFilter;
  sources: TriStateFilter;
  /** `key=value` each. */
  tags: TriStateFilter;
  /** At least so severe. */
  severity: ChangeSeverity | "";
  timeRange: TimeRange;
  /** Of one item: with the changes of what lies below it, and of what it hangs on. */
  downstream: boolean;
  upstream: boolean;
  /** Those bursts that are open, by their oldest change. */
  open: readonly string[];
  /** The change that is looked at, and what of it. */
  change: string;
  part: ChangePart | "";
}

/** Document 2, section 2. */
export const usualRange = relativeRange("7d");
export const usualPageSize = 200;

const paging = pagedCodec({
  sortKeys: changeOrders,
  filters: { severity: changeSeverities },
  sizes: pageSizes,
  pageSize: usualPageSize,
});
const usualRangeText = formatRange(usualRange);

export const changesCodec: UrlCodec<ChangesView> = {
  parse: (raw) => ({
    ...paging.parse(raw),
    ids: raw["id"] ?? "",
    configTypes: parseTriStateFilter(raw["configType"]),
    changeTypes: parseTriStateFilter(raw["changeType"]),
    authors: parseTriStateFilter(raw["createdBy"]),
    sources: parseTriStateFilter(raw["source"]),
    tags: parseTriStateFilter(raw["tags"]),
    timeRange: parseRange(raw["timeRange"] ?? "") ?? usualRange,
    downstream: raw["downstream"] !== "false",
    upstream: raw["upstream"] === "true",
    open: raw["open"]?.split(",").filter((id) => id !== "") ?? [],
    change: raw["change"] ?? "",
    part: changeParts.find((part) => part === raw["part"]) ?? "",
  }),
  format: (view) => {
    const range = formatRange(view.timeRange);
    return {
      ...paging.format(view),
      id: view.ids || undefined,
      configType: formatTriStateFilter(view.configTypes),
      changeType: formatTriStateFilter(view.changeTypes),
      createdBy: formatTriStateFilter(view.authors),
      source: formatTriStateFilter(view.sources),
      tags: formatTriStateFilter(view.tags),
      timeRange: range === usualRangeText ? undefined : range,
      downstream: view.downstream ? undefined : "false",
      upstream: view.upstream ? "true" : undefined,
      open: view.open.length === 0 ? undefined : view.open.join(","),
      change: view.change || undefined,
      part: view.part || undefined,
    };
  },
};

/** How many filters are set, beside the search and the range of time. */
export const countFilters = (view: ChangesView): number =>
  [view.configTypes, view.changeTypes, view.authors, view.sources, view.tags].filter(
    ({ size }) => size > 0,
  ).length + (view.severity === "" ? 0 : 1);

export const isFiltered = (view: ChangesView): boolean =>
  view.query.trim() !== "" || view.ids !== "" || countFilters(view) > 0;
