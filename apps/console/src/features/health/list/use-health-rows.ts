import { useDeferredValue, useMemo } from "react";
import type { CheckSummary } from "@mainstay/contract/health.ts";
import { useClock } from "@mainstay/ui/clock.ts";
import { toServerTime } from "#lib/server-clock.ts";
import {
  countFacets,
  filterByTab,
  filterChecks,
  stateFilter,
  tabOf,
  tabsOf,
} from "../view/filter-checks.ts";
import { countStates, groupNameOf, type HealthCheck, prepareChecks } from "../view/group-checks.ts";
import { topRows } from "../view/health-rows.ts";
import { labelPrefix, noGrouping, type HealthView } from "../view/health-view.ts";
import { serverTime } from "../check/server-time.ts";
import { labelFacets } from "../view/label-filters.ts";
import { bySeverity } from "../view/severity.ts";

/** The last moment up to now at which a result became overdue; changes only when another one does. */
function useLastDue(checks: readonly CheckSummary[]): number {
  const dues = useMemo(
    () =>
      Float64Array.from(
        checks.map((check) => serverTime(check.result_due)).filter((due) => !Number.isNaN(due)),
      ).toSorted(),
    [checks],
  );
  return useClock((now) => {
    const moment = toServerTime(now);
    let low = 0;
    let high = dues.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (dues[middle]! < moment) low = middle + 1;
      else high = middle;
    }
    return dues[low - 1] ?? Number.NEGATIVE_INFINITY;
  });
}

const none: readonly CheckSummary[] = [];

/** Everything the page shows, worked out from the checks and the view. Deferred: typing and clicking never wait for it. */
export function useHealthRows(
  given: readonly CheckSummary[] | undefined,
  givenView: HealthView,
  agentNames: ReadonlyMap<string, string>,
) {
  const checks = useDeferredValue(given ?? none);
  const view = useDeferredValue(givenView);
  // Just after it, so that it is overdue itself.
  const moment = useLastDue(checks) + 1;
  const {
    tabBy,
    tab,
    query,
    labels,
    severity,
    hidePassing,
    status,
    groupBy,
    sortBy,
    sortDesc,
    pivotBy,
    pivotLabel,
  } = view;

  const prepared = useMemo(
    () =>
      prepareChecks(
        checks.filter((check) => !("deleted_at" in check && check.deleted_at)),
        moment,
      ),
    [checks, moment],
  );
  const stale = useMemo(() => prepared.filter(({ state }) => state === "stale").length, [prepared]);
  const facets = useMemo(() => labelFacets(checks), [checks]);
  const severities = useMemo(
    () => [...new Set(prepared.map((item) => item.severity))].toSorted(bySeverity),
    [prepared],
  );
  const tabs = useMemo(() => tabsOf(prepared, tabBy, agentNames), [prepared, tabBy, agentNames]);
  const inTab = useMemo(
    () => filterByTab(prepared, { tab, tabBy }, agentNames),
    [prepared, tab, tabBy, agentNames],
  );
  const filters = useMemo(() => ({ query, labels, severity }), [query, labels, severity]);
  const matching = useMemo(() => filterChecks(inTab, filters), [inTab, filters]);
  const facetCounts = useMemo(
    () => countFacets(inTab, filters, matching),
    [inTab, filters, matching],
  );
  const counts = useMemo(() => countStates(matching), [matching]);
  const isShown = useMemo(() => stateFilter({ hidePassing, status }), [hidePassing, status]);
  const groupSizes = useMemo(() => {
    const sizes = new Map<string, number>();
    if (groupBy === noGrouping) return sizes;
    for (const { check } of inTab) {
      const name = groupNameOf(check, groupBy);
      sizes.set(name, (sizes.get(name) ?? 0) + 1);
    }
    return sizes;
  }, [inTab, groupBy]);
  const rows = useMemo(
    () =>
      topRows(matching, {
        isShown,
        groupBy,
        sortBy,
        sortDesc,
        sizeOf: (name) => groupSizes.get(name) ?? 0,
      }),
    [matching, isShown, groupBy, sortBy, sortDesc, groupSizes],
  );
  const pivot = useMemo(() => {
    if (pivotBy === noGrouping) return undefined;
    const by = pivotBy === "label" ? `${labelPrefix}${pivotLabel}` : pivotBy;
    return {
      checks: matching,
      options: {
        isShown,
        groupBy,
        sortBy,
        sortDesc,
        columnOf: (item: HealthCheck) => tabOf(item, by, agentNames),
      },
    };
  }, [matching, isShown, pivotBy, pivotLabel, groupBy, sortBy, sortDesc, agentNames]);

  return {
    /** The search that the rows belong to: the address is ahead of them while they are worked out. */
    query,
    total: prepared.length,
    /** Every check there is, whatever is filtered. */
    all: prepared,
    /** Checks whose result is overdue, whatever is filtered. */
    stale,
    /** Checks that search, tab and labels leave, whatever their state. */
    matching: matching.length,
    counts,
    facets,
    /** Those that occur, worst first. */
    severities,
    facetCounts,
    tabs,
    rows,
    pivot,
    /** What is shown is still being worked out. */
    isBehind: checks !== (given ?? none) || view !== givenView,
  };
}
