import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { below, topologyQueries } from "../queries.ts";
import { usePreferences } from "../shared/preferences.ts";
import {
  type TopologyQuestion,
  type TopologySort,
  type TopologyView,
  withoutLabels,
} from "../shared/topology-view.ts";

/** A component, what is a card, and what stands on the card. */
const levels = { ofAll: 2, ofOne: 3 };

/** What is asked for the cards of the whole, or of what hangs below one component. */
export function cardQuestion(
  id: string | undefined,
  view: TopologyView,
  { sort, withHidden }: { sort: TopologySort; withHidden: boolean },
): TopologyQuestion {
  const { status, type, team, labels, agent } = view;
  return {
    id,
    status,
    type,
    team,
    labels,
    agent,
    sort,
    withHidden,
    depth: id === undefined ? levels.ofAll : levels.ofOne,
  };
}

/** The cards of a page, and the component that they hang below, if it is of one. */
export function useTopology(id: string | undefined, view: TopologyView) {
  const { showHidden, sort: usual } = usePreferences();
  const sort = view.sort ?? usual;
  const client = useQueryClient();
  const query = useQuery(
    topologyQueries.tree(cardQuestion(id, view, { sort, withHidden: showHidden }), client),
  );
  const answer = query.data?.answer;
  const shown = useMemo(() => {
    if (!answer) return undefined;
    const { components } = answer;
    const isFlat = view.type.size > 0;
    const own = id === undefined ? undefined : components.find((one) => one.id === id);
    const cards =
      id === undefined
        ? components
        : isFlat
          ? components.filter((one) => one !== own)
          : own
            ? below(own)
            : [];
    return { own, cards: withoutLabels(cards, view.labels) };
  }, [answer, id, view.labels, view.type.size]);
  return {
    query,
    answer,
    sort,
    own: shown?.own,
    cards: shown?.cards,
    isMany: id !== undefined && view.type.size === 0 && (answer?.components.length ?? 0) > 1,
  };
}
