import { useQuery } from "@tanstack/react-query";
import { CircleCheck } from "lucide-react";
import { Suspense, useCallback, useMemo, useState } from "react";
import { Button } from "@mainstay/ui/Button.tsx";
import { classNames } from "@mainstay/ui/class-names.ts";
import { loadDialog } from "@mainstay/ui/Dialog.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import { effectiveRate, storedRate, storeRate } from "@mainstay/ui/refresh-rate.ts";
import { SkeletonRows } from "@mainstay/ui/Skeletons.tsx";
import { Tabs } from "@mainstay/ui/Tabs.tsx";
import { useMediaQuery } from "@mainstay/ui/use-media-query.ts";
import { rangeMinutes } from "@mainstay/ui/time-range/time-range.ts";
import { CreateButton } from "#lib/CreateButton.tsx";
import { useAccess } from "#lib/use-access.ts";
import { messageOf } from "#lib/api-error.ts";
import { PageBar } from "#lib/PageBar.tsx";
import { useUrlState } from "#lib/url-state.ts";
import type { HealthCheck } from "../view/group-checks.ts";
import type { HealthRow } from "../view/health-rows.ts";
import { rangeForAge } from "../check/health-range.ts";
import { allTab, healthViewCodec, isFiltered, unfiltered } from "../view/health-view.ts";
import { HealthBar, HealthOptions, PivotCells } from "./HealthBar.tsx";
import { CountedRange } from "./CountedRange.tsx";
import { HealthCounts } from "./HealthCounts.tsx";
import { HealthFilters } from "../filters/HealthFilters.tsx";
import { HealthTable } from "./HealthTable.tsx";
import { healthQueries } from "../queries.ts";
import { useDefaultView } from "#lib/saved-views/use-default-view.ts";
import { healthViews } from "../saved-views/view-search.ts";
import { useHealthRows } from "./use-health-rows.ts";
import { useHealthSummary } from "./use-health-summary.ts";

const HealthCards = lazyPart(() =>
  import("../layouts/HealthCards.tsx").then((module) => module.HealthCards),
);
const HealthPivot = lazyPart(() =>
  import("../layouts/HealthPivot.tsx").then((module) => module.HealthPivot),
);
// A list that is filtered is worth more than what names its filters: without them when they cannot be fetched.
const FilterChips = lazyPart(() =>
  import("../filters/FilterChips.tsx").then(
    (module) => module.FilterChips,
    () => () => null,
  ),
);
// Where the server cannot be reached the banner above every page says so, and this one keeps silent.
const StaleNotice = lazyPart(() =>
  import("./StaleNotice.tsx").then(
    (module) => module.StaleNotice,
    () => () => null,
  ),
);
// An address may open a dialog at once: what all dialogs need comes beside it, not after it. The dialog asks for it again
// when it is drawn, and that one is told of when it fails.
const CheckDialog = lazyPart(() => {
  loadDialog().catch(() => {});
  return import("../dialog/CheckDialog.tsx").then((module) => module.CheckDialog);
});
const AddCheckDialog = lazyPart(() => {
  loadDialog().catch(() => {});
  return import("../editor/AddCheckDialog.tsx").then((module) => module.AddCheckDialog);
});

const noAgents: ReadonlyMap<string, string> = new Map();
const nothing: readonly HealthRow[] = [];
const panelId = "health-checks";

/** There is room for the filters beside the list, and none for Group By and its like in the bar above. */
const tightQuery = "(min-width: 1280px) and (max-width: 1535px)";

