import type { Direction } from "../graph.ts";

/** What is to be laid out: sizes and what leads where, without what is written on it. */
export interface LayoutTask {
  boxes: readonly { id: string; width: number; height: number }[];
  links: readonly (readonly [from: string, to: string])[];
  direction: Direction;
  /** Between layers. */
  rankSeparation: number;
  /** Between neighbours of one layer. */
  nodeSeparation: number;
}

/** Where the left upper corner of each box is. */
export type Positions = readonly (readonly [id: string, x: number, y: number])[];
