import { firstPage, pagedSizes, type PagedView } from "#lib/paged-view.ts";
import type { UrlCodec } from "#lib/url-state.ts";
import { parseDurationFilter } from "./duration-filter.ts";

/** What of a check's history is shown, as the address says. */
export interface HistoryView extends PagedView<"time" | "duration"> {
  status: HistoryStatus | "all";
  /** As it was written; nothing for all. */
  duration: string;
}

export const historyStatuses = ["healthy", "unhealthy", "unknown"] as const;
export type HistoryStatus = (typeof historyStatuses)[number];

const sortKeys = ["time", "duration"] as const;

/** Names of their own, beside those of the page that the check was opened from. */
export const historyCodec: UrlCodec<HistoryView> = {
  parse: (raw) => {
    const [sortBy, order] = (raw["historySort"] ?? "").split(".");
    const duration = raw["historyDuration"] ?? "";
    return {
      ...firstPage,
      status: historyStatuses.find((status) => status === raw["historyStatus"]) ?? "all",
      duration: parseDurationFilter(duration) === undefined ? "" : duration,
      pageIndex: Math.max(0, Math.trunc(Number(raw["historyPage"] ?? 1)) - 1 || 0),
      pageSize:
        pagedSizes.find((size) => String(size) === raw["historySize"]) ?? firstPage.pageSize,
      sortBy: sortKeys.find((key) => key === sortBy),
      sortDesc: order === "desc",
    };
  },
  format: ({ status, duration, pageIndex, pageSize, sortBy, sortDesc }) => ({
    historyStatus: status === "all" ? undefined : status,
    historyDuration: duration || undefined,
    historyPage: pageIndex === 0 ? undefined : String(pageIndex + 1),
    historySize: pageSize === firstPage.pageSize ? undefined : String(pageSize),
    historySort: sortBy && `${sortBy}.${sortDesc ? "desc" : "asc"}`,
  }),
};
