import { isHealth } from "@mainstay/contract/health-words.ts";
import type { TopologyNode } from "@mainstay/contract/topology-answers.ts";
import type { Carried, GraphEdge, GraphNode } from "@mainstay/ui/graph-view/graph.ts";
import { worstFirst } from "@mainstay/ui/graph-view/fold-graph.ts";
import type { Tone } from "@mainstay/ui/StatusDot.tsx";
import { shortIds } from "#lib/graph-look.ts";
import { checkCounts, healthWord, ownStatus, toneOf } from "../shared/component-words.ts";

export interface ComponentGraph {
  nodes: GraphNode[];
  edges: GraphEdge[];
  /** The component that it is of; nothing where it is of all. */
  root: string | undefined;
}

export interface ToGraphOptions {
  rootId: string | undefined;
  /** What is looked for; nothing where nothing is. What only leads there is faint. */
  wanted: ReadonlySet<string> | undefined;
  /** Where a component's card leads. */
  pathOf: (id: string) => string;
}

const rank = (tone: Tone) => worstFirst.indexOf(tone);

/** A child that is as bad as its parent, or worse, makes it so; one that the parent's own rules forgive does not. */
function carried(child: Tone, parent: Tone): Carried | undefined {
  if (parent !== "unhealthy" && parent !== "warning") return undefined;
  return rank(child) <= rank(parent) ? parent : undefined;
}

const name = new Intl.Collator("en", { numeric: true }).compare;

const total = (counts: readonly { count: number }[]) =>
  counts.reduce((sum, { count }) => sum + count, 0);

const usualNamespace = "default";

/** Its own word, unless that is one of health: beside another health it would only confuse. */
function stateWord(component: TopologyNode, tone: Tone): string {
  const own = ownStatus(component);
  return own === undefined || isHealth(own.toLowerCase()) ? healthWord(tone) : own;
}

/** Those that are looked for, and all above them. */
function leading(
  components: ReadonlyMap<string, TopologyNode>,
  wanted: ReadonlySet<string>,
): Set<string> {
  const shown = new Set([...wanted].filter((id) => components.has(id)));
  for (const id of shown)
    for (const above of components.get(id)?.parents ?? [])
      if (components.has(above)) shown.add(above);
  return shown;
}

/** Components and what hangs below them, as a graph that stays as it is while only their health turns. */
export function toGraph(
  all: readonly TopologyNode[],
  { rootId, wanted, pathOf }: ToGraphOptions,
): ComponentGraph {
  const known = new Map(all.map((one) => [one.id, one]));
  const shown = wanted && leading(known, wanted);
  const components = all
    .filter(({ id }) => shown === undefined || shown.has(id) || id === rootId)
    .toSorted((one, other) => name(one.name, other.name) || (one.id < other.id ? -1 : 1));
  const short = shortIds(components.map(({ id }) => id));
  const there = new Map(components.map((one) => [one.id, one]));
  const nodes = components.map((component): GraphNode => {
    const tone = toneOf(component);
    const checks = total(checkCounts(component));
    return {
      id: short(component.id),
      kind: component.type || "Component",
      icon: component.icon || undefined,
      title: component.name,
      href: pathOf(component.id),
      tone,
      toneLabel: stateWord(component, tone),
      note: checks === 0 ? undefined : `${checks} ${checks === 1 ? "check" : "checks"}`,
      tags: [component.namespace, component.owner]
        .filter((tag) => tag !== undefined)
        .filter((tag) => tag !== usualNamespace),
      isFaint: wanted !== undefined && !wanted.has(component.id),
    };
  });
  const edges = components.flatMap((parent) =>
    (parent.children ?? []).flatMap((id): GraphEdge[] => {
      const child = there.get(id);
      if (!child) return [];
      return [
        {
          from: short(parent.id),
          to: short(id),
          // Put there by a relationship or a selector, not written below it.
          isSoft: child.parent_id !== parent.id,
          carries: carried(toneOf(child), toneOf(parent)),
        },
      ];
    }),
  );
  return {
    nodes,
    edges,
    root: rootId !== undefined && there.has(rootId) ? short(rootId) : undefined,
  };
}
