import type { Tone } from "../StatusDot.tsx";

/** One thing of a graph, and what its card says. */
export interface GraphNode {
  id: string;
  /** Things of one kind that hang on the same one are folded into a group. */
  kind: string;
  /** Its mark; that of its kind unless said. */
  icon?: string | undefined;
  title: string;
  /** Where its card leads. */
  href?: string | undefined;
  tone?: Tone | undefined;
  /** What the tone means, in a word. */
  toneLabel?: string | undefined;
  /** How much there is to say of it: `12 changes`. */
  note?: string | undefined;
  tags?: readonly string[];
  /** It is there no more. */
  isGone?: boolean;
  /** It is not what is looked for, but leads there. */
  isFaint?: boolean;
}

export interface GraphEdge {
  from: string;
  to: string;
  /** Drawn dashed: a looser tie than the others. */
  isSoft?: boolean;
  label?: string | undefined;
  /** What its end makes of its beginning; drawn as going there. */
  carries?: Carried | undefined;
}

/** What goes along an edge, against the way that it leads. */
export type Carried = Extract<Tone, "unhealthy" | "warning">;

/** The worse of what two carry. */
export const worseCarried = (
  one: Carried | undefined,
  other: Carried | undefined,
): Carried | undefined => (one === "unhealthy" ? one : (other ?? one));

/** Which way the layers follow each other. */
export type Direction = "right" | "down";
export type EdgeStyle = "bezier" | "smoothstep";

/** So many cards are drawn unless more are asked for, and so many more each time. */
export const cardsAtOnce = 1_000;

/** What of a graph is looked at, and how. */
export interface GraphLook {
  direction: Direction;
  edgeStyle: EdgeStyle;
  /** Cards that are not as they are by themselves: groups opened or closed, things folded. */
  toggled: ReadonlySet<string>;
  /** No more cards than these. */
  most: number;
}

/** What is drawn as one card: a thing, or several of one kind that hang on the same one. */
export type Card =
  | {
      id: string;
      type: "node";
      node: GraphNode;
      /** Whether what lies behind it is folded away; left out where nothing does. */
      isOpen?: boolean;
    }
  | {
      id: string;
      type: "group";
      kind: string;
      count: number;
      /** The worst first. */
      tones: readonly (readonly [Tone, number])[];
      isOpen: boolean;
    };

export interface Link {
  from: string;
  to: string;
  isSoft: boolean;
  label?: string | undefined;
  carries?: Carried | undefined;
}

/** What of a graph is drawn. */
export interface ShownGraph {
  cards: readonly Card[];
  links: readonly Link[];
  /** Cards that were left out, because there are more than are to be drawn. */
  left: number;
  /** Of what kinds the things are that are left out for that reason, the most first. */
  leftKinds: readonly (readonly [kind: string, count: number])[];
}
