import { getBezierPath, getSmoothStepPath, Position } from "@xyflow/react";
import type { Direction, EdgeStyle } from "./graph.ts";
import type { PlacedLine } from "./layout/plan-layout.ts";

export interface LinePath {
  /** What is stroked. */
  stroke: string;
  /** The head of the arrow, which is filled. */
  head: string;
  labelX: number;
  labelY: number;
}

const headLength = 7;
const headWidth = 4;

/** A line from the far side of one box to the near side of the next. */
export function linePath(
  { from, to }: PlacedLine,
  direction: Direction,
  style: EdgeStyle,
): LinePath {
  const isRight = direction === "right";
  const start = isRight
    ? { x: from.x + from.width, y: from.y + from.height / 2 }
    : { x: from.x + from.width / 2, y: from.y + from.height };
  const tip = isRight ? { x: to.x, y: to.y + to.height / 2 } : { x: to.x + to.width / 2, y: to.y };
  const draw = style === "bezier" ? getBezierPath : getSmoothStepPath;
  const [stroke, labelX, labelY] = draw({
    sourceX: start.x,
    sourceY: start.y,
    sourcePosition: isRight ? Position.Right : Position.Bottom,
    targetX: tip.x - (isRight ? headLength : 0),
    targetY: tip.y - (isRight ? 0 : headLength),
    targetPosition: isRight ? Position.Left : Position.Top,
  });
  const head = isRight
    ? `M${tip.x} ${tip.y}l${-headLength} ${-headWidth}v${2 * headWidth}z`
    : `M${tip.x} ${tip.y}l${-headWidth} ${-headLength}h${2 * headWidth}z`;
  return { stroke, head, labelX, labelY };
}
