import "../places.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams, useRouter } from "@tanstack/react-router";
import { PanelRight } from "lucide-react";
import { Suspense, useMemo } from "react";
import type { TopologyComponent } from "@mainstay/contract/topology-answers.ts";
import { Button, IconButton } from "@mainstay/ui/Button.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { Inspector } from "@mainstay/ui/inspector/Inspector.tsx";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import { SkeletonRows } from "@mainstay/ui/Skeletons.tsx";
import { messageOf } from "#lib/api-error.ts";
import { AppLink } from "#lib/AppLink.tsx";
import { PageBar } from "#lib/PageBar.tsx";
import { type ChangeUrl, useUrlState } from "#lib/url-state.ts";
import { paths } from "#lib/paths.ts";
import { useAccess } from "#lib/use-access.ts";
import { usePageKey } from "#lib/use-page-key.ts";
import { idsAbove, topologyQueries } from "../queries.ts";
import {
  componentPath,
  ComponentPathContext,
  useComponentPath,
} from "../shared/component-links.ts";
import { usePreferences } from "../shared/preferences.ts";
import {
  filterCount,
  formatFilters,
  pastMoment,
  topologyCodec,
  type TopologyView,
  unfiltered,
} from "../shared/topology-view.ts";
import { CardGrid } from "./CardGrid.tsx";
import { CardMenu } from "../shared/CardMenu.tsx";
import { ComponentCard } from "../shared/ComponentCard.tsx";
import { Preferences } from "./Preferences.tsx";
import { TopologyFilters } from "./TopologyFilters.tsx";
import { cardQuestion, useTopology } from "./use-topology.ts";

// One card needs what many do: their pages are one script.
export { ComponentViewPage } from "./ComponentViewPage.tsx";

const ComponentSidebar = lazyPart(() =>
  import("../sidebar/ComponentSidebar.tsx").then((module) => module.ComponentSidebar),
);

const GraphOfComponents = lazyPart(() =>
  import("../graph/GraphOfComponents.tsx").then((module) => module.GraphOfComponents),
);

const PastBar = lazyPart(() => import("../past/PastBar.tsx").then((module) => module.PastBar));
const PastCards = lazyPart(() =>
  import("../past/PastCards.tsx").then((module) => module.PastCards),
);
const PastDetails = lazyPart(() =>
  import("../past/PastDetails.tsx").then((module) => module.PastDetails),
);

/** /topology and /topology/{id}: components as cards or as a graph, all of them or what hangs below one. */
export function TopologyPage() {
  const { componentId } = useParams({ strict: false }) as { componentId?: string };
  const [view, change] = useUrlState(topologyCodec);
  const { isGraph, at, span } = view;
  const pathOf = useMemo(() => componentPath({ isGraph, at, span }), [isGraph, at, span]);
  return (
    <ComponentPathContext value={pathOf}>
      {/* What is open on the cards of one component is none of another's. */}
      <Cards key={componentId ?? ""} id={componentId} view={view} change={change} />
    </ComponentPathContext>
  );
}

interface CardsProps {
  id: string | undefined;
  view: TopologyView;
  change: ChangeUrl<TopologyView>;
}

