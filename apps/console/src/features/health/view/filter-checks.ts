import { isOfHere, localAgent } from "#lib/agents.ts";
import type { HealthCheck } from "./group-checks.ts";
import { allTab, labelPrefix, type HealthView } from "./health-view.ts";
import { labelMatcher } from "./label-filters.ts";

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
  if (tabBy.startsWith(labelPrefix)) return check.labels[tabBy.slice(labelPrefix.length)] || noTab;
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

/** What the search and the label filters leave. */
export function filterChecks(
  checks: readonly HealthCheck[],
  { query, labels }: Pick<HealthView, "query" | "labels">,
): readonly HealthCheck[] {
  const text = query.trim().toLowerCase();
  const hasLabels = Object.keys(labels).length > 0;
  if (text === "" && !hasLabels) return checks;
  const matchesLabels = labelMatcher(labels);
  return checks.filter(
    (item) =>
      (text === "" || item.searchText.includes(text)) &&
      (!hasLabels || matchesLabels(item.check.labels)),
  );
}

/** What Hide Passing and a status chosen in a link leave. A stale check is not passing: nobody can say. */
export function stateFilter({
  hidePassing,
  status,
}: Pick<HealthView, "hidePassing" | "status">): (item: HealthCheck) => boolean {
  if (status !== undefined)
    return ({ state }) => (state === "stale" ? "unknown" : state) === status;
  return hidePassing ? ({ state }) => state !== "healthy" : () => true;
}
