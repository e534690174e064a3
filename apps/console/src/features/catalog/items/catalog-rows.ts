import type { InsightSeverities } from "../figures/InsightCounts.tsx";
import { countSeverities } from "./count-severities.ts";
import type { CatalogGroup } from "@mainstay/contract/catalog-answers.ts";
import { isHealth } from "@mainstay/contract/catalog.ts";
import { withTriState } from "@mainstay/ui/filters/tri-state-filter.ts";
import {
  type CatalogView,
  type GroupKey,
  labelId,
  providerOf,
  type SortKey,
} from "./catalog-view.ts";
import type { ListedItem } from "./queries.ts";

/** What is told of several items together. */
export interface Numbers {
  count: number;
  health: Record<"healthy" | "warning" | "unhealthy" | "unknown", number>;
  /** In 30 days. */
  changes: number;
  /** Open insights, by type. */
  analysis: Record<string, number>;
  /** The same by type and severity. */
  analysis_severity: Record<string, Record<string, number>>;
  cost_total_1d: number;
  cost_total_7d: number;
  cost_total_30d: number;
  /** The newest of them. */
  created_at: string | null;
  updated_at: string | null;
}

export interface GroupRow {
  kind: "group";
  id: string;
  level: number;
  by: GroupKey;
  label: string;
  numbers: Numbers;
  /** Nothing where it is not opened in place. */
  isOpen: boolean | undefined;
  /** Where its items are. */
  leads?: Partial<CatalogView>;
}
export interface ItemRow {
  kind: "item";
  id: string;
  level: number;
  item: ListedItem;
}
export type CatalogRow =
  | GroupRow
  | ItemRow
  /** An item that has not been read yet. */
  | { kind: "pending"; id: string; level: 1 };

const nothing = (): Numbers => ({
  count: 0,
  health: { healthy: 0, warning: 0, unhealthy: 0, unknown: 0 },
  changes: 0,
  analysis: {},
  analysis_severity: {},
  cost_total_1d: 0,
  cost_total_7d: 0,
  cost_total_30d: 0,
  created_at: null,
  updated_at: null,
});

const latest = (one: string | null, other: string | null | undefined): string | null =>
  !other ? one : !one || Date.parse(other) > Date.parse(one) ? other : one;

type Addend = Omit<Partial<Numbers>, "health" | "analysis_severity"> & {
  count: number;
  health: Record<string, number>;
  analysis_severity?: InsightSeverities;
};

/** Adds numbers to those of the same names. */
function addEach(to: Record<string, number>, what: Readonly<Record<string, number>> = {}): void {
  for (const [name, n] of Object.entries(what)) to[name] = (to[name] ?? 0) + n;
}

function add(to: Numbers, what: Addend): void {
  to.count += what.count;
  for (const [word, n] of Object.entries(what.health))
    to.health[isHealth(word) ? word : "unknown"] += n;
  to.changes += what.changes ?? 0;
  addEach(to.analysis, what.analysis);
  for (const [type, counts] of Object.entries(what.analysis_severity ?? {}))
    addEach((to.analysis_severity[type] ??= {}), counts);
  to.cost_total_1d += what.cost_total_1d ?? 0;
  to.cost_total_7d += what.cost_total_7d ?? 0;
  to.cost_total_30d += what.cost_total_30d ?? 0;
  to.created_at = latest(to.created_at, what.created_at);
  to.updated_at = latest(to.updated_at, what.updated_at);
}

export const changesOf = ({ changes }: ListedItem): number =>
  changes?.reduce((sum, { total }) => sum + total, 0) ?? 0;

const asAddend = (item: ListedItem): Addend => ({
  count: 1,
  health: { [item.health ?? "unknown"]: 1 },
  changes: changesOf(item),
  analysis: item.analysis ?? {},
  analysis_severity: countSeverities(item.insights),
  cost_total_1d: item.cost_total_1d ?? 0,
  cost_total_7d: item.cost_total_7d ?? 0,
  cost_total_30d: item.cost_total_30d ?? 0,
  created_at: item.created_at,
  updated_at: item.updated_at,
});

const sum = (numbers: Record<string, number>) =>
  Object.values(numbers).reduce((all, n) => all + n, 0);

/** What a group is sorted by; what is wrong counts, not what is well. */
function sortValue({ label, numbers }: GroupRow, by: SortKey): string | number {
  if (by === "name" || by === "type") return label.toLowerCase();
  if (by === "health") return numbers.health.unhealthy * 1e6 + numbers.health.warning;
  if (by === "analysis") return sum(numbers.analysis);
  if (by === "created_at" || by === "updated_at") return Date.parse(numbers[by] ?? "") || 0;
  return numbers[by];
}

export interface RowOrder {
  sortBy: SortKey | undefined;
  sortDesc: boolean;
}

function sorted(rows: readonly GroupRow[], { sortBy = "name", sortDesc }: RowOrder): GroupRow[] {
  const way = sortDesc ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [a, b] = [sortValue(one, sortBy), sortValue(other, sortBy)];
    const order =
      typeof a === "string" && typeof b === "string" ? a.localeCompare(b) : Number(a) - Number(b);
    return order * way || one.label.localeCompare(other.label);
  });
}

export const noValue = "(none)";

/** Groups hang in groups; the last ones are what the server has counted, or items. */
interface Branch<Leaf> {
  row: GroupRow;
  branches: Map<string, Branch<Leaf>>;
  leaves: Leaf[];
}

