import { defaultTimeRange } from "@mainstay/contract/health.ts";
import {
  formatRange,
  parseRange,
  relativeRange,
  type TimeRange,
} from "@mainstay/ui/time-range/time-range.ts";
import type { UrlCodec } from "#lib/url-state.ts";
import {
  formatTriStateFilter,
  noFilter,
  parseTriStateFilter,
  type TriStateFilter,
} from "@mainstay/ui/filters/tri-state-filter.ts";
import { formatLabelFilters, parseLabelFilters, type LabelFilters } from "./label-filters.ts";

/** What the health page shows, as its address says (document 1, section 2). */
export interface HealthView {
  timeRange: TimeRange;
  labels: LabelFilters;
  severity: TriStateFilter;
  query: string;
  layout: "table" | "card";
  checkId: string | undefined;
  /** The range of the open check: by the age of its last run when nothing says one. */
  checkRange: TimeRange | undefined;
  /** The tab of the open check. Which there are the dialog knows: features add to them. */
  checkTab: string;
  sortBy: SortKey | undefined;
  sortDesc: boolean;
  groupBy: string;
  tabBy: string;
  tab: string;
  hidePassing: boolean;
  status: StatusFilter | undefined;
  /** Groups that were opened (1) and closed (-1) by hand. */
  expanded: TriStateFilter;
  /** The columns that are shown; the reader's own when the address says nothing. */
  columns: readonly string[] | undefined;
  pivotBy: string;
  pivotLabel: string;
  pivotCellType: PivotCell;
  addCheck: boolean;
}

export const sortKeys = ["name", "health", "severity", "uptime", "latency", "expires"] as const;
export type SortKey = (typeof sortKeys)[number];

export const statusFilters = ["healthy", "unhealthy", "warning", "unknown"] as const;
export type StatusFilter = (typeof statusFilters)[number];

export const pivotCells = ["health", "uptime", "latency"] as const;
export type PivotCell = (typeof pivotCells)[number];

export const noGrouping = "none";
export const labelPrefix = "label:";
export const allTab = "all";

/** The range of the page as it opens. */
export const defaultRange = relativeRange(defaultTimeRange);

/** Document 1, section 2: the defaults of the page. */
export const defaultView: HealthView = {
  timeRange: defaultRange,
  labels: {},
  severity: noFilter,
  query: "",
  layout: "table",
  checkId: undefined,
  checkRange: undefined,
  checkTab: "history",
  sortBy: undefined,
  sortDesc: false,
  groupBy: "canary_name",
  tabBy: "namespace",
  tab: allTab,
  hidePassing: true,
  status: undefined,
  expanded: noFilter,
  columns: undefined,
  pivotBy: noGrouping,
  pivotLabel: "",
  pivotCellType: "health",
  addCheck: false,
};

const oneOf = <T extends string>(known: readonly T[], text: string | undefined): T | undefined =>
  known.find((item) => item === text);

const unlessDefault = <T extends string>(
  value: T | undefined,
  usual: T | undefined,
): T | undefined => (value === usual ? undefined : value);

/** Addresses of the reference have one range: with an open check it is that check's, and not the page's. */
const ownsRange = ({ checkId, checkRange }: { checkId?: string; checkRange?: string }) =>
  !checkId || checkRange !== undefined;

/** What the dialog of a check keeps in the address (`history-view.ts`): it goes with it. */
const ofOpenCheck = Object.fromEntries(
  ["Status", "Duration", "Page", "Size", "Sort"].map((name) => [`history${name}`, undefined]),
);
/** One of the known words, or any label. */
const byWord = (known: readonly string[], text: string | undefined): string | undefined =>
  text !== undefined && text.startsWith(labelPrefix) && text.length > labelPrefix.length
    ? text
    : oneOf(known, text);

export const groupings = [noGrouping, "canary_name", "name", "description", "type"] as const;
export const placings = ["namespace", "agent_id"] as const;
const mostColumns = 50;

const readColumns = (text: string | undefined): readonly string[] | undefined =>
  text ? text.split(",").filter(Boolean).slice(0, mostColumns) : undefined;

export const healthViewCodec: UrlCodec<HealthView> = {
  parse: (raw) => ({
    timeRange: (ownsRange(raw) && parseRange(raw.timeRange ?? "")) || defaultView.timeRange,
    labels: parseLabelFilters(raw.labels),
    severity: parseTriStateFilter(raw.severity),
    query: raw.query ?? "",
    layout: oneOf(["table", "card"], raw.layout) ?? defaultView.layout,
    checkId: raw.checkId || undefined,
    checkRange: raw.checkId ? parseRange(raw.checkRange ?? raw.timeRange ?? "") : undefined,
    checkTab: raw.checkTab || defaultView.checkTab,
    sortBy: oneOf(sortKeys, raw.sortBy),
    sortDesc: raw.sortDesc === "true",
    groupBy: byWord(groupings, raw.groupBy) ?? defaultView.groupBy,
    tabBy: byWord(placings, raw.tabBy) ?? defaultView.tabBy,
    tab: raw.tab || allTab,
    hidePassing: raw.hidePassing !== "false",
    status: oneOf(statusFilters, raw.status),
    expanded: parseTriStateFilter(raw.expanded),
    columns: readColumns(raw.columns),
    pivotBy: oneOf([...placings, "label"], raw.pivotBy) ?? noGrouping,
    pivotLabel: raw.pivotLabel ?? "",
    pivotCellType: oneOf(pivotCells, raw.pivotCellType) ?? defaultView.pivotCellType,
    addCheck: raw.addCheck === "true",
  }),
  format: (view) => ({
    ...(view.checkId === undefined && ofOpenCheck),
    timeRange: unlessDefault(formatRange(view.timeRange), formatRange(defaultRange)),
    labels: formatLabelFilters(view.labels),
    severity: formatTriStateFilter(view.severity),
    query: view.query || undefined,
    layout: unlessDefault(view.layout, defaultView.layout),
    checkId: view.checkId,
    checkRange:
      view.checkId === undefined || view.checkRange === undefined
        ? undefined
        : formatRange(view.checkRange),
    checkTab:
      view.checkId === undefined ? undefined : unlessDefault(view.checkTab, defaultView.checkTab),
    sortBy: view.sortBy,
    sortDesc: view.sortBy !== undefined && view.sortDesc ? "true" : undefined,
    groupBy: unlessDefault(view.groupBy, defaultView.groupBy),
    tabBy: unlessDefault(view.tabBy, defaultView.tabBy),
    tab: unlessDefault(view.tab, allTab),
    hidePassing: view.hidePassing ? undefined : "false",
    status: view.status,
    expanded: formatTriStateFilter(view.expanded),
    columns: view.columns?.join(),
    pivotBy: unlessDefault(view.pivotBy, noGrouping),
    pivotLabel: view.pivotBy === "label" ? view.pivotLabel || undefined : undefined,
    pivotCellType:
      view.pivotBy === noGrouping
        ? undefined
        : unlessDefault(view.pivotCellType, defaultView.pivotCellType),
    addCheck: view.addCheck ? "true" : undefined,
  }),
};

/** What `clear all` leaves. */
export const unfiltered = {
  query: "",
  labels: {},
  severity: noFilter,
  status: undefined,
} satisfies Partial<HealthView>;

/** Whether a filter is active that can be taken away by itself. */
export const isFiltered = ({ query, status, severity, labels }: HealthView): boolean =>
  query !== "" || status !== undefined || severity.size > 0 || Object.keys(labels).length > 0;