export function HealthPage() {
  const [view, change] = useUrlState(healthViewCodec);
  const access = useAccess();
  const mayWrite = access.may("write", "canaries");
  const range = view.timeRange;
  const [rateMs, setRateMs] = useState(storedRate);
  const summary = useHealthSummary(range, effectiveRate(rateMs, rangeMinutes(range)));
  const { checks_summary: checks, late, range: counted } = summary.data?.summary ?? {};

  const wantsAgents = view.tabBy === "agent_id" || view.pivotBy === "agent_id";
  const agentIds = useMemo(
    () =>
      wantsAgents
        ? [...new Set(checks?.map((check) => check.agent_id).filter(Boolean))].toSorted()
        : [],
    [checks, wantsAgents],
  );
  const agents = useQuery({ ...healthQueries.agentNames(agentIds), enabled: agentIds.length > 0 });
  const health = useHealthRows(checks, view, agents.data ?? noAgents);

  const openCheck = useCallback(
    ({ check }: HealthCheck) =>
      change({ checkId: check.id, checkRange: rangeForAge(check.last_runtime, Date.now()) }),
    [change],
  );
  const isUndecided = useDefaultView(healthViews);
  // What is shown now could be another view at once.
  const rows = isUndecided ? nothing : health.rows;
  const isLoading = isUndecided || summary.isPending || (health.isBehind && health.total === 0);

  const empty =
    health.total === 0 ? (
      <EmptyState
        title="No data available"
        actions={
          mayWrite && (
            <Button kind="primary" onClick={() => change({ addCheck: true })}>
              Add check
            </Button>
          )
        }
      >
        There are no checks yet. Every check of a Canary document appears here with its latest
        results.
      </EmptyState>
    ) : health.matching > 0 && health.matching === health.counts.healthy && view.hidePassing ? (
      <EmptyState
        icon={<CircleCheck size={20} strokeWidth={1.75} className="text-healthy" />}
        title={
          health.matching === 1
            ? "The check is passing"
            : `All ${health.matching} checks are passing`
        }
        actions={
          <Button onClick={() => change({ hidePassing: false })}>Show passing checks</Button>
        }
      >
        Passing checks are hidden.
      </EmptyState>
    ) : (
      <EmptyState
        title="No data available"
        actions={
          <Button onClick={() => change({ ...unfiltered, tab: allTab, hidePassing: false })}>
            Clear filters
          </Button>
        }
      >
        None of the {health.total} checks matches the search, tab and filters.
      </EmptyState>
    );

  const filters = (
    <HealthFilters
      view={view}
      change={change}
      facets={health.facets}
      severities={health.severities}
      counts={health.facetCounts}
    />
  );
  const hasOptionsBeside = useMediaQuery(tightQuery);
  const options = <HealthOptions view={view} change={change} facets={health.facets} />;
  const list = { view, change, onOpen: openCheck, isLoading, empty };

  return (
    <>
      <PageBar
        crumbs={[{ label: "Health" }]}
        actions={
          mayWrite && <CreateButton label="Add check" onCreate={() => change({ addCheck: true })} />
        }
        refresh={{
          onRefresh: () => void summary.refetch({ cancelRefetch: true }),
          isRefreshing: summary.isFetching,
          updatedAt: summary.dataUpdatedAt,
        }}
      />
      <HealthBar
        view={view}
        change={change}
        facets={health.facets}
        hasOptionsBeside={hasOptionsBeside}
        range={range}
        rateMs={rateMs}
        onRate={(rate) => {
          setRateMs(rate);
          storeRate(rate);
        }}
        chosenFilters={Object.keys(view.labels).length + view.severity.size}
        compactFilters={
          <>
            <div className="flex flex-col gap-2 [&>label]:max-w-none [&>label>span:first-child]:w-14">
              {options}
              <span className="contents tablet:hidden">
                <PivotCells view={view} change={change} />
              </span>
            </div>
            {filters}
          </>
        }
      />
      <Suspense>
        {checks && (summary.isError || health.stale > 0 || late !== undefined) && (
          <StaleNotice
            error={summary.error}
            updatedAt={summary.dataUpdatedAt}
            stale={health.stale}
            late={late}
            onRetry={() => void summary.refetch({ cancelRefetch: true })}
          />
        )}
      </Suspense>
      {summary.isError && !checks ? (
        <ErrorDisplay
          title="The checks could not be loaded"
          message={messageOf(summary.error)}
          onRetry={() => void summary.refetch({ cancelRefetch: true })}
        />
      ) : (
        <div className="flex min-h-0 flex-1">
          <aside
            aria-label="Filters"
            className="w-58 shrink-0 overflow-x-hidden overflow-y-auto border-r px-4 py-3 max-wide:hidden"
          >
            {hasOptionsBeside && (
              <div className="mb-3 flex flex-col gap-1.5 [&>label]:max-w-none [&>label>span:first-child]:w-14">
                {options}
              </div>
            )}
            {filters}
          </aside>
          <div className="flex min-h-0 min-w-0 flex-1 flex-col">
            <div className="flex shrink-0 items-end border-b pt-1 max-tablet:flex-col-reverse max-tablet:items-stretch">
              <div className="-mb-px min-w-0 flex-1 max-tablet:flex-none">
                <Tabs
                  label="Tabs"
                  panelId={panelId}
                  selected={view.tab}
                  onSelect={(tab) => change({ tab })}
                  tabs={[
                    { id: allTab, label: "All" },
                    ...health.tabs.map((tab) => ({ id: tab, label: tab })),
                  ]}
                />
              </div>
              <div className="flex min-h-8 items-center gap-x-3 px-4 max-tablet:flex-wrap max-tablet:justify-between max-tablet:px-2">
                {counted && <CountedRange of={counted} />}
                <HealthCounts counts={health.counts} view={view} change={change} />
              </div>
            </div>
            <Suspense>{isFiltered(view) && <FilterChips view={view} change={change} />}</Suspense>
            <div
              id={panelId}
              role="tabpanel"
              aria-label={view.tab === allTab ? "All" : view.tab}
              aria-busy={health.isBehind || summary.isPlaceholderData}
              className={classNames(
                "flex min-h-0 flex-1 flex-col transition-opacity duration-150",
                summary.isPlaceholderData && "opacity-60",
              )}
            >
              <Suspense fallback={<SkeletonRows label="loading data..." />}>
                {health.pivot ? (
                  <HealthPivot of={health.pivot} {...list} />
                ) : view.layout === "card" ? (
                  <HealthCards rows={rows} onOpen={openCheck} isLoading={isLoading} empty={empty} />
                ) : (
                  <HealthTable rows={rows} all={health.all} query={health.query} {...list} />
                )}
              </Suspense>
            </div>
          </div>
        </div>
      )}
      <Suspense>
        {view.checkId !== undefined && (
          <CheckDialog
            key={view.checkId}
            checkId={view.checkId}
            range={view.checkRange}
            tab={view.checkTab}
            onTab={(checkTab) => change({ checkTab }, { replace: true })}
            onRange={(checkRange) => change({ checkRange })}
            // Document 1, section 2: closing resets its time range; the page's own stays.
            onClose={() =>
              change({ checkId: undefined, checkTab: "history", checkRange: undefined })
            }
          />
        )}
        {view.addCheck && mayWrite && (
          <AddCheckDialog onClose={() => change({ addCheck: false })} />
        )}
      </Suspense>
    </>
  );
}
