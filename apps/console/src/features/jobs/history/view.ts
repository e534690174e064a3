import {
  formatTriStateFilter,
  noFilter,
  parseTriStateFilter,
  type TriStateFilter,
} from "@mainstay/ui/filters/tri-state-filter.ts";
import {
  formatRange,
  parseRange,
  relativeRange,
  type TimeRange,
} from "@mainstay/ui/time-range/time-range.ts";
import { pageSizes } from "@mainstay/ui/list-table/Pagination.tsx";
import { type PagedView, pagedCodec } from "#lib/paged-view.ts";
import type { UrlCodec } from "#lib/url-state.ts";

/** "Run-duration filter options" of document 3, section 9, with none for any. */
export const runDurations = [
  ["15s", 15_000],
  ["30s", 30_000],
  ["60s", 60_000],
  ["2m", 120_000],
  ["3m", 180_000],
  ["5m", 300_000],
  ["10m", 600_000],
  ["15m", 900_000],
] as const;
type RunDuration = (typeof runDurations)[number][0];

const sortKeys = [
  "created_at",
  "name",
  "resource_type",
  "status",
  "duration_millis",
  "success_count",
  "error_count",
] as const;
type SortKey = (typeof sortKeys)[number];

/** Which runs are shown. */
export interface JobsView extends PagedView<SortKey> {
  names: TriStateFilter;
  resourceTypes: TriStateFilter;
  statuses: TriStateFilter;
  atLeast: RunDuration | "";
  timeRange: TimeRange;
  /** The run whose details are open. */
  job: string;
}

export interface JobsUsual {
  statuses: TriStateFilter;
  timeRange: TimeRange;
}
/** Document 3, section 9: of all jobs, what did not go well in the last two days. */
export const usualOfAll: JobsUsual = {
  statuses: new Map([["SUCCESS", -1]]),
  timeRange: relativeRange("2d"),
};
/** Of one resource everything that is kept: its last success is as telling as its last failure. */
export const usualOfOne: JobsUsual = { statuses: noFilter, timeRange: relativeRange("1y") };

const pageSize = 150;
const paging = pagedCodec({ sortKeys, filters: {}, sizes: pageSizes, pageSize });

/** How a history is written in the address. `all` is a filter that lets everything through, where that is not usual. */
export function jobsCodec(usual: JobsUsual): UrlCodec<JobsView> {
  const usualStatuses = formatTriStateFilter(usual.statuses);
  const usualRange = formatRange(usual.timeRange);
  return {
    parse: (raw) => ({
      ...paging.parse(raw),
      names: parseTriStateFilter(raw["name"]),
      resourceTypes: parseTriStateFilter(raw["resource_type"]),
      statuses: parseTriStateFilter(raw["status"] ?? usualStatuses),
      atLeast: runDurations.find(([words]) => words === raw["runDuration"])?.[0] ?? "",
      timeRange: parseRange(raw["timeRange"] ?? "") ?? usual.timeRange,
      job: raw["job"] ?? "",
    }),
    format: (view) => {
      const statuses = formatTriStateFilter(view.statuses);
      const range = formatRange(view.timeRange);
      return {
        ...paging.format(view),
        name: formatTriStateFilter(view.names),
        resource_type: formatTriStateFilter(view.resourceTypes),
        status: statuses === usualStatuses ? undefined : (statuses ?? "all"),
        runDuration: view.atLeast || undefined,
        timeRange: range === usualRange ? undefined : range,
        job: view.job || undefined,
      };
    },
  };
}
