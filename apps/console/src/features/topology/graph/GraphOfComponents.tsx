import { useRouter } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { Button } from "@mainstay/ui/Button.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { asFileName } from "@mainstay/ui/export/file-name.ts";
import type { Carried, GraphLook, GraphNode } from "@mainstay/ui/graph-view/graph.ts";
import { GraphView } from "@mainstay/ui/graph-view/GraphView.tsx";
import { SkeletonRows } from "@mainstay/ui/Skeletons.tsx";
import { messageOf } from "#lib/api-error.ts";
import type { ChangeUrl } from "#lib/url-state.ts";
import { type EverythingProps, useEverything } from "../past/use-everything.ts";
import { useComponentPath } from "../shared/component-links.ts";
import { type TopologyView, unfiltered } from "../shared/topology-view.ts";
import { toGraph } from "./to-graph.ts";

export interface GraphOfComponentsProps extends EverythingProps {
  name: string | undefined;
  change: ChangeUrl<TopologyView>;
}

const carryWords: Readonly<Record<Carried, string>> = {
  unhealthy: "leads to what it makes unhealthy",
  warning: "leads to what it makes a warning",
};
const carryLabel = (carried: Carried) => carryWords[carried];

/** Components as a graph: what hangs on what, and which of them makes another one ill. */
export function GraphOfComponents(props: GraphOfComponentsProps) {
  const { id, name, view, change } = props;
  const { history } = useRouter();
  const pathOf = useComponentPath();
  const { components, isPending, wanted, failed } = useEverything(props);
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
      pictureName={`topology${name === undefined ? "" : `-${asFileName(name)}`}`}
    />
  );
}
