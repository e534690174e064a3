import { ZoomOut } from "lucide-react";
import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from "react";
import { classNames } from "../class-names.ts";
import { IconButton } from "../Button.tsx";
import {
  partHeights,
  slotsOf,
  stretchWords,
  type StripRange,
  type StripSlot,
  type StripSpan,
  tickWords,
} from "./strip-slots.ts";

/** One kind of what is counted. */
export interface StripSeries {
  id: string;
  label: string;
  /** Its colour: `fill-unhealthy`. */
  className: string;
}

export interface TimelineStripProps extends StripRange {
  label: string;
  /** What is counted, in the plural: `changes`. */
  noun: string;
  /** From the foot of the bars upwards. */
  series: readonly StripSeries[];
  spans: readonly StripSpan[];
  height?: number;
  /** A stretch was marked, with the pointer or the keyboard. */
  onZoom: (from: number, to: number) => void;
  /** Back to what is usual; there where something else is shown. */
  onZoomOut?: (() => void) | undefined;
}

/** From one bar to another, whichever is first. */
interface Marked {
  anchor: number;
  end: number;
}

const number = new Intl.NumberFormat();
const slotWidth = 10;
const gapWidth = 1.5;
const ticks = [0, 0.25, 0.5, 0.75, 1] as const;
const tipWidth = 220;

const wordsOf = (counts: StripSlot["counts"], series: readonly StripSeries[]): string[] =>
  series.flatMap(({ id, label }) =>
    counts[id] === undefined || counts[id] === 0 ? [] : [`${number.format(counts[id])} ${label}`],
  );

function together(slots: readonly StripSlot[]): StripSlot["counts"] {
  const counts: Record<string, number> = {};
  for (const slot of slots)
    for (const [id, count] of Object.entries(slot.counts)) counts[id] = (counts[id] ?? 0) + count;
  return counts;
}

/**
 * How much happened when, as bars over time. Dragging over them chooses a stretch. With the keyboard: the arrows go from
 * bar to bar and say them, with shift they mark several, Enter chooses, Escape lets go.
 */
