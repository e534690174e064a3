import {
  type Card,
  type Carried,
  type Direction,
  type Link,
  type ShownGraph,
  worseCarried,
} from "../graph.ts";
import { type Level, type RoutedBox, routeLines } from "./route-lines.ts";
import type { LayoutTask, Positions } from "./task.ts";

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface PlacedCard extends Rect {
  card: Card;
  /** The frame that it stands in. */
  frame?: string | undefined;
}

/** What is drawn between two cards, or a card and a frame. */
export interface PlacedLine {
  /** The cards that it ties; for a frame, the card that all in it hang on. */
  ends: readonly [from: string, to: string];
  from: Rect;
  to: Rect;
  /** The way that it takes, round what is not its end. */
  levels: readonly Level[];
  isSoft: boolean;
  label?: string | undefined;
  carries?: Carried | undefined;
}

/** The ways of all lines, in the order of what was handed to the layout. */
type Routes = readonly (readonly Level[])[];

/** A graph with places. */
export interface PlacedGraph {
  direction: Direction;
  cards: ReadonlyMap<string, PlacedCard>;
  frames: readonly (Rect & { id: string })[];
  lines: readonly PlacedLine[];
  /** As they lead, frames or not: what the arrow keys follow. */
  links: readonly Link[];
  /** Of a graph whose cards stand where they stood they are known. */
  routes: Routes;
  width: number;
  height: number;
}

export interface LayoutOptions {
  direction: Direction;
  rankSeparation: number;
  nodeSeparation: number;
}

const cardSize = { width: 240, height: 80 };
const groupSize = { width: 240, height: 48 };
const sizeOf = (card: Card) => (card.type === "group" ? groupSize : cardSize);

/** So many ends of the tree on one side of the same card stand in a frame, in rows, instead of in one long layer. */
const leastFrame = 9;
/** In a graph of more cards than these, fewer of them do: its layers are long enough. */
const manyCards = 60;
const leastFrameOfMany = 4;
const gap = 16;
const padding = 16;

interface Frame {
  id: string;
  owner: string;
  isAfter: boolean;
  isSoft: boolean;
  carries?: Carried | undefined;
  cards: Card[];
  columns: number;
  width: number;
  height: number;
}