interface Step {
  by: GroupKey;
  label: string;
  leads: Partial<CatalogView>;
}

function grow<Leaf>(
  leaves: readonly Leaf[],
  way: (leaf: Leaf) => readonly Step[],
  addend: (leaf: Leaf) => Addend,
): Map<string, Branch<Leaf>> {
  const top = new Map<string, Branch<Leaf>>();
  for (const leaf of leaves) {
    let at = top;
    let id = "";
    let leads: Partial<CatalogView> = {};
    const steps = way(leaf);
    for (const [depth, step] of steps.entries()) {
      id = id === "" ? step.label : `${id}/${step.label}`;
      leads = joined(leads, step.leads);
      let branch = at.get(step.label);
      if (!branch) {
        const { by, label } = step;
        const row: GroupRow = {
          kind: "group",
          id,
          level: depth + 1,
          by,
          label,
          numbers: nothing(),
          isOpen: undefined,
          leads,
        };
        branch = { row, branches: new Map(), leaves: [] };
        at.set(step.label, branch);
      }
      add(branch.row.numbers, addend(leaf));
      if (depth === steps.length - 1) branch.leaves.push(leaf);
      at = branch.branches;
    }
  }
  return top;
}

const joined = (one: Partial<CatalogView>, other: Partial<CatalogView>): Partial<CatalogView> => ({
  ...one,
  ...other,
  ...(one.labels && other.labels && { labels: new Map([...one.labels, ...other.labels]) }),
});

/** A row and what is open beneath it. */
function flatten<Leaf>(
  branches: Iterable<Branch<Leaf>>,
  order: RowOrder,
  isOpen: (row: GroupRow) => boolean,
  rowsOf: ((leaf: Leaf, parent: GroupRow) => CatalogRow) | undefined,
): CatalogRow[] {
  const byRow = new Map(Array.from(branches, (branch) => [branch.row, branch] as const));
  return sorted([...byRow.keys()], order).flatMap((row): CatalogRow[] => {
    const { branches: within, leaves } = byRow.get(row)!;
    if (within.size === 0 && !rowsOf) return [row];
    const shown = { ...row, isOpen: isOpen(row) };
    if (!shown.isOpen) return [shown];
    return [
      shown,
      ...(within.size > 0
        ? flatten(within.values(), order, isOpen, rowsOf)
        : leaves.map((leaf) => rowsOf!(leaf, row))),
    ];
  });
}

/** So many lines are all shown at once. */
const openUpTo = 60;

const isOpenBy =
  (expanded: CatalogView["expanded"], usually: boolean) =>
  ({ id }: GroupRow): boolean => {
    const said = expanded.get(id);
    return said === undefined ? usually : said === 1;
  };

/** What the address says when a group is opened or closed. */
export const toggledGroup = (
  expanded: CatalogView["expanded"],
  { id, isOpen }: GroupRow,
): CatalogView["expanded"] => withTriState(expanded, id, isOpen ? -1 : 1);

/** The answer of the summary as rows: every group but the last ones is opened in place. */
export function summaryRows(
  groups: readonly CatalogGroup[],
  view: Pick<CatalogView, "groupBy" | "expanded" | "labels"> & RowOrder,
): CatalogRow[] {
  // The last ones are types: their items are what one wants to see.
  const keys = [
    ...view.groupBy.filter(({ of }) => of === "config_class" || of === "tag"),
    { of: "type" } as const,
  ];
  const way = (group: CatalogGroup) =>
    keys.map((by): Step => {
      if (by.of === "config_class") return { by, label: providerOf(group.type), leads: {} };
      if (by.of === "tag") {
        const value = group[by.key];
        const text = typeof value === "string" ? value : "";
        return {
          by,
          label: text || noValue,
          leads: { labels: withTriState(view.labels, labelId(by.key, text), 1) },
        };
      }
      return { by, label: group.type, leads: { configType: group.type } };
    });
  const tree = grow(groups, way, (group) => group as unknown as Addend);
  return flatten(
    tree.values(),
    view,
    isOpenBy(view.expanded, groups.length <= openUpTo),
    undefined,
  );
}

function stepOf(by: GroupKey, item: ListedItem): Step {
  const label = (() => {
    switch (by.of) {
      case "config_class":
        return providerOf(item.type ?? noValue);
      case "type":
        return item.type ?? noValue;
      case "name":
        return item.name ?? noValue;
      case "analysis":
        return (
          Object.keys(item.analysis ?? {})
            .toSorted()
            .join(", ") || "No insights"
        );
      case "changed":
        return changesOf(item) > 0 ? "Changed in the last 30 days" : "Not changed in 30 days";
      case "tag":
        return item.tags?.[by.key] || noValue;
    }
  })();
  return { by, label, leads: {} };
}

/** Items under what they have in common, in their own order. */
export function groupedItemRows(
  items: readonly ListedItem[],
  view: Pick<CatalogView, "groupBy" | "expanded"> & RowOrder,
): CatalogRow[] {
  const tree = grow(items, (item) => view.groupBy.map((by) => stepOf(by, item)), asAddend);
  return flatten(
    tree.values(),
    view,
    isOpenBy(view.expanded, items.length <= openUpTo),
    (item, parent): CatalogRow => ({
      kind: "item",
      id: `${parent.id}/${item.id}`,
      level: parent.level + 1,
      item,
    }),
  );
}