export function TimelineStrip(props: TimelineStripProps) {
  const { label, noun, series, spans, from, to, stepMs, height = 48, onZoom, onZoomOut } = props;
  const slots = useMemo(() => slotsOf(spans, { from, to, stepMs }), [spans, from, to, stepMs]);
  const most = useMemo(() => Math.max(0, ...slots.map(({ total }) => total)), [slots]);
  const frame = useRef<HTMLDivElement>(null);
  const [marked, setMarked] = useState<Marked | null>(null);
  const [isDragged, setIsDragged] = useState(false);
  const [isTold, setIsTold] = useState(false);

  const last = slots.length - 1;
  const bounded = (index: number) => Math.min(last, Math.max(0, index));
  const first = marked ? bounded(Math.min(marked.anchor, marked.end)) : 0;
  const final = marked ? bounded(Math.max(marked.anchor, marked.end)) : 0;
  const chosen = marked ? slots.slice(first, final + 1) : [];
  const begin = chosen[0]?.from ?? from;
  const end = chosen.at(-1)?.to ?? to;

  const choose = () => {
    if (chosen.length === 0) return;
    setMarked(null);
    onZoom(begin, end);
  };

  const slotAt = ({ clientX }: PointerEvent): number => {
    const box = frame.current?.getBoundingClientRect();
    if (!box || box.width === 0) return 0;
    return bounded(Math.floor(((clientX - box.left) / box.width) * slots.length));
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const at = marked?.end ?? (event.key === "ArrowRight" ? -1 : slots.length);
    const target = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1,
      Home: 0,
      End: last,
    }[event.key];
    if (slots.length === 0 || event.metaKey || event.ctrlKey || event.altKey) return;
    if (target !== undefined) {
      const next = bounded(target);
      setMarked({ anchor: event.shiftKey && marked ? marked.anchor : next, end: next });
      setIsTold(true);
    } else if (event.key === "Enter" && marked) choose();
    else if (event.key === "Escape" && marked) setMarked(null);
    else return;
    event.preventDefault();
    // What is around would close, or move.
    event.stopPropagation();
  };

  const all = together(slots);
  const total = slots.reduce((sum, slot) => sum + slot.total, 0);
  const count = chosen.reduce((sum, slot) => sum + slot.total, 0);
  const told = marked
    ? [
        stretchWords(begin, end),
        count === 0 ? `No ${noun}` : `${number.format(count)} ${noun}`,
        ...wordsOf(together(chosen), series),
      ]
    : [];
  const middle = slots.length === 0 ? 0 : (first + final + 1) / 2 / slots.length;

  return (
    <figure className="m-0 flex min-w-0 flex-col gap-0.5">
      <div className="flex min-w-0 items-center gap-1">
        <div className="relative min-w-0 flex-1">
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- arrows go through what it shows */}
          <div
            ref={frame}
            role="group"
            aria-roledescription="chart"
            aria-label={[
              `${label}: ${number.format(total)} ${noun}, ${stretchWords(from, to)}.`,
              ...wordsOf(all, series).map((words) => `${words}.`),
              "Arrows go from bar to bar, with shift they mark several, Enter shows those alone.",
            ].join(" ")}
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- as said
            tabIndex={0}
            onKeyDown={onKeyDown}
            onBlur={() => setMarked(null)}
            onPointerDown={(event) => {
              if (event.button !== 0 || slots.length === 0) return;
              event.currentTarget.focus({ preventScroll: true, focusVisible: false });
              event.currentTarget.setPointerCapture(event.pointerId);
              const at = slotAt(event);
              setIsTold(false);
              setIsDragged(true);
              setMarked({ anchor: at, end: at });
            }}
            onPointerMove={(event) => {
              const at = slotAt(event);
              setIsTold(false);
              setMarked({ anchor: isDragged && marked ? marked.anchor : at, end: at });
            }}
            onPointerUp={() => {
              if (!isDragged) return;
              setIsDragged(false);
              choose();
            }}
            onPointerCancel={() => {
              setIsDragged(false);
              setMarked(null);
            }}
            onPointerLeave={() => {
              if (!isDragged) setMarked(null);
            }}
            style={{ height }}
            className="relative min-w-0 cursor-crosshair touch-pan-y rounded-control bg-sunken"
          >
            <svg
              aria-hidden="true"
              viewBox={`0 0 ${Math.max(1, slots.length) * slotWidth} ${height}`}
              preserveAspectRatio="none"
              className="absolute inset-0 block size-full"
              shapeRendering="crispEdges"
            >
              {slots.map((slot, index) => (
                <Bar
                  key={slot.from}
                  at={index}
                  slot={slot}
                  series={series}
                  most={most}
                  height={height}
                />
              ))}
              {marked && (
                <rect
                  x={first * slotWidth}
                  width={(final - first + 1) * slotWidth}
                  y={0}
                  height={height}
                  className="fill-accent opacity-20"
                />
              )}
            </svg>
          </div>
          <span role="status" className="sr-only">
            {isTold ? told.join(". ") : ""}
          </span>
          {told.length > 0 && (
            <div
              aria-hidden="true"
              style={{
                width: tipWidth,
                top: height + 4,
                left: `clamp(0px, calc(${middle * 100}% - ${tipWidth / 2}px), calc(100% - ${tipWidth}px))`,
              }}
              className="floating pointer-events-none absolute z-30 px-2 py-1 text-xs tabular-nums"
            >
              {told.map((line, index) => (
                <p
                  key={line}
                  className={`m-0 ${index === 0 ? "text-muted" : index === 1 ? "font-medium" : ""}`}
                >
                  {line}
                </p>
              ))}
            </div>
          )}
        </div>
        {onZoomOut && (
          <IconButton
            label="Zoom out"
            icon={<ZoomOut size={14} strokeWidth={1.75} />}
            onClick={onZoomOut}
          />
        )}
      </div>
      <figcaption
        aria-hidden="true"
        className={classNames(
          "flex justify-between gap-2 text-2xs text-muted tabular-nums",
          onZoomOut && "pr-8",
        )}
      >
        {ticks.map((part) => (
          <span key={part} className={part % 0.5 === 0 ? "" : "max-tablet:hidden"}>
            {tickWords(from + (to - from) * part, to - from)}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

interface BarProps {
  at: number;
  slot: StripSlot;
  series: readonly StripSeries[];
  most: number;
  height: number;
}

function Bar({ at, slot, series, most, height }: BarProps) {
  const heights = partHeights(
    series.map(({ id }) => slot.counts[id] ?? 0),
    most,
    height,
  );
  let foot = height;
  return series.map(({ id, className }, index) => {
    const part = heights[index] ?? 0;
    foot -= part;
    return part === 0 ? null : (
      <rect
        key={id}
        x={at * slotWidth + gapWidth / 2}
        width={slotWidth - gapWidth}
        y={foot}
        height={part}
        className={className}
      />
    );
  });
}
