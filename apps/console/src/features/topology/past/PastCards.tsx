import { type ReactNode, useMemo } from "react";
import type { TopologyComponent, TopologyNode } from "@mainstay/contract/topology-answers.ts";
import { Button } from "@mainstay/ui/Button.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { SkeletonRows } from "@mainstay/ui/Skeletons.tsx";
import { messageOf } from "#lib/api-error.ts";
import type { ChangeUrl } from "#lib/url-state.ts";
import { tonesInOrder, toneOf } from "../shared/component-words.ts";
import type { TopologySort, TopologyView } from "../shared/topology-view.ts";
import { asCards } from "./as-of.ts";
import { type EverythingProps, useEverything } from "./use-everything.ts";

export interface PastCardsProps extends EverythingProps {
  sort: TopologySort;
  change: ChangeUrl<TopologyView>;
  renderCards: (cards: readonly TopologyComponent[]) => ReactNode;
}

const text = new Intl.Collator("en", { numeric: true }).compare;
const keys: Readonly<Record<string, (one: TopologyNode, other: TopologyNode) => number>> = {
  status: (one, other) => tonesInOrder.indexOf(toneOf(other)) - tonesInOrder.indexOf(toneOf(one)),
  type: (one, other) => text(one.type ?? "", other.type ?? ""),
};

/** By what is known of them at any time; else by their names. */
function sorted<Node extends TopologyNode>(nodes: readonly Node[], sort: TopologySort): Node[] {
  const sign = sort.isDescending ? -1 : 1;
  const key = keys[sort.by];
  return nodes.toSorted((one, other) =>
    key ? sign * key(one, other) || text(one.name, other.name) : sign * text(one.name, other.name),
  );
}

/** The cards of a page as they were. */
export function PastCards(props: PastCardsProps) {
  const { id, view, sort, change, renderCards } = props;
  const { components, wanted, isPending, failed } = useEverything(props);
  const isFlat = view.type.size > 0;
  const cards = useMemo(() => {
    if (!components) return undefined;
    const shown = asCards(components, id);
    const all: readonly TopologyComponent[] = isFlat
      ? components.filter((one) => one.id !== id)
      : shown.cards;
    // Nothing hung below it: it itself is what there is to see.
    if (all.length === 0 && shown.own && !wanted) return [shown.own];
    const found = all.filter((one) => !wanted || wanted.has(one.id));
    return sorted(found, sort).map((one) => ({
      ...one,
      components: sorted(one.components ?? [], sort),
    }));
  }, [components, id, isFlat, wanted, sort]);
  if (failed)
    return (
      <ErrorDisplay
        title="Unable to load components!"
        message={messageOf(failed.error)}
        onRetry={() => void failed.refetch()}
      />
    );
  if (!cards || isPending) return <SkeletonRows />;
  if (cards.length === 0)
    return (
      <EmptyState
        title="There are no components matching this criteria"
        actions={<Button onClick={() => change({ at: "now" })}>Back to now</Button>}
      >
        None was there at this moment, or none matches the filters.
      </EmptyState>
    );
  return renderCards(cards);
}
