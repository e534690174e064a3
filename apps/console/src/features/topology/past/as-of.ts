import type {
  ComponentState,
  TopologyComponent,
  TopologyNode,
} from "@mainstay/contract/topology-answers.ts";
import { localId } from "#lib/agents.ts";
import { toneOf } from "../shared/component-words.ts";

/** As much as is known of a component that is there no more. */
const goneNode = ({ id, gone }: ComponentState): TopologyNode => ({
  id,
  agent_id: localId,
  external_id: "",
  status: "",
  status_reason: "It is there no more",
  order: 0,
  name: id.slice(-12),
  ...gone,
  parents: gone?.parent_id === undefined ? [] : [gone.parent_id],
});

/** Of those that are gone, one may hang below another: what is known, and all that hung below it. */
function withGone(
  all: readonly TopologyNode[],
  states: readonly ComponentState[],
  rootId: string | undefined,
): Map<string, TopologyNode> {
  const known = new Map(all.map((node) => [node.id, node]));
  const gone = states.filter((state) => state.gone !== undefined && !known.has(state.id));
  const byParent = Map.groupBy(gone, (state) => state.gone?.parent_id);
  const above: (string | undefined)[] = [...known.keys()];
  // What hung below nothing is a root of its own, and below none that is asked for.
  if (rootId === undefined) above.push(undefined);
  for (const parent of above)
    for (const state of byParent.get(parent) ?? []) {
      if (known.has(state.id)) continue;
      known.set(state.id, goneNode(state));
      above.push(state.id);
    }
  return known;
}

/**
 * Components as they were. Only their health and status are kept over time: what else they say of themselves is of now
 * and left out, ties are those of now, and who was not there yet is not there.
 *
 * @param all everything that there is now, or what is at and below `rootId`, one beside the other
 * @returns with what has gone since, where it hung below them
 */
export function asOf(
  all: readonly TopologyNode[],
  states: readonly ComponentState[],
  rootId: string | undefined,
): TopologyNode[] {
  const then = new Map(states.map((state) => [state.id, state]));
  const nodes = [...withGone(all, states, rootId).values()].filter(({ id }) => then.has(id));
  const there = new Set(nodes.map(({ id }) => id));
  const below = Map.groupBy(
    nodes.flatMap(({ id, parents = [] }) => parents.map((parent) => ({ id, parent }))),
    ({ parent }) => parent,
  );
  const isNow = new Set(all.map(({ id }) => id));
  const stateOf = (id: string) => {
    const { health, status } = then.get(id) ?? {};
    return { health: health ?? undefined, status: status ?? "" };
  };
  return nodes.map(({ summary: _summary, status_reason: reason, ...node }): TopologyNode => {
    const { health, status } = stateOf(node.id);
    const told = (node.children ?? []).filter((id) => there.has(id));
    const children = [...new Set([...told, ...(below.get(node.id) ?? []).map(({ id }) => id)])];
    const counts: Record<string, number> = {};
    for (const id of children) {
      const tone = toneOf(stateOf(id));
      counts[tone] = (counts[tone] ?? 0) + 1;
    }
    const { health: _health, ...rest } = node;
    return {
      ...rest,
      status,
      children,
      ...(health && { health }),
      ...(reason !== undefined && !isNow.has(node.id) && { status_reason: reason }),
      ...(children.length > 0 && { summary: counts }),
    };
  });
}

/** As cards show them: each with what hangs directly below it. */
export function asCards(
  all: readonly TopologyNode[],
  rootId: string | undefined,
): { own: TopologyNode | undefined; cards: TopologyComponent[] } {
  const known = new Map(all.map((node) => [node.id, node]));
  const belowOf = ({ children = [] }: TopologyNode) =>
    children.flatMap((id) => known.get(id) ?? []);
  const own = rootId === undefined ? undefined : known.get(rootId);
  const shown =
    rootId === undefined
      ? all.filter(({ parent_id }) => parent_id === undefined || !known.has(parent_id))
      : own
        ? belowOf(own)
        : [];
  return { own, cards: shown.map((node) => ({ ...node, components: belowOf(node) })) };
}
