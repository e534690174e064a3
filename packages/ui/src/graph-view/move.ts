import type { PlacedCard, PlacedGraph, Rect } from "./layout/plan-layout.ts";

export type ArrowKey = "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown";

const middle = ({ x, y, width, height }: Rect) => ({ x: x + width / 2, y: y + height / 2 });

interface Way {
  /** How far another lies in the direction of the key. */
  along: (from: Rect, to: Rect) => number;
  /** How far it lies aside. */
  aside: (from: Rect, to: Rect) => number;
}
const sideways = (sign: 1 | -1): Way => ({
  along: (from, to) => sign * (middle(to).x - middle(from).x),
  aside: (from, to) => Math.abs(middle(to).y - middle(from).y),
});
const upright = (sign: 1 | -1): Way => ({
  along: (from, to) => sign * (middle(to).y - middle(from).y),
  aside: (from, to) => Math.abs(middle(to).x - middle(from).x),
});
const ways: Readonly<Record<ArrowKey, Way>> = {
  ArrowRight: sideways(1),
  ArrowLeft: sideways(-1),
  ArrowDown: upright(1),
  ArrowUp: upright(-1),
};

/**
 * Where an arrow leads from a card: to its neighbour in the frame that it stands in; else along an edge, when the key
 * points the way the layers go; else to the nearest on that side. Nowhere is where it is.
 */
export function moveFrom(graph: PlacedGraph, id: string, key: ArrowKey): string {
  const from = graph.cards.get(id);
  if (!from) return id;
  const way = ways[key];
  const cards = [...graph.cards.values()].filter(({ card }) => card.id !== id);
  const isAhead = (to: Rect) => way.along(from, to) > 0;
  const nearest = (candidates: readonly PlacedCard[], cost: (to: Rect) => number) =>
    candidates.reduce<PlacedCard | undefined>(
      (best, one) => (best && cost(best) <= cost(one) ? best : one),
      undefined,
    )?.card.id;
  const inLine = (to: Rect) => isAhead(to) && way.aside(from, to) < 1;
  const beside =
    from.frame === undefined
      ? undefined
      : nearest(
          cards.filter((card) => card.frame === from.frame && inLine(card)),
          (to) => way.along(from, to),
        );
  if (beside !== undefined) return beside;

  const isAlong = (key === "ArrowLeft" || key === "ArrowRight") === (graph.direction === "right");
  if (isAlong) {
    const tied = graph.links.flatMap((link) =>
      link.from === id ? [link.to] : link.to === id ? [link.from] : [],
    );
    const ends = tied.flatMap((end) => graph.cards.get(end) ?? []).filter(isAhead);
    const next = nearest(ends, (to) => way.aside(from, to) + way.along(from, to) / 4);
    if (next !== undefined) return next;
  }
  // Rather farther in the same line than near and aside.
  return (
    nearest(cards.filter(isAhead), (to) => way.along(from, to) + 3 * way.aside(from, to)) ?? id
  );
}
