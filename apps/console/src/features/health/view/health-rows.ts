import {
  groupChecks,
  latencyOf,
  nameKey,
  type Aggregate,
  type CheckGroup,
  type HealthCheck,
} from "./group-checks.ts";
import { noGrouping, type HealthView, type SortKey } from "./health-view.ts";
import { severityRank } from "./severity.ts";

export interface CheckRow {
  kind: "check";
  id: string;
  item: HealthCheck;
  /** The group it belongs to when it is shown inside one. */
  groupId: string | undefined;
  /** The group that it stands for as its only member. */
  groupName?: string;
}

/** A line of the table. */
export type HealthRow = CheckGroup | CheckRow;

type Value = string | number;

const healthOrder = { bad: 0, mixed: 1, unknown: 2, good: 3 };
const stateOrder = { unhealthy: 0, warning: 1, unknown: 2, stale: 2, paused: 2, healthy: 3 };
const share = (passed: number, failed: number) =>
  passed + failed === 0 ? -1 : passed / (passed + failed);

/** Follows every date. */
const never = "~";

const ofCheck: Record<SortKey, (item: HealthCheck) => Value> = {
  name: (item) => item.nameKey,
  health: ({ state }) => stateOrder[state],
  severity: (item) => severityRank(item.severity),
  uptime: ({ check }) => share(check.uptime?.passed ?? 0, check.uptime?.failed ?? 0),
  latency: ({ check }) => latencyOf(check) ?? -1,
  expires: ({ check }) => check.expires_at ?? never,
};

const ofGroup: Record<SortKey, (group: { name: string; aggregate: Aggregate }) => Value> = {
  name: ({ name }) => nameKey(name),
  health: ({ aggregate: all }) => healthOrder[all.health],
  severity: ({ aggregate: all }) => severityRank(all.severity),
  uptime: ({ aggregate: all }) => share(all.passed, all.failed),
  latency: ({ aggregate: all }) => worstLatency(all) ?? -1,
  expires: ({ aggregate: all }) => all.endsFirst?.expires_at ?? never,
};

/** The latency of a group is that of its slowest check. */
export const worstLatency = ({ slowest }: Aggregate): number | undefined =>
  slowest && latencyOf(slowest);

export const order = (a: Value, b: Value): number => (a < b ? -1 : a > b ? 1 : 0);

/** Sorted by one value, equals by name; each value is worked out once. */
function sorted<T>(
  items: readonly T[],
  options: { value: (item: T) => Value; nameKey: (item: T) => string; desc: boolean },
): T[] {
  const { value, nameKey: keyOf, desc } = options;
  const direction = desc ? -1 : 1;
  return items
    .map((item) => ({ item, value: value(item), key: keyOf(item) }))
    .toSorted((a, b) => order(a.value, b.value) * direction || order(a.key, b.key))
    .map(({ item }) => item);
}

export interface RowOptions extends Pick<HealthView, "groupBy" | "sortBy" | "sortDesc"> {
  isShown: (item: HealthCheck) => boolean;
}

type SortOptions = Pick<RowOptions, "sortBy" | "sortDesc">;

/** Without a chosen order the worst come first. */
const usual: SortKey = "health";

export function sortChecks(
  checks: readonly HealthCheck[],
  { sortBy = usual, sortDesc }: SortOptions,
): HealthCheck[] {
  return sorted(checks, {
    value: ofCheck[sortBy],
    nameKey: (item) => item.nameKey,
    desc: sortDesc,
  });
}

export function sortGroups(
  groups: readonly CheckGroup[],
  { sortBy = usual, sortDesc }: SortOptions,
): CheckGroup[] {
  return sorted(groups, {
    value: ofGroup[sortBy],
    nameKey: ({ name }) => nameKey(name),
    desc: sortDesc,
  });
}

/**
 * The groups, or the checks themselves without grouping, in order. A group whose only member is one check (of all
 * checks, not just of those the filters leave) is shown as that check.
 */
export function topRows(
  checks: readonly HealthCheck[],
  options: RowOptions & { sizeOf: (groupName: string) => number },
): HealthRow[] {
  if (options.groupBy === noGrouping) {
    return sortChecks(checks.filter(options.isShown), options).map((item) => ({
      kind: "check",
      id: item.check.id,
      item,
      groupId: undefined,
    }));
  }
  return sortGroups(groupChecks(checks, options), options).map((group) => {
    const [only] = group.checks;
    return only && options.sizeOf(group.name) === 1
      ? {
          kind: "check",
          id: only.check.id,
          item: only,
          groupId: undefined,
          groupName: group.name,
        }
      : group;
  });
}

/** The checks that the rows hold, open or not, in their order. */
export const checksOfRows = (
  top: readonly HealthRow[],
  options: SortOptions,
): readonly HealthCheck[] =>
  top.flatMap((row) => (row.kind === "check" ? [row.item] : sortChecks(row.checks, options)));

/** The lines of the table: the top rows, and under each open group its checks. */
export function visibleRows(
  top: readonly HealthRow[],
  options: SortOptions & { isOpen: (group: CheckGroup) => boolean },
): HealthRow[] {
  return top.flatMap((row): HealthRow[] => {
    if (row.kind === "check" || !options.isOpen(row)) return [row];
    return [
      row,
      ...sortChecks(row.checks, options).map((item): CheckRow => ({
        kind: "check",
        id: item.check.id,
        item,
        groupId: row.id,
      })),
    ];
  });
}
