import type { Tone } from "../StatusDot.tsx";
import {
  type Card,
  type Carried,
  type GraphEdge,
  type GraphNode,
  type Link,
  type ShownGraph,
  worseCarried,
} from "./graph.ts";

/** So many things of one kind on one side of another make a group. */
const leastGroup = 3;
/** A group of as many or fewer is open until it is closed. */
const opensByItself = 3;
/** Where a graph begins at many places, no more of a kind than these stand side by side; more are a group. */
const mostBeginnings = 24;

export const worstFirst: readonly Tone[] = ["unhealthy", "warning", "unknown", "info", "healthy"];

export interface FoldOptions {
  /** Where the graph begins; without it, wherever nothing leads to. */
  root: string | undefined;
  /** Cards that are not as they are by themselves: groups that were opened or closed, things that were folded. */
  toggled: ReadonlySet<string>;
  /** No more cards than these, the nearest to the root first. */
  most: number;
}

/** On which side of its owner the far end of a tie stands. */
type Side = "out" | "in";

/** An edge as one of its ends has it. */
interface Tie {
  far: string;
  side: Side;
  isSoft: boolean;
  label?: string | undefined;
  carries?: Carried | undefined;
}

const noOwner = "";
const groupId = (owner: string, side: Side, kind: string) =>
  `${side === "out" ? ">" : "<"}${owner}/${kind}`;

const linkOf = (owner: string, { far, side, isSoft, label, carries }: Tie): Link => ({
  ...(side === "out" ? { from: owner, to: far } : { from: far, to: owner }),
  isSoft,
  label,
  carries,
});

const worstOf = (ties: readonly Tie[]): Carried | undefined =>
  ties.reduce<Carried | undefined>((worst, { carries }) => worseCarried(worst, carries), undefined);

/**
 * What is drawn of a graph: whatever is reached from the root through cards that are open. A tie belongs to its end that
 * is nearer to the root; three or more that lead to things of one kind, on one side, are a group. What does not hang
 * together with the root stands beside it.
 */
export function foldGraph(
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  { root, toggled, most }: FoldOptions,
): ShownGraph {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const { ties, islands } = tieUp(byId, edges, root);
  const cards = new Map<string, Card>();
  const links: Link[] = [];
  const reached = new Set<string>();
  const queue: string[] = [];
  const leftKinds = new Map<string, number>();

  const reach = (id: string) => {
    if (reached.has(id)) return;
    reached.add(id);
    queue.push(id);
  };
  /** Whether there was room for one more. */
  const draw = (card: Card, kind: string, count: number) => {
    if (cards.size < most) cards.set(card.id, card);
    else leftKinds.set(kind, (leftKinds.get(kind) ?? 0) + count);
  };
  const openTies = (owner: string, owned: readonly Tie[]) => {
    for (const [key, members] of groupBySideAndKind(owned, byId)) {
      const [{ side, far }] = members;
      const few = owner === noOwner && root === undefined ? mostBeginnings + 1 : leastGroup;
      if (members.length < few) {
        for (const tie of members) {
          reach(tie.far);
          if (owner !== noOwner) links.push(linkOf(owner, tie));
        }
        continue;
      }
      const kind = byId.get(far)?.kind ?? key;
      const id = groupId(owner, side, kind);
      const isOpen = toggled.has(id) !== members.length <= opensByItself;
      const tones = countTones(members.map((tie) => byId.get(tie.far)?.tone));
      const count = members.length;
      draw({ id, type: "group", kind, count, tones, isOpen }, kind, isOpen ? 0 : count);
      if (owner !== noOwner)
        links.push(
          linkOf(owner, {
            far: id,
            side,
            isSoft: members.every((tie) => tie.isSoft),
            carries: worstOf(members),
          }),
        );
      if (!isOpen) continue;
      for (const tie of members) {
        reach(tie.far);
        links.push(linkOf(id, tie));
      }
    }
  };

  if (root !== undefined && byId.has(root)) reach(root);
  let next = 0;
  const walk = () => {
    for (; next < queue.length; next += 1) {
      const id = queue[next]!; // below the length
      const node = byId.get(id)!; // only what is known is reached
      const owned = ties.get(id) ?? [];
      const isOpen = !toggled.has(id);
      draw({ id, type: "node", node, ...(owned.length > 0 && { isOpen }) }, node.kind, 1);
      if (isOpen) openTies(id, owned);
    }
  };
  walk();
  openTies(
    noOwner,
    islands.map((far) => ({ far, side: "out", isSoft: false })),
  );
  walk();
  const kinds = [...leftKinds].filter(([, count]) => count > 0);
  return {
    cards: [...cards.values()],
    links: links.filter(({ from, to }) => cards.has(from) && cards.has(to)),
    left: kinds.reduce((sum, [, count]) => sum + count, 0),
    leftKinds: kinds.toSorted(([, one], [, other]) => other - one),
  };
}

