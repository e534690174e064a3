import { ZoomOut } from "lucide-react";
import { type KeyboardEvent, useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import "./timeline-chart.css";
import { Button } from "../Button.tsx";
import { formatDuration } from "../duration.ts";
import {
  drawCounts,
  drawRuns,
  drawSpans,
  drawThresholds,
  type Ink,
  inkOf,
  lanePart,
  type Threshold,
} from "./draw-timeline.ts";
import { type ChartWords, chartWords, pointWords } from "./point-words.ts";
import { timeFormats } from "./time-axis.ts";
import { highestShown, spansOf, type TimelinePoint, toSeries } from "./timeline-data.ts";

export type { Threshold } from "./draw-timeline.ts";

export interface TimelineChartProps {
  label: string;
  /** Runs, or buckets of them. */
  points: readonly TimelinePoint[];
  /** What the horizontal axis covers, epoch ms. */
  from: number;
  to: number;
  /** Until when the last point counts; nobody knows what came after that. */
  knownTo?: number | undefined;
  height?: number;
  formatValue?: (value: number) => string;
  words?: ChartWords;
  /** What is said where there are no points. */
  empty?: string;
  /** Lines to stay below, drawn across. */
  thresholds?: readonly Threshold[];
  /** A stretch was marked, with the pointer or the keyboard. */
  onZoom?: (from: number, to: number) => void;
  /** Back to what was shown before; there when something was. */
  onZoomOut?: (() => void) | undefined;
}

const sync = uPlot.sync("timeline");
const leastZoomMs = 1_000;
const noThresholds: readonly Threshold[] = [];
const usualWords: ChartWords = { good: "Passed", bad: "Failed", unknown: "Could not be tried" };
/** Of the plot, what a point without a width of its own is zoomed to. */
const zoomPart = 0.1;
const tipWidth = 260;

/** Between very small values the words repeat; each is said once. Below no time at all are counts, not times. */
const valueNames = (splits: readonly number[], format: (value: number) => string) =>
  splits.map((value, index) => {
    const text = value < 0 ? "" : format(value);
    return index > 0 && text === format(splits[index - 1] ?? value) ? "" : text;
  });

/**
 * Runs over time on a canvas, or buckets of them: a brush to zoom, a crosshair shared by charts of one page, gaps shown
 * as gaps. With the keyboard: the arrows go from point to point and say them, Enter zooms in, Escape out.
 */
export function TimelineChart(props: TimelineChartProps) {
  const { label, points, from, to, knownTo, height = 140, formatValue = formatDuration } = props;
  const { words = usualWords, thresholds = noThresholds, onZoomOut } = props;
  const frame = useRef<HTMLDivElement>(null);
  const holder = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const [themeChanges, setThemeChanges] = useState(0);
  const [hovered, setHovered] = useState<{ index: number; left: number; isTold: boolean } | null>(
    null,
  );
  const series = useMemo(() => toSeries(points), [points]);
  const spans = useMemo(
    () => spansOf(points, { from, to, ...(knownTo !== undefined && { knownTo }) }),
    [points, from, to, knownTo],
  );
  const hasBuckets = points.some(({ bucket }) => bucket !== undefined);

  const zoom = useEffectEvent((start: number, end: number) => {
    if (end - start >= leastZoomMs) props.onZoom?.(start, end);
  });
  const zoomOut = useEffectEvent(() => onZoomOut?.());
  const readSeries = useEffectEvent((): uPlot.AlignedData => [
    series.times,
    series.values,
    series.p95,
    series.max,
  ]);
  const readRange = useEffectEvent((): [number, number] => [from / 1_000, to / 1_000]);
  const readValues = useEffectEvent((splits: readonly number[]) => valueNames(splits, formatValue));
  const readHeights = useEffectEvent((max: number): [number, number] => {
    const highest = highestShown(max, thresholds);
    return [hasBuckets ? (-highest * lanePart) / (1 - lanePart) : 0, highest];
  });
  const drawGround = useEffectEvent((plot: uPlot, ink: Ink) => drawSpans(plot, ink, spans));
  const drawMarks = useEffectEvent((plot: uPlot, ink: Ink) => {
    drawThresholds(plot, ink, thresholds);
    if (hasBuckets) drawCounts(plot, ink, series.points);
    else drawRuns(plot, ink, series.points);
  });
  const hover = useEffectEvent((plot: uPlot) => {
    const index = plot.cursor.idx;
    const isOut = index === null || index === undefined || (plot.cursor.left ?? -1) < 0;
    setHovered(isOut ? null : { index, left: tipLeft(plot, index), isTold: false });
  });
  const onEscape = useEffectEvent((event: globalThis.KeyboardEvent) => {
    if (event.key !== "Escape" || !onZoomOut) return;
    // What is around would close.
    event.preventDefault();
    event.stopPropagation();
    onZoomOut();
  });

  useEffect(() => {
    const watcher = new MutationObserver(() => setThemeChanges((count) => count + 1));
    watcher.observe(document.documentElement, {
      attributes: true,
      attributeFilter: ["data-theme"],
    });
    return () => watcher.disconnect();
  }, []);

  useEffect(() => {
    const element = frame.current;
    const listen = (event: globalThis.KeyboardEvent) => onEscape(event);
    element?.addEventListener("keydown", listen);
    return () => element?.removeEventListener("keydown", listen);
  }, []);

  useEffect(() => {
    const element = holder.current;
    if (!element) return;
    const ink = inkOf(element);
    const edge = { stroke: ink.line, alpha: 0.55, width: 1, spanGaps: false };
    const plot = new uPlot(
      {
        width: Math.max(80, element.clientWidth),
        height,
        legend: { show: false },
        // Room for half of the last moment's name.
        padding: [8, 28, 0, 0],
        cursor: {
          sync: { key: sync.key },
          drag: { x: true, y: false, setScale: false },
          points: { size: 6 },
          bind: {
            dblclick: () => () => {
              zoomOut();
              return null;
            },
          },
        },
        scales: {
          x: { range: () => readRange() },
          y: { range: (_plot, _min, max) => readHeights(max) },
        },
        axes: [
          {
            stroke: ink.text,
            font: ink.font,
            values: timeFormats,
            grid: { show: false },
            ticks: { stroke: ink.grid, width: 1, size: 4 },
          },
          {
            stroke: ink.text,
            font: ink.font,
            size: 56,
            grid: { stroke: ink.grid, width: 1 },
            ticks: { show: false },
            filter: (_plot, splits) => splits.map((value) => (value < 0 ? null : value)),
            values: (_plot, splits) => readValues(splits),
          },
        ],
        series: [
          {},
          { stroke: ink.line, width: 1.5, spanGaps: false, points: { show: false } },
          { ...edge, points: { show: false } },
          { ...edge, points: { show: false } },
        ],
        bands: [{ series: [3, 2], fill: `color-mix(in oklch, ${ink.line} 28%, transparent)` }],
        hooks: {
          drawClear: [(at) => drawGround(at, ink)],
          draw: [(at) => drawMarks(at, ink)],
          setCursor: [(at) => hover(at)],
          setSelect: [
            (at) => {
              if (at.select.width < 4) return;
              zoom(
                at.posToVal(at.select.left, "x") * 1_000,
                at.posToVal(at.select.left + at.select.width, "x") * 1_000,
              );
              at.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            },
          ],
        },
      },
      readSeries(),
      element,
    );
    chart.current = plot;
    sync.sub(plot);
    const resizer = new ResizeObserver(() => {
      if (element.clientWidth > 0) plot.setSize({ width: element.clientWidth, height });
    });
    resizer.observe(element);
    return () => {
      resizer.disconnect();
      sync.unsub(plot);
      plot.destroy();
      chart.current = null;
    };
    // A canvas takes its colours when it is made: another theme needs another canvas.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- as said; the rest is read when it is drawn
  }, [height, themeChanges]);

  useEffect(() => {
    chart.current?.setData([series.times, series.values, series.p95, series.max]);
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- another range moves the axis even when the points stay, and so may a threshold
  }, [series, spans, from, to, thresholds]);

  const showPoint = (index: number) => {
    const plot = chart.current;
    const time = series.times[index];
    if (!plot || time === undefined) return;
    const left = plot.valToPos(time, "x");
    plot.setCursor({ left, top: plot.valToPos(series.values[index] ?? 0, "y") }, false);
    setHovered({ index, left: tipLeft(plot, index), isTold: true });
  };
  const move = (step: 1 | -1) => {
    let index = hovered ? hovered.index + step : step > 0 ? 0 : series.points.length - 1;
    while (series.points[index] === null) index += step;
    showPoint(Math.min(series.points.length - 1, Math.max(0, index)));
  };
  const point = hovered ? (series.points[hovered.index] ?? null) : null;
  const onKeyDown = (event: KeyboardEvent) => {
    const actions: Record<string, () => void> = {
      ArrowRight: () => move(1),
      ArrowLeft: () => move(-1),
      Home: () => showPoint(0),
      End: () => showPoint(series.points.length - 1),
      Enter: () => {
        if (!point) return;
        const part = (to - from) * zoomPart;
        const bucket = point.bucket ?? { from: point.time - part / 2, to: point.time + part / 2 };
        if (bucket.to - bucket.from >= leastZoomMs)
          props.onZoom?.(Math.max(from, bucket.from), Math.min(to, bucket.to));
      },
    };
    const action = event.target === event.currentTarget ? actions[event.key] : undefined;
    if (!action || series.points.length === 0) return;
    event.preventDefault();
    action();
  };

  const lines = point ? pointWords(point, words, formatValue) : [];
  return (
    <figure className="m-0 flex flex-col">
      <div ref={frame} className="relative min-w-0">
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- arrows go through what it shows */}
        <div
          ref={holder}
          role="group"
          aria-roledescription="chart"
          aria-label={[
            `${label}. ${chartWords(points, spans, { words, from, to })}`,
            ...thresholds.map((line) => `${line.label} ${formatValue(line.value)}.`),
          ].join(" ")}
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- as said
          tabIndex={0}
          onKeyDown={onKeyDown}
          onPointerDown={(event) =>
            event.currentTarget.focus({ preventScroll: true, focusVisible: false })
          }
          onBlur={() => setHovered(null)}
          style={{ height }}
          className="min-w-0 rounded-control"
        />
        {points.length === 0 && props.empty !== undefined && (
          <p className="pointer-events-none absolute inset-x-0 top-8 m-0 text-center text-sm text-muted">
            {props.empty}
          </p>
        )}
        <span role="status" className="sr-only">
          {hovered?.isTold ? lines.join(". ") : ""}
        </span>
        {lines.length > 0 && hovered && (
          <div
            aria-hidden="true"
            style={{ left: hovered.left, width: tipWidth }}
            className="floating pointer-events-none absolute top-1 z-10 px-2 py-1 text-xs break-words tabular-nums"
          >
            {lines.map((line, index) => (
              <p
                key={index}
                className={`m-0 line-clamp-3 ${index === 0 ? "text-muted" : index === 1 ? "font-medium" : ""}`}
              >
                {line}
              </p>
            ))}
          </div>
        )}
        {onZoomOut && (
          <span className="absolute top-0 left-16 z-10">
            <Button icon={<ZoomOut size={14} strokeWidth={1.75} />} onClick={onZoomOut}>
              Zoom out
            </Button>
          </span>
        )}
      </div>
      <figcaption
        aria-hidden="true"
        className="flex min-h-4 flex-wrap gap-x-3 pl-14 text-2xs text-muted"
      >
        {points.length > 0 &&
          (hasBuckets ? (
            <>
              <span>line: mean</span>
              <span>band: p95 to longest</span>
              <span>bars: runs, failed ones at the foot</span>
            </>
          ) : (
            <span>● passed, × failed</span>
          ))}
        {props.onZoom && points.length > 1 && (
          <span>{onZoomOut ? "drag to zoom, double click back" : "drag to zoom"}</span>
        )}
      </figcaption>
    </figure>
  );
}

/** Where a tip stands: beside its point, on the side with room. */
function tipLeft(plot: uPlot, index: number): number {
  const at = plot.over.offsetLeft + plot.valToPos(plot.data[0][index] ?? 0, "x");
  const isRight = at + 12 + tipWidth <= plot.width;
  return Math.max(0, isRight ? at + 12 : at - 12 - tipWidth);
}