function Cards({ id, view, change }: CardsProps) {
  const { query, answer, own, cards, sort, isMany } = useTopology(id, view);
  const { cardWidth, showHidden } = usePreferences();
  const pathOf = useComponentPath();
  const at = pastMoment(view);
  const above = useQuery(topologyQueries.above(own?.path)).data ?? [];
  useSiblingKeys(id, own);

  const bar = (
    <PageBar
      crumbs={
        id === undefined
          ? [{ label: "Topology" }]
          : [
              { label: "Topology", to: pathOf(undefined) },
              ...above.map((one) => ({ label: one.name, to: pathOf(one.id) })),
              { label: own?.name ?? "Component" },
            ]
      }
      actions={
        <>
          {own && <CardMenu component={own} isCard={false} />}
          {own && (
            <IconButton
              label="Details"
              className="tablet:hidden"
              icon={<PanelRight size={16} strokeWidth={1.75} />}
              onClick={() => change({ showsDetails: true })}
            />
          )}
          <Preferences />
        </>
      }
      refresh={{
        onRefresh: () => void query.refetch({ cancelRefetch: true }),
        isRefreshing: query.isFetching,
        updatedAt: query.dataUpdatedAt,
      }}
    />
  );
  if (query.isError && !answer)
    return (
      <>
        {bar}
        <ErrorDisplay
          title="Unable to load components!"
          message={messageOf(query.error)}
          onRetry={() => void query.refetch()}
        />
      </>
    );
  if (isMany)
    return (
      <>
        {bar}
        <ErrorDisplay
          title="Response has multiple components for the id."
          message="An id belongs to one component. Ask again, or go back to the topology."
          onRetry={() => void query.refetch()}
        />
      </>
    );
  if (id !== undefined && answer && !own)
    return (
      <>
        {bar}
        <EmptyState
          title="Component not found"
          actions={<AppLink to={pathOf(undefined)}>The topology</AppLink>}
        >
          It is not there any more, or the link is wrong.
        </EmptyState>
      </>
    );
  const grid = (shown: readonly TopologyComponent[]) => (
    <CardGrid
      // Another question begins at its first card.
      key={`${sort.by} ${sort.isDescending} ${formatFilters(view)}`}
      label={own ? `Components of ${own.name}` : "Components"}
      components={shown}
      cardWidth={cardWidth}
      Menu={CardMenu}
    />
  );
  return (
    <>
      {bar}
      <TopologyFilters view={view} change={change} sort={sort} answer={answer} />
      {view.at !== undefined && (
        <Suspense fallback={<SkeletonRows rows={2} />}>
          <PastBar view={view} change={change} />
        </Suspense>
      )}
      {query.isError && (
        <p role="alert" className="m-0 border-b bg-warning-bg px-4 py-1 text-xs text-warning-fg">
          This is what was last known: {messageOf(query.error)}
        </p>
      )}
      <div className="flex min-h-0 flex-1" aria-busy={query.isPlaceholderData}>
        <div className="flex min-h-0 min-w-0 flex-1 flex-col">
          {view.isGraph ? (
            <Suspense fallback={<SkeletonRows />}>
              <GraphOfComponents
                id={id}
                name={own?.name}
                view={view}
                change={change}
                withHidden={showHidden}
              />
            </Suspense>
          ) : at !== undefined ? (
            <Suspense fallback={<SkeletonRows />}>
              <PastCards
                id={id}
                view={view}
                change={change}
                withHidden={showHidden}
                sort={sort}
                renderCards={grid}
              />
            </Suspense>
          ) : !cards ? (
            <SkeletonRows />
          ) : cards.length > 0 ? (
            grid(cards)
          ) : own && filterCount(view) === 0 ? (
            // Nothing hangs below it: it itself is what there is to see.
            <div className="overflow-auto p-4">
              <div style={{ maxWidth: cardWidth }}>
                <ComponentCard component={own} />
              </div>
            </div>
          ) : (
            <NoComponents view={view} change={change} isOfOne={own !== undefined} />
          )}
        </div>
        {id !== undefined && (
          <Inspector
            label="Component"
            storageKey="topology"
            isOpen={view.showsDetails}
            onClose={() => change({ showsDetails: false }, { replace: true })}
          >
            <Suspense fallback={<SkeletonRows rows={6} />}>
              {own && at !== undefined ? (
                <PastDetails component={own} at={at} onNow={() => change({ at: "now" })} />
              ) : own ? (
                <ComponentSidebar
                  component={own}
                  open={view.panel}
                  onOpen={(panel) => change({ panel }, { replace: true })}
                />
              ) : (
                <SkeletonRows rows={6} />
              )}
            </Suspense>
          </Inspector>
        )}
      </div>
    </>
  );
}

function NoComponents({
  view,
  change,
  isOfOne,
}: Pick<CardsProps, "view" | "change"> & { isOfOne: boolean }) {
  const isFiltered = filterCount(view) > 0;
  const access = useAccess();
  const mayPropose =
    access.may("write", "topologies") &&
    access.gate({ read: "config_scrapers", feature: "config" }) === "open";
  return (
    <EmptyState
      title="There are no components matching this criteria"
      actions={
        isFiltered ? (
          <Button onClick={() => change(unfiltered)}>Clear filters</Button>
        ) : (
          mayPropose && (
            <AppLink to={paths.topologies({ addTopology: "propose" })}>
              Propose from the catalog
            </AppLink>
          )
        )
      }
    >
      {isFiltered
        ? isOfOne
          ? "None of those that hang below this one matches the filters."
          : "None matches the filters."
        : "A topology is a document that says what a system is made of. Once one has been applied, its components appear here with their health."}
    </EmptyState>
  );
}

/** `[` goes up from a component, `]` to the next one beside it. */
function useSiblingKeys(id: string | undefined, own: ReturnType<typeof useTopology>["own"]) {
  const { history } = useRouter();
  const client = useQueryClient();
  const { showHidden, sort } = usePreferences();
  const pathOf = useComponentPath();
  const parent = idsAbove(own?.path).at(-1) ?? own?.parent_id ?? undefined;
  const isDialogOpen = () => document.querySelector("[role=dialog]") !== null;
  usePageKey(
    "[",
    (event) => {
      if (id === undefined || isDialogOpen()) return;
      event.preventDefault();
      history.push(pathOf(parent));
    },
    { isFirst: true },
  );
  usePageKey("]", (event) => {
    if (id === undefined || !own || isDialogOpen()) return;
    event.preventDefault();
    const question = cardQuestion(
      parent,
      { ...topologyCodec.parse({}), ...unfiltered },
      { sort, withHidden: showHidden },
    );
    client.fetchQuery({ ...topologyQueries.tree(question, client), staleTime: 10_000 }).then(
      ({ answer }) => {
        const beside =
          parent === undefined ? answer.components : (answer.components[0]?.components ?? []);
        const at = beside.findIndex((one) => one.id === id);
        const next = beside[(at + 1) % beside.length];
        if (next && next.id !== id) history.push(pathOf(next.id));
      },
      // The page of the parent says why it cannot be read.
      () => parent !== undefined && history.push(pathOf(parent)),
    );
  });
}