/** The ties of every thing to what is as far from the root as itself or farther, and one thing of each island. */
function tieUp(
  byId: ReadonlyMap<string, GraphNode>,
  edges: readonly GraphEdge[],
  root: string | undefined,
): { ties: Map<string, Tie[]>; islands: string[] } {
  const merged = new Map<string, GraphEdge>();
  const neighbours = new Map<string, string[]>();
  const hasIncoming = new Set<string>();
  const meet = (one: string, other: string) => {
    const known = neighbours.get(one);
    if (known) known.push(other);
    else neighbours.set(one, [other]);
  };
  for (const edge of edges) {
    const { from, to } = edge;
    if (from === to || !byId.has(from) || !byId.has(to)) continue;
    const key = `${from} ${to}`;
    const known = merged.get(key);
    if (!known) {
      merged.set(key, edge);
      meet(from, to);
      meet(to, from);
      hasIncoming.add(to);
      continue;
    }
    const labels = [known.label, edge.label].filter((label) => label !== undefined);
    const label = [...new Set(labels)].join(", ");
    merged.set(key, {
      from,
      to,
      isSoft: known.isSoft === true && edge.isSoft === true,
      ...(label !== "" && { label }),
      carries: worseCarried(known.carries, edge.carries),
    });
  }

  const distances = new Map<string, number>();
  const measure = (start: string) => {
    distances.set(start, 0);
    const queue = [start];
    for (const id of queue) {
      for (const other of neighbours.get(id) ?? []) {
        if (distances.has(other)) continue;
        distances.set(other, (distances.get(id) ?? 0) + 1);
        queue.push(other);
      }
    }
  };
  const islands: string[] = [];
  if (root !== undefined && byId.has(root)) measure(root);
  // An island begins where nothing leads to, if it has such a place.
  const ids = [...byId.keys()];
  for (const id of [...ids.filter((one) => !hasIncoming.has(one)), ...ids]) {
    if (distances.has(id)) continue;
    islands.push(id);
    measure(id);
  }

  const ties = new Map<string, Tie[]>();
  for (const { from, to, isSoft = false, label, carries } of merged.values()) {
    const isBack = distances.get(to)! < distances.get(from)!; // every known thing was measured
    const owner = isBack ? to : from;
    const tie: Tie = {
      far: isBack ? from : to,
      side: isBack ? "in" : "out",
      isSoft,
      label,
      carries,
    };
    const owned = ties.get(owner);
    if (owned) owned.push(tie);
    else ties.set(owner, [tie]);
  }
  return { ties, islands };
}

function groupBySideAndKind(
  ties: readonly Tie[],
  byId: ReadonlyMap<string, GraphNode>,
): Map<string, [Tie, ...Tie[]]> {
  const groups = new Map<string, [Tie, ...Tie[]]>();
  for (const tie of ties) {
    const key = `${tie.side} ${byId.get(tie.far)?.kind}`;
    const members = groups.get(key);
    if (members) members.push(tie);
    else groups.set(key, [tie]);
  }
  return groups;
}

function countTones(tones: readonly (Tone | undefined)[]): (readonly [Tone, number])[] {
  return worstFirst
    .map((tone) => [tone, tones.filter((one) => one === tone).length] as const)
    .filter(([, count]) => count > 0);
}
