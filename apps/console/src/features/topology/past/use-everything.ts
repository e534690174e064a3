import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { noFilter, type TriStateFilter } from "@mainstay/ui/filters/tri-state-filter.ts";
import { topologyQueries } from "../queries.ts";
import {
  filterCount,
  pastMoment,
  type TopologyView,
  usualSort,
  withoutLabels,
} from "../shared/topology-view.ts";
import { asOf } from "./as-of.ts";

export interface EverythingProps {
  /** What is at and below it; everything without it. */
  id: string | undefined;
  view: TopologyView;
  withHidden: boolean;
}

function passes(filter: TriStateFilter, value: string): boolean {
  const wanted = [...filter].some(([, state]) => state === 1);
  const state = filter.get(value);
  return wanted ? state === 1 : state !== -1;
}

/** Everything, or what hangs below one component, one beside the other: as it is, or as it was; and what of it the filters find. */
export function useEverything({ id, view, withHidden }: EverythingProps) {
  const client = useQueryClient();
  const { type, team, labels, agent } = view;
  const at = pastMoment(view);
  // The server filters by how components are.
  const status = at === undefined ? view.status : noFilter;
  const asked = { id, sort: usualSort, withHidden, depth: "everything" } as const;
  const filters = { ...view, status };
  const isFiltered = filterCount(filters) > 0;
  const all = useQuery(topologyQueries.tree(asked, client));
  const found = useQuery({
    ...topologyQueries.tree({ ...asked, status, type, team, labels, agent }, client),
    enabled: isFiltered,
  });
  const states = useQuery(topologyQueries.states(at));
  const now = all.data?.answer.components;
  const then = at === undefined ? undefined : states.data?.components;
  const components = useMemo(
    () => (at === undefined ? now : now && then && asOf(now, then, id)),
    [at, now, then, id],
  );
  const passed = isFiltered ? found.data?.answer.components : now;
  const wasWanted = at === undefined ? noFilter : view.status;
  const wanted = useMemo(() => {
    if (!isFiltered && wasWanted.size === 0) return undefined;
    if (!passed || !components) return undefined;
    const ids = new Set(withoutLabels(passed, labels).map((one) => one.id));
    return new Set(
      components
        .filter((one) => (ids.has(one.id) || !isFiltered) && passes(wasWanted, one.status))
        .map((one) => one.id),
    );
  }, [isFiltered, passed, components, labels, wasWanted]);
  const isPast = at !== undefined;
  return {
    components,
    wanted,
    isPending: !components || (isFiltered && !found.data),
    failed: [all, found, ...(isPast ? [states] : [])].find(
      ({ isError, data }) => isError && data === undefined,
    ),
  };
}
