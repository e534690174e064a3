import { ViewportPortal } from "@xyflow/react";
import { memo, useMemo } from "react";
import { useActiveId } from "./active-card.ts";
import { toneShapes } from "../StatusDot.tsx";
import type { Carried, EdgeStyle } from "./graph.ts";
import type { PlacedGraph, PlacedLine } from "./layout/plan-layout.ts";
import { linePath } from "./line-path.ts";

/** So many lines are one path: a browser leaves out paths that are not on the screen, and a thousand of them cost frames. */
const perPath = 16;
/** Dashes are drawn one by one, however few of them are on the screen: longer lines are thin instead. */
const longestDashed = 3_000;

const lengthOf = ({ from, to }: PlacedLine) => Math.hypot(to.x - from.x, to.y - from.y);

function drawLines(lines: readonly PlacedLine[], { direction }: PlacedGraph, style: EdgeStyle) {
  const drawn = lines.map((line) => linePath(line, direction, style));
  return {
    strokes: drawn.map(({ stroke }) => stroke).join(""),
    heads: drawn.map(({ head }) => head).join(""),
    backs: drawn.map(({ back }) => back).join(""),
  };
}

const chunks = (lines: readonly PlacedLine[]) =>
  Array.from({ length: Math.ceil(lines.length / perPath) }, (_, index) =>
    lines.slice(index * perPath, (index + 1) * perPath),
  );

const AllLines = memo(function AllLines({ placed, edgeStyle }: Omit<GraphLinesProps, "isFar">) {
  const paths = useMemo(() => {
    const inOrder = placed.lines.toSorted(
      (one, other) => one.from.x - other.from.x || one.from.y - other.from.y,
    );
    const quiet = inOrder.filter(({ carries }) => carries === undefined);
    const byLook = Map.groupBy(quiet, (line) =>
      !line.isSoft
        ? "graph-line"
        : lengthOf(line) > longestDashed
          ? "graph-line graph-line-long"
          : "graph-line graph-line-soft",
    );
    return [...byLook].flatMap(([look, lines]) =>
      chunks(lines).map((chunk) => ({ look, ...drawLines(chunk, placed, edgeStyle) })),
    );
  }, [placed, edgeStyle]);
  return (
    <>
      {placed.frames.map(({ id, x, y, width, height }) => (
        <rect key={id} className="graph-frame" x={x} y={y} width={width} height={height} rx={8} />
      ))}
      {paths.map(({ look, strokes, heads }, index) => (
        <g key={index}>
          <path className={look} d={strokes} />
          <path className="graph-head" d={heads} />
        </g>
      ))}
    </>
  );
});

/** More of them at once would cost frames; these stand still. */
const mostMoving = 120;
const carriedInOrder: readonly Carried[] = ["warning", "unhealthy"];

/**
 * Lines that carry ill health, above the others: dashes move to what is made so, a head points there, and in the middle
 * stands the shape of the state.
 */
const CarryingLines = memo(function CarryingLines({
  placed,
  edgeStyle,
  isFar,
}: Pick<GraphLinesProps, "placed" | "edgeStyle" | "isFar">) {
  const byTone = useMemo(() => {
    const carrying = placed.lines.filter(({ carries }) => carries !== undefined);
    return carriedInOrder.map((tone) => {
      const lines = carrying.filter(({ carries }) => carries === tone);
      return {
        tone,
        isMoving: carrying.length <= mostMoving,
        paths: chunks(lines).map((chunk) => drawLines(chunk, placed, edgeStyle)),
        marks: lines.map((line) => linePath(line, placed.direction, edgeStyle)),
      };
    });
  }, [placed, edgeStyle]);
  return byTone.map(({ tone, isMoving, paths, marks }) => (
    <g key={tone} className="graph-carry" data-tone={tone}>
      {paths.map(({ strokes, backs }, index) => (
        <g key={index}>
          <path
            className="graph-carry-line"
            data-moving={isMoving && !isFar ? "" : undefined}
            d={strokes}
          />
          <path className="graph-carry-head" d={backs} />
        </g>
      ))}
      {!isFar &&
        marks.map(({ labelX, labelY }, index) => (
          <path
            key={index}
            className="graph-carry-mark"
            transform={`translate(${labelX - 6} ${labelY - 6}) scale(1.2)`}
            d={toneShapes[tone].path}
          />
        ))}
    </g>
  ));
});

/** Cards from so far away that nothing on them could be read: marks in the colours of their health, a path for each. */
const Marks = memo(function Marks({
  placed,
  root,
}: {
  placed: PlacedGraph;
  root: string | undefined;
}) {
  const byLook = useMemo(
    () =>
      Map.groupBy(placed.cards.values(), ({ card }) => {
        const tone = card.type === "node" ? card.node.tone : card.tones[0]?.[0];
        return card.id === root
          ? "root"
          : tone === "unhealthy" || tone === "warning"
            ? tone
            : "quiet";
      }),
    [placed, root],
  );
  return [...byLook].map(([look, cards]) => (
    <path
      key={look}
      className="graph-mark"
      data-look={look}
      d={cards
        .map(({ x, y, width, height }) => `M${x} ${y}h${width}v${height}h${-width}z`)
        .join("")}
    />
  ));
});

/** The lines of the card that the keyboard is at, above the others, with their names. */
function ActiveLines({ placed, edgeStyle }: { placed: PlacedGraph; edgeStyle: EdgeStyle }) {
  const active = useActiveId();
  const lines = placed.lines.filter(({ ends }) => ends.includes(active));
  // Those that carry something are loud already.
  const quiet = lines.filter(({ carries }) => carries === undefined);
  const { strokes, heads } = drawLines(quiet, placed, edgeStyle);
  return (
    <>
      <path className="graph-line graph-line-active" d={strokes} />
      <path className="graph-head graph-head-active" d={heads} />
      {lines.map((line, index) => {
        if (line.label === undefined) return null;
        const { labelX, labelY } = linePath(line, placed.direction, edgeStyle);
        return (
          <text
            key={index}
            className="graph-line-label"
            x={labelX}
            // Beside the mark that stands there.
            y={line.carries === undefined ? labelY : labelY - 14}
          >
            {line.label}
          </text>
        );
      })}
    </>
  );
}

interface GraphLinesProps {
  placed: PlacedGraph;
  edgeStyle: EdgeStyle;
  /** Cards are drawn as marks. */
  isFar: boolean;
}

/** All lines and frames of a graph, behind its cards. */
export function GraphLines({
  placed,
  edgeStyle,
  isFar,
  root,
}: GraphLinesProps & { root: string | undefined }) {
  return (
    <ViewportPortal>
      <svg
        aria-hidden="true"
        className="graph-lines"
        width={Math.max(1, placed.width)}
        height={Math.max(1, placed.height)}
      >
        <AllLines placed={placed} edgeStyle={edgeStyle} />
        <CarryingLines placed={placed} edgeStyle={edgeStyle} isFar={isFar} />
        {isFar ? (
          <Marks placed={placed} root={root} />
        ) : (
          <ActiveLines placed={placed} edgeStyle={edgeStyle} />
        )}
      </svg>
    </ViewportPortal>
  );
}