/** What is handed to a layout, and how its answer becomes a graph with places. */
export function planLayout(
  { cards, links }: ShownGraph,
  { direction, rankSeparation, nodeSeparation }: LayoutOptions,
): { task: LayoutTask; place: (positions: Positions, known?: Routes) => PlacedGraph } {
  const frames = findFrames(cards, links);
  const frameOf = new Map(
    frames.flatMap((frame) => frame.cards.map((card) => [card.id, frame] as const)),
  );
  const isLoose = ({ from, to }: Link) => !frameOf.has(from) && !frameOf.has(to);
  const looseCards = cards.filter(({ id }) => !frameOf.has(id));
  const task: LayoutTask = {
    boxes: [
      ...looseCards.map((card) => ({ id: card.id, ...sizeOf(card) })),
      ...frames.map(({ id, width, height }) => ({ id, width, height })),
    ],
    links: [
      ...links.filter(isLoose).map(({ from, to }) => [from, to] as const),
      ...frames.map(({ id, owner, isAfter }) =>
        isAfter ? ([owner, id] as const) : ([id, owner] as const),
      ),
    ],
    direction,
    rankSeparation,
    nodeSeparation,
  };

  const place = (positions: Positions, known?: Routes): PlacedGraph => {
    const left = Math.min(0, ...positions.map(([, x]) => x));
    const top = Math.min(0, ...positions.map(([, , y]) => y));
    const corners = new Map(
      positions.map(([id, x, y]) => [id, { x: Math.round(x - left), y: Math.round(y - top) }]),
    );
    const cornerOf = (id: string) => corners.get(id) ?? { x: 0, y: 0 };
    const placed = new Map<string, PlacedCard>();
    for (const card of looseCards)
      placed.set(card.id, { card, ...cornerOf(card.id), ...sizeOf(card) });
    const drawnFrames = frames.map(({ id, width, height, cards: framed, columns }) => {
      const rect = { ...cornerOf(id), width, height };
      framed.forEach((card, index) => {
        const column = index % columns;
        const row = Math.floor(index / columns);
        placed.set(card.id, {
          card,
          frame: id,
          x: rect.x + padding + column * (cardSize.width + gap),
          y: rect.y + padding + row * (cardSize.height + gap),
          ...cardSize,
        });
      });
      return { id, ...rect };
    });
    const boxes = new Map<string, RoutedBox>();
    for (const { id } of looseCards) {
      const { x, y, width, height } = placed.get(id)!;
      boxes.set(id, { id, x, y, width, height });
    }
    for (const frame of drawnFrames) boxes.set(frame.id, frame);
    // In the order of what was handed to the layout.
    const drawn: (Omit<Link, "from" | "to"> & Pick<PlacedLine, "ends">)[] = [
      ...links.filter(isLoose).map(({ from, to, isSoft, label, carries }) => ({
        ends: [from, to] as const,
        isSoft,
        label,
        carries,
      })),
      ...frames.map(({ owner, isSoft, carries }) => ({
        ends: [owner, owner] as const,
        isSoft,
        carries,
      })),
    ];
    const routes = known ?? routeLines([...boxes.values()], task.links, direction);
    const lines = drawn.flatMap((line, index): PlacedLine[] => {
      const levels = routes[index] ?? [];
      const [from, to] = task.links[index] ?? ["", ""];
      const [start, end] = [boxes.get(from), boxes.get(to)];
      return start && end && levels.length > 0 ? [{ ...line, from: start, to: end, levels }] : [];
    });
    const all: Rect[] = [...placed.values(), ...boxes.values()];
    const reach = lines.flatMap(({ levels }) => levels);
    const far = (of: (level: Level) => number) => Math.max(0, ...reach.map(of));
    const alongMost = far(({ from, to }) => Math.max(from, to));
    const acrossMost = far(({ across }) => across);
    return {
      direction,
      cards: placed,
      frames: drawnFrames,
      links,
      lines,
      routes,
      width: Math.max(
        direction === "right" ? alongMost : acrossMost,
        ...all.map(({ x, width }) => x + width),
      ),
      height: Math.max(
        direction === "right" ? acrossMost : alongMost,
        ...all.map(({ y, height }) => y + height),
      ),
    };
  };
  return { task, place };
}

function findFrames(cards: readonly Card[], links: readonly Link[]): Frame[] {
  const ties = new Map<string, Link[]>();
  for (const link of links)
    for (const end of new Set([link.from, link.to])) {
      const known = ties.get(end);
      if (known) known.push(link);
      else ties.set(end, [link]);
    }
  const frames = new Map<string, Frame>();
  const least = cards.length > manyCards ? leastFrameOfMany : leastFrame;
  for (const card of cards) {
    const [link, ...others] = ties.get(card.id) ?? [];
    if (!link || others.length > 0 || card.type === "group" || card.isOpen === false) continue;
    const isAfter = link.to === card.id;
    const owner = isAfter ? link.from : link.to;
    // Two that hang on nothing but each other are no frame of one another.
    if ((ties.get(owner)?.length ?? 0) < least) continue;
    const id = `frame${isAfter ? ">" : "<"}${owner}`;
    const known = frames.get(id);
    if (known) {
      known.cards.push(card);
      known.isSoft &&= link.isSoft;
      known.carries = worseCarried(known.carries, link.carries);
    } else
      frames.set(id, {
        id,
        owner,
        isAfter,
        isSoft: link.isSoft,
        carries: link.carries,
        cards: [card],
        columns: 0,
        width: 0,
        height: 0,
      });
  }
  return [...frames.values()]
    .filter((frame) => frame.cards.length >= least)
    .map((frame) => {
      const many = frame.cards.length;
      // About as wide as high.
      const columns = Math.ceil(
        Math.sqrt((many * (cardSize.height + gap)) / (cardSize.width + gap)),
      );
      const rows = Math.ceil(many / columns);
      return {
        ...frame,
        columns,
        width: columns * (cardSize.width + gap) - gap + 2 * padding,
        height: rows * (cardSize.height + gap) - gap + 2 * padding,
      };
    });
}
