import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { Button } from "@mainstay/ui/Button.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import type { Carried, GraphLook, GraphNode } from "@mainstay/ui/graph-view/graph.ts";
import { GraphView } from "@mainstay/ui/graph-view/GraphView.tsx";
import { SkeletonRows } from "@mainstay/ui/Skeletons.tsx";
import { messageOf } from "#lib/api-error.ts";
import type { ChangeUrl } from "#lib/url-state.ts";
import { topologyQueries } from "../queries.ts";
import { useComponentPath } from "../shared/component-links.ts";
import {
  filterCount,
  type TopologyView,
  unfiltered,
  usualSort,
  withoutLabels,
} from "../shared/topology-view.ts";
import { toGraph } from "./to-graph.ts";

export interface GraphOfComponentsProps {
  /** What hangs below it; everything without it. */
  id: string | undefined;
  name: string | undefined;
  view: TopologyView;
  change: ChangeUrl<TopologyView>;
  withHidden: boolean;
}

const carryWords: Readonly<Record<Carried, string>> = {
  unhealthy: "leads to what it makes unhealthy",
  warning: "leads to what it makes a warning",
};
const carryLabel = (carried: Carried) => carryWords[carried];

/** Everything, or what hangs below one component, and those of it that the filters find. */
function useGraph({ id, view, withHidden }: GraphOfComponentsProps) {
  const client = useQueryClient();
  const { status, type, team, labels, agent } = view;
  const asked = { id, sort: usualSort, withHidden, depth: "everything" } as const;
  const isFiltered = filterCount(view) > 0;
  const all = useQuery(topologyQueries.tree(asked, client));
  const found = useQuery({
    ...topologyQueries.tree({ ...asked, status, type, team, labels, agent }, client),
    enabled: isFiltered,
  });
  const wanted = useMemo(
    () =>
      isFiltered && found.data
        ? new Set(withoutLabels(found.data.answer.components, labels).map((one) => one.id))
        : undefined,
    [isFiltered, found.data, labels],
  );
  const failed = [all, found].find(({ isError, data }) => isError && data === undefined);
  return {
    components: all.data?.answer.components,
    isPending: all.isPending || (isFiltered && found.isPending),
    wanted,
    failed,
  };
}

/** Components as a graph: what hangs on what, and which of them makes another one ill. */
export function GraphOfComponents(props: GraphOfComponentsProps) {
  const { id, name, view, change } = props;
  const { history } = useRouter();
  const pathOf = useComponentPath();
  const { components, isPending, wanted, failed } = useGraph(props);
  const graph = useMemo(
    () =>
      components &&
      toGraph(components, {
        rootId: id,
        wanted,
        pathOf,
      }),
    [components, id, wanted, pathOf],
  );
  const { direction, edgeStyle, toggled, most } = view;
  const look = useMemo(
    () => ({ direction, edgeStyle, toggled, most }),
    [direction, edgeStyle, toggled, most],
  );
  const onLook = useCallback((changes: Partial<GraphLook>) => change(changes), [change]);
  const onOpen = useCallback(
    ({ href }: GraphNode) => {
      if (href !== undefined) history.push(href);
    },
    [history],
  );
  if (failed)
    return (
      <ErrorDisplay
        title="Unable to load components!"
        message={messageOf(failed.error)}
        onRetry={() => void failed.refetch()}
      />
    );
  if (!graph || isPending) return <SkeletonRows />;
  if (graph.nodes.length === 0 || wanted?.size === 0)
    return (
      <EmptyState
        title="There are no components matching this criteria"
        actions={wanted && <Button onClick={() => change(unfiltered)}>Clear filters</Button>}
      >
        {wanted ? "None matches the filters." : "Components appear here with what hangs on them."}
      </EmptyState>
    );
  return (
    <GraphView
      label={name === undefined ? "All components" : `What hangs below ${name}`}
      nodes={graph.nodes}
      edges={graph.edges}
      root={graph.root}
      look={look}
      onLook={onLook}
      onOpen={onOpen}
      carryLabel={carryLabel}
      pictureName={`topology${name === undefined ? "" : `-${name.replaceAll(/[^\w.-]+/g, "-")}`}`}
    />
  );
}
