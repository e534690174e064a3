import type { Direction } from "../graph.ts";
import type { Rect } from "./plan-layout.ts";

/**
 * Lines between boxes that stand in layers, so that none passes under a box that is not its end: within a layer a line
 * keeps to a gap between two boxes, and changes to another one only between two layers. It needs to know nothing of how
 * the boxes were laid out. *Along* is the way in which layers follow each other, *across* the other one.
 */

/** A straight piece along the layers. */
export interface Level {
  /** Where it begins and ends, along. */
  from: number;
  to: number;
  across: number;
}

export interface RoutedBox extends Rect {
  id: string;
}

/** Between a line and a box, and between two lines in the same gap where there is room. */
const clearance = 10;
const between = 8;
/** Lines that leave a layer and come back to it bulge so far. */
const bulge = 48;

interface Span {
  from: number;
  to: number;
}
interface Layer extends Span {
  /** What the boxes leave free of it, from far outside to far outside. */
  gaps: Span[];
}
interface Passing {
  level: Level;
  gap: Span;
}

/** For each link its levels, from the box that it leaves to the one that it reaches; none where there is no such box. */
export function routeLines(
  boxes: readonly RoutedBox[],
  links: readonly (readonly [from: string, to: string])[],
  direction: Direction,
): (readonly Level[])[] {
  const isRight = direction === "right";
  const along = (box: Rect): Span =>
    isRight ? { from: box.x, to: box.x + box.width } : { from: box.y, to: box.y + box.height };
  const across = (box: Rect): Span =>
    isRight ? { from: box.y, to: box.y + box.height } : { from: box.x, to: box.x + box.width };
  const byId = new Map(boxes.map((box) => [box.id, box]));
  const layersOf = layersByPart(boxes, links, { along, across });
  const passing = new Map<Span, Passing[]>();

  const routes = links.map(([from, to]): Level[] => {
    const [start, end] = [byId.get(from), byId.get(to)];
    const layers = layersOf.get(from);
    if (!start || !end || !layers) return [];
    const [first, last] = [start, end].map((box) =>
      layers.findIndex((layer) => layer.from <= along(box).from && along(box).to <= layer.to),
    ) as [number, number];
    if (first === last) return sameLayer(layers[first]!, { start, end, along, across });
    const isBack = last < first;
    // What leads back ends where others begin: it keeps beside them, and beside what stands in the middle of a side.
    const [begins, ends] = [start, end].map((box) => {
      const own = across(box);
      return middle(own) - (isBack ? (own.to - own.from) / 4 : 0);
    }) as [number, number];
    const step = isBack ? -1 : 1;
    const near = (span: Span) => (isBack ? span.to : span.from);
    const far = (span: Span) => (isBack ? span.from : span.to);
    const levels: Level[] = [{ from: far(along(start)), to: far(layers[first]!), across: begins }];
    const total = Math.abs(last - first);
    for (let at = first + step; at !== last; at += step) {
      const layer = layers[at]!;
      const wanted = begins + ((ends - begins) * Math.abs(at - first)) / total;
      const gap = nearestGap(layer.gaps, wanted);
      const level = { from: near(layer), to: far(layer), across: within(gap, wanted) };
      levels.push(level);
      const known = passing.get(gap);
      if (known) known.push({ level, gap });
      else passing.set(gap, [{ level, gap }]);
    }
    levels.push({ from: near(layers[last]!), to: near(along(end)), across: ends });
    return levels;
  });
  for (const [gap, those] of passing)
    spread(
      those.map(({ level }) => level),
      gap,
    );
  return routes;
}

const middle = ({ from, to }: Span) => (from + to) / 2;

/** Out of one side of the layer and back to it: a tie of two neighbours, or of a box with itself. */
function sameLayer(
  layer: Layer,
  {
    start,
    end,
    along,
    across,
  }: { start: Rect; end: Rect; along: (box: Rect) => Span; across: (box: Rect) => Span },
): Level[] {
  const isSelf = start === end;
  const own = across(start);
  const quarter = (own.to - own.from) / 4;
  return [
    {
      from: along(start).to,
      to: layer.to + bulge,
      across: middle(own) + (isSelf ? quarter : 0),
    },
    {
      from: layer.to + bulge,
      to: along(end).to,
      across: middle(across(end)) - (isSelf ? quarter : 0),
    },
  ];
}

