import { ViewportPortal } from "@xyflow/react";
import { memo, useMemo } from "react";
import { useActiveId } from "./active-card.ts";
import type { EdgeStyle } from "./graph.ts";
import type { PlacedGraph, PlacedLine } from "./layout/plan-layout.ts";
import { linePath } from "./line-path.ts";

/** So many lines are one path: a browser leaves out paths that are not on the screen, and a thousand of them cost frames. */
const perPath = 48;

function drawLines(lines: readonly PlacedLine[], { direction }: PlacedGraph, style: EdgeStyle) {
  const drawn = lines.map((line) => linePath(line, direction, style));
  return {
    strokes: drawn.map(({ stroke }) => stroke).join(""),
    heads: drawn.map(({ head }) => head).join(""),
  };
}

const chunks = (lines: readonly PlacedLine[]) =>
  Array.from({ length: Math.ceil(lines.length / perPath) }, (_, index) =>
    lines.slice(index * perPath, (index + 1) * perPath),
  );

const AllLines = memo(function AllLines({
  placed,
  edgeStyle,
}: {
  placed: PlacedGraph;
  edgeStyle: EdgeStyle;
}) {
  const paths = useMemo(() => {
    const inOrder = placed.lines.toSorted(
      (one, other) => one.from.x - other.from.x || one.from.y - other.from.y,
    );
    return [false, true].flatMap((isSoft) =>
      chunks(inOrder.filter((line) => line.isSoft === isSoft)).map((chunk) => ({
        isSoft,
        ...drawLines(chunk, placed, edgeStyle),
      })),
    );
  }, [placed, edgeStyle]);
  return (
    <>
      {placed.frames.map(({ id, x, y, width, height }) => (
        <rect key={id} className="graph-frame" x={x} y={y} width={width} height={height} rx={8} />
      ))}
      {paths.map(({ isSoft, strokes, heads }, index) => (
        <g key={index}>
          <path className={isSoft ? "graph-line graph-line-soft" : "graph-line"} d={strokes} />
          <path className="graph-head" d={heads} />
        </g>
      ))}
    </>
  );
});

/** The lines of the card that the keyboard is at, above the others, with their names. */
function ActiveLines({ placed, edgeStyle }: { placed: PlacedGraph; edgeStyle: EdgeStyle }) {
  const active = useActiveId();
  const lines = placed.lines.filter(({ ends }) => ends.includes(active));
  const { strokes, heads } = drawLines(lines, placed, edgeStyle);
  return (
    <>
      <path className="graph-line graph-line-active" d={strokes} />
      <path className="graph-head graph-head-active" d={heads} />
      {lines.map((line, index) => {
        if (line.label === undefined) return null;
        const { labelX, labelY } = linePath(line, placed.direction, edgeStyle);
        return (
          <text key={index} className="graph-line-label" x={labelX} y={labelY}>
            {line.label}
          </text>
        );
      })}
    </>
  );
}

/** All lines and frames of a graph, behind its cards. */
export function GraphLines({ placed, edgeStyle }: { placed: PlacedGraph; edgeStyle: EdgeStyle }) {
  return (
    <ViewportPortal>
      <svg
        aria-hidden="true"
        className="graph-lines"
        width={Math.max(1, placed.width)}
        height={Math.max(1, placed.height)}
      >
        <AllLines placed={placed} edgeStyle={edgeStyle} />
        <ActiveLines placed={placed} edgeStyle={edgeStyle} />
      </svg>
    </ViewportPortal>
  );
}
