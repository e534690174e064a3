import {
  formatTriStateFilter,
  noFilter,
  parseTriStateFilter,
  type TriStateFilter,
} from "@mainstay/ui/filters/tri-state-filter.ts";
import type { UrlCodec } from "#lib/url-state.ts";

/** By what items are grouped: a word of these, or the key of a tag. */
export type GroupKey =
  | { of: "config_class" | "type" | "name" | "analysis" | "changed" }
  | { of: "tag"; key: string };

const groupWords = ["config_class", "type", "name", "analysis", "changed"] as const;
const tagMark = "__tag";

/** Document 2, section 2. */
const usualGroups: readonly GroupKey[] = [{ of: "config_class" }, { of: "type" }];
const mostGroups = 5;

export const formatGroups = (groups: readonly GroupKey[]): string =>
  groups.map((group) => (group.of === "tag" ? `${group.key}${tagMark}` : group.of)).join();
export const usualGroupText = formatGroups(usualGroups);

function parseGroups(text: string | undefined): readonly GroupKey[] {
  const found = (text ?? "").split(",").flatMap((part): GroupKey[] => {
    if (part.endsWith(tagMark) && part.length > tagMark.length)
      return [{ of: "tag", key: part.slice(0, -tagMark.length) }];
    const word = groupWords.find((one) => one === part);
    return word ? [{ of: word }] : [];
  });
  return found.length === 0 ? usualGroups : found.slice(0, mostGroups);
}

/** What the server can sort items by, and what groups can be sorted by besides. */
export const itemSortKeys = [
  "name",
  "type",
  "health",
  "cost_total_1d",
  "cost_total_7d",
  "cost_total_30d",
  "created_at",
  "updated_at",
] as const;
export const groupSortKeys = [...itemSortKeys, "count", "changes", "analysis"] as const;
export type SortKey = (typeof groupSortKeys)[number];
export type ItemSortKey = (typeof itemSortKeys)[number];

/** What of the catalog is shown, as its address says it. */
export interface CatalogView {
  configType: string | undefined;
  search: string;
  /** `key=value`; a value of nothing stands for items without that label. */
  labels: TriStateFilter;
  status: TriStateFilter;
  health: TriStateFilter;
  groupBy: readonly GroupKey[];
  sortBy: SortKey | undefined;
  sortDesc: boolean;
  /** Groups that are open though they would be closed, and the other way round. */
  expanded: TriStateFilter;
  /** The columns that are shown; the reader's own when the address says nothing. */
  columns: readonly string[] | undefined;
}

const mostColumns = 50;
const parseColumns = (text: string | undefined): readonly string[] | undefined =>
  text ? text.split(",").filter(Boolean).slice(0, mostColumns) : undefined;

/** Whatever is `all` is no filter; other clients write `A__B` for `A::B`. */
const parseType = (text: string | undefined): string | undefined =>
  !text || text === "all" ? undefined : text.replaceAll("__", "::");

export const catalogCodec: UrlCodec<CatalogView> = {
  parse: (raw) => ({
    configType: parseType(raw["configType"]),
    search: raw["search"] ?? "",
    labels: parseTriStateFilter(raw["labels"]),
    status: parseTriStateFilter(raw["status"]),
    health: parseTriStateFilter(raw["health"]),
    groupBy: parseGroups(raw["groupBy"]),
    sortBy: groupSortKeys.find((key) => key === raw["sortBy"]),
    sortDesc: raw["sortOrder"] === "desc",
    expanded: parseTriStateFilter(raw["expanded"]),
    columns: parseColumns(raw["columns"]),
  }),
  format: (view) => {
    const groupBy = formatGroups(view.groupBy);
    return {
      configType: view.configType,
      search: view.search === "" ? undefined : view.search,
      labels: formatTriStateFilter(view.labels),
      status: formatTriStateFilter(view.status),
      health: formatTriStateFilter(view.health),
      groupBy: groupBy === usualGroupText ? undefined : groupBy,
      sortBy: view.sortBy,
      sortOrder: view.sortBy === undefined ? undefined : view.sortDesc ? "desc" : "asc",
      expanded: formatTriStateFilter(view.expanded),
      columns: view.columns?.join(),
    };
  },
};

export const unfiltered = {
  columns: undefined,
  configType: undefined,
  search: "",
  labels: noFilter,
  status: noFilter,
  health: noFilter,
} as const satisfies Partial<CatalogView>;

export const isFiltered = (view: CatalogView): boolean =>
  view.configType !== undefined ||
  view.search.trim() !== "" ||
  view.labels.size + view.status.size + view.health.size > 0;

/** Only items themselves tell these: the numbers of groups do not. */
const isOfItems = ({ of }: GroupKey) => of === "name" || of === "analysis" || of === "changed";

/** Numbers of groups; one item a row; or items under what they have in common. */
export function layoutOf(view: CatalogView): "summary" | "list" | "groups" {
  const isUsual = formatGroups(view.groupBy) === usualGroupText;
  if (view.groupBy.some(isOfItems)) return "groups";
  if (view.configType === undefined && view.search.trim() === "") return "summary";
  return isUsual ? "list" : "groups";
}

/** What other programs call the provider: `AWS` of `AWS::EC2::Instance`. */
export const providerOf = (type: string): string => type.split("::", 1)[0] ?? type;

/** A label and its value, as a filter names them. */
export function splitLabel(id: string): { key: string; value: string } {
  const at = id.indexOf("=");
  return at === -1 ? { key: id, value: "" } : { key: id.slice(0, at), value: id.slice(at + 1) };
}
export const labelId = (key: string, value: string): string => `${key}=${value}`;