/** The gap whose room is the nearest to a place. */
function nearestGap(gaps: readonly Span[], wanted: number): Span {
  let best = gaps[0]!;
  for (const gap of gaps)
    if (Math.abs(within(gap, wanted) - wanted) < Math.abs(within(best, wanted) - wanted))
      best = gap;
  return best;
}

/** As near as a gap lets a line come to where it wants to be. */
function within({ from, to }: Span, wanted: number): number {
  const room = Math.min(clearance, (to - from) / 2);
  return Math.min(Math.max(wanted, from + room), to - room);
}

/** Lines in the same gap beside each other, in the order in which they want to be. */
function spread(levels: Level[], gap: Span): void {
  if (levels.length < 2) return;
  levels.sort((one, other) => one.across - other.across);
  const room = Math.min(clearance, (gap.to - gap.from) / 2);
  const [lowest, highest] = [gap.from + room, gap.to - room];
  const apart = Math.min(between, (highest - lowest) / (levels.length - 1));
  let least = lowest;
  for (const level of levels) {
    level.across = Math.max(level.across, least);
    least = level.across + apart;
  }
  let most = highest;
  for (const level of levels.toReversed()) {
    level.across = Math.min(level.across, most);
    most = level.across - apart;
  }
}

/** The layers that a box's part of the graph has: what nothing ties to it is laid out by itself. */
function layersByPart(
  boxes: readonly RoutedBox[],
  links: readonly (readonly [string, string])[],
  { along, across }: { along: (box: Rect) => Span; across: (box: Rect) => Span },
): Map<string, Layer[]> {
  const above = new Map<string, string>(boxes.map(({ id }) => [id, id]));
  const top = (id: string): string => {
    if (!above.has(id)) return id;
    let found = id;
    while (above.get(found) !== found) found = above.get(found)!;
    for (let at = id; at !== found;) {
      const next = above.get(at)!;
      above.set(at, found);
      at = next;
    }
    return found;
  };
  for (const [from, to] of links)
    if (above.has(from) && above.has(to)) above.set(top(from), top(to));
  const gapsOf = (layer: Span, inWay: readonly RoutedBox[]): Span[] => {
    const spans = inWay
      .filter((box) => along(box).from < layer.to && along(box).to > layer.from)
      .map(across)
      .toSorted((one, other) => one.from - other.from);
    const gaps: Span[] = [];
    const outside = 4 * clearance;
    let end = spans[0]!.from - outside;
    for (const span of spans) {
      if (span.from > end) gaps.push({ from: end, to: span.from });
      end = Math.max(end, span.to);
    }
    return [...gaps, { from: end, to: end + outside }];
  };
  /** Some layouts set parts side by side, and some put one among another. */
  const amid = (part: readonly RoutedBox[]): RoutedBox[] => {
    const [left, top_, right, bottom] = [
      Math.min(...part.map(({ x }) => x)),
      Math.min(...part.map(({ y }) => y)),
      Math.max(...part.map(({ x, width }) => x + width)),
      Math.max(...part.map(({ y, height }) => y + height)),
    ];
    return boxes.filter(
      ({ x, y, width, height }) => x < right && x + width > left && y < bottom && y + height > top_,
    );
  };
  const layersIn = (part: readonly RoutedBox[]): Span[] => {
    const layers: Span[] = [];
    for (const { from, to } of part.map(along).toSorted((one, other) => one.from - other.from)) {
      const last = layers.at(-1);
      // Boxes of one layer overlap, as they stand on the same line.
      if (last && from < last.to) last.to = Math.max(last.to, to);
      else layers.push({ from, to });
    }
    return layers;
  };
  const tied = new Set(links.flat().map(top));
  const layersOf = new Map<string, Layer[]>();
  for (const [id, part] of Map.groupBy(boxes, (box) => top(box.id))) {
    if (!tied.has(id)) continue;
    const inWay = amid(part);
    const layers = layersIn(inWay).map((layer) => ({ ...layer, gaps: gapsOf(layer, inWay) }));
    for (const box of part) layersOf.set(box.id, layers);
  }
  return layersOf;
}
