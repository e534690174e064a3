import type { Direction, EdgeStyle } from "./graph.ts";
import type { PlacedLine } from "./layout/plan-layout.ts";

export interface LinePath {
  /** What is stroked. */
  stroke: string;
  /** The head of the arrow, which is filled. */
  head: string;
  /** A head near the beginning that points back to it. */
  back: string;
  labelX: number;
  labelY: number;
}

const headLength = 7;
const headWidth = 4;
/** From the beginning to the head that points back there: clear of what folds and unfolds. */
const backAway = 11;
/** Of the corners of lines with steps. */
const radius = 5;

/** A line along its levels, with a curve or a step between each two. */
export function linePath(
  { levels }: Pick<PlacedLine, "levels">,
  direction: Direction,
  style: EdgeStyle,
): LinePath {
  const isRight = direction === "right";
  const [first, last] = [levels[0], levels.at(-1)];
  if (!first || !last) return { stroke: "", head: "", back: "", labelX: 0, labelY: 0 };
  const at = (along: number, across: number) =>
    isRight ? `${round(along)} ${round(across)}` : `${round(across)} ${round(along)}`;
  const before = levels.at(-2) ?? first;
  // A piece of no length looks the way that the line comes from.
  const way = Math.sign(last.to - last.from || last.from - before.to) || 1;
  const neck = last.to - way * headLength;
  const parts = [`M${at(first.from, first.across)}`];
  levels.forEach((level, index) => {
    const next = levels[index + 1];
    if (!next) {
      parts.push(`L${at(neck, level.across)}`);
      return;
    }
    parts.push(`L${at(level.to, level.across)}`, join(level, next, { style, at }));
  });
  const side = (offset: number) => at(neck, last.across + offset);
  const head = `M${at(last.to, last.across)}L${side(-headWidth)}L${side(headWidth)}z`;
  const next = levels[1] ?? last;
  const start =
    Math.sign(first.to - first.from || next.from - first.to || last.to - first.from) || 1;
  const tip = first.from + start * backAway;
  const tail = (offset: number) => at(tip + start * 9, first.across + offset);
  const back = `M${at(tip, first.across)}L${tail(-5)}L${tail(5)}z`;
  const [left, right] = labelled(levels);
  const labelAlong = (left.to + right.from) / 2;
  const labelAcross = (left.across + right.across) / 2;
  return {
    stroke: parts.join(""),
    head,
    back,
    labelX: isRight ? labelAlong : labelAcross,
    labelY: isRight ? labelAcross : labelAlong,
  };
}

type Levels = PlacedLine["levels"];
const round = (place: number) => Math.round(place * 10) / 10;

/** The two levels between which there is room for a name. */
function labelled(levels: Levels): readonly [Levels[number], Levels[number]] {
  const middle = Math.floor((levels.length - 1) / 2);
  const left = levels[middle]!;
  return [left, levels[middle + 1] ?? left];
}

function join(
  from: Levels[number],
  to: Levels[number],
  { style, at }: { style: EdgeStyle; at: (along: number, across: number) => string },
): string {
  const [start, end] = [from.to, to.from];
  // Back to the same side: round the corner.
  if (start === end && style === "bezier") {
    const reach = start + Math.min(24, Math.abs(to.across - from.across) / 2);
    return `C${at(reach, from.across)} ${at(reach, to.across)} ${at(end, to.across)}`;
  }
  const middle = (start + end) / 2;
  if (style === "bezier")
    return `C${at(middle, from.across)} ${at(middle, to.across)} ${at(end, to.across)}`;
  const height = to.across - from.across;
  const bend = Math.min(radius, Math.abs(height) / 2, Math.abs(end - start) / 2);
  const along = Math.sign(end - start) * bend;
  const across = Math.sign(height) * bend;
  return [
    `L${at(middle - along, from.across)}`,
    `Q${at(middle, from.across)} ${at(middle, from.across + across)}`,
    `L${at(middle, to.across - across)}`,
    `Q${at(middle, to.across)} ${at(middle + along, to.across)}`,
    `L${at(end, to.across)}`,
  ].join("");
}
