import { isOfHere, localAgent } from "#lib/agents.ts";
import { countedAs } from "../check/check-state.ts";
import type { HealthCheck } from "./group-checks.ts";
import { allTab, labelPrefix, type HealthView } from "./health-view.ts";
import { labelMatcher, labelOf, splitLabelId, withoutKey } from "./label-filters.ts";

/** The tab of checks that have nothing of what the tabs go by (document 1, section 2). */
export const noTab = "none";

/** The tab a check belongs to; agents go by name. */
export function tabOf(
  { check }: HealthCheck,
  tabBy: string,
  agentNames: ReadonlyMap<string, string>,
): string {
  if (tabBy === "agent_id")
    return isOfHere(check.agent_id) ? localAgent : (agentNames.get(check.agent_id) ?? noTab);
  if (tabBy.startsWith(labelPrefix))
    return labelOf(check.labels, tabBy.slice(labelPrefix.length)) || noTab;
  return check.namespace || noTab;
}

/** The tabs beside "All", in the order of the alphabet. */
export function tabsOf(
  checks: readonly HealthCheck[],
  tabBy: string,
  agentNames: ReadonlyMap<string, string>,
): string[] {
  const names = new Set<string>();
  for (const item of checks) names.add(tabOf(item, tabBy, agentNames));
  return [...names].toSorted((a, b) => a.localeCompare(b));
}

export function filterByTab(
  checks: readonly HealthCheck[],
  { tab, tabBy }: Pick<HealthView, "tab" | "tabBy">,
  agentNames: ReadonlyMap<string, string>,
): readonly HealthCheck[] {
  return tab === allTab ? checks : checks.filter((item) => tabOf(item, tabBy, agentNames) === tab);
}

type Filters = Pick<HealthView, "query" | "labels" | "severity">;

/** What the search, the severities and the label filters leave. */
export function filterChecks(
  checks: readonly HealthCheck[],
  { query, labels, severity }: Filters,
): readonly HealthCheck[] {
  const text = query.trim().toLowerCase();
  const hasLabels = Object.keys(labels).length > 0;
  if (text === "" && !hasLabels && severity.size === 0) return checks;
  const matchesLabels = labelMatcher(labels);
  const included = [...severity].some(([, state]) => state === 1);
  return checks.filter(
    (item) =>
      (text === "" || item.searchText.includes(text)) &&
      (severity.size === 0 || (severity.get(item.severity) ?? (included ? 0 : 1)) === 1) &&
      (!hasLabels || matchesLabels(item.check.labels)),
  );
}

/** How many checks each value of a filter stands for. */
export interface FacetCounts {
  severities: ReadonlyMap<string, number>;
  /** By key, then by value. */
  labels: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

type Tally = Map<string, number>;
const count = (tally: Tally, value: string) => tally.set(value, (tally.get(value) ?? 0) + 1);

function countLabel(checks: readonly HealthCheck[], key: string): Tally {
  const tally: Tally = new Map();
  for (const { check } of checks) {
    const value = labelOf(check.labels, key);
    if (value !== undefined) count(tally, value);
  }
  return tally;
}

/**
 * How many checks each value would show: those that all filters but the value's own leave, whatever their state. That
 * is what the counts above the list count too.
 */
export function countFacets(
  checks: readonly HealthCheck[],
  filters: Filters,
  matching: readonly HealthCheck[],
): FacetCounts {
  const severities: Tally = new Map();
  const bySeverity =
    filters.severity.size === 0
      ? matching
      : filterChecks(checks, { ...filters, severity: new Map() });
  for (const { severity } of bySeverity) count(severities, severity);
  const labels = new Map<string, Tally>();
  for (const { check } of matching) {
    for (const key in check.labels) {
      const tally: Tally = labels.get(key) ?? new Map();
      count(tally, check.labels[key]!);
      labels.set(key, tally);
    }
  }
  const filtered = new Set(Object.keys(filters.labels).map((id) => splitLabelId(id).key));
  for (const key of filtered) {
    const others = { ...filters, labels: withoutKey(filters.labels, key) };
    labels.set(key, countLabel(filterChecks(checks, others), key));
  }
  return { severities, labels };
}

/** What Hide Passing and a status chosen in a link leave. A stale check is not passing: nobody can say. */
export function stateFilter({
  hidePassing,
  status,
}: Pick<HealthView, "hidePassing" | "status">): (item: HealthCheck) => boolean {
  if (status !== undefined) return ({ state }) => countedAs(state) === status;
  return hidePassing ? ({ state }) => state !== "healthy" : () => true;
}
