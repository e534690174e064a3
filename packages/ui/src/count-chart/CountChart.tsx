import { type KeyboardEvent, useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import "../timeline-chart/timeline-chart.css";
import { timeFormats } from "../timeline-chart/time-axis.ts";
import { barWords, chartWords, type CountBar, type CountKind, sumOf } from "./counts.ts";

export interface CountChartProps {
  label: string;
  /** What is counted: `lines`. */
  noun: string;
  /** Those that hold any, in order of time. */
  bars: readonly CountBar[];
  kinds: readonly CountKind[];
  /** What the horizontal axis covers, epoch ms. */
  from: number;
  to: number;
  height: number;
  /** A stretch was marked, with the pointer or the keyboard. */
  onZoom: (from: number, to: number) => void;
  /** Back to what was shown before; there when something was. */
  onZoomOut?: (() => void) | undefined;
}

const leastZoomMs = 10;
const tipWidth = 220;
const axisWidth = 44;
const ratio = () => window.devicePixelRatio;
const short = new Intl.NumberFormat("en-GB", { notation: "compact" });

function drawBars(plot: uPlot, bars: readonly CountBar[], inks: ReadonlyMap<string, CountKind>) {
  const { ctx, bbox } = plot;
  const floor = plot.valToPos(0, "y", true);
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  for (const bar of bars) {
    const left = plot.valToPos(bar.from / 1000, "x", true);
    const whole = plot.valToPos(bar.to / 1000, "x", true) - left;
    const width = Math.max(ratio(), whole - (whole > 4 * ratio() ? ratio() : 0));
    let bottom = floor;
    for (const { kind, count } of bar.parts) {
      if (count === 0) continue;
      // One among very many is still seen.
      const tall = Math.max(ratio(), floor - plot.valToPos(count, "y", true));
      const ink = inks.get(kind);
      ctx.fillStyle = ink?.ink ?? "";
      ctx.globalAlpha = ink?.opacity ?? 1;
      ctx.fillRect(left, bottom - tall, width, tall);
      bottom -= tall;
    }
  }
  ctx.restore();
}

/** Beside the bar, at the side where there is room. */
function tipLeft(plot: uPlot, bar: CountBar | undefined): number {
  if (!bar) return 0;
  const left = plot.valToPos((bar.from + bar.to) / 2000, "x") + axisWidth + 12;
  return left + tipWidth > plot.width ? Math.max(0, left - tipWidth - 24) : left;
}

/**
 * How many there were of each kind over time, as stacked bars on a canvas, with a brush to zoom. With the keyboard: the
 * arrows go from bar to bar and say them, with Shift they mark a stretch; Enter zooms in, Escape out.
 */
export function CountChart(props: CountChartProps) {
  const { label, noun, bars, kinds, from, to, height, onZoomOut } = props;
  const holder = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const [themeChanges, setThemeChanges] = useState(0);
  const [hovered, setHovered] = useState<{ index: number; left: number; isTold: boolean } | null>(
    null,
  );
  /** Where a stretch that is marked with the keyboard began. */
  const [markedFrom, setMarkedFrom] = useState<number | null>(null);
  const sums = useMemo(() => bars.map(sumOf), [bars]);

  const zoom = useEffectEvent((start: number, end: number) => {
    const [first, last] = [Math.max(from, start), Math.min(to, end)];
    if (last - first >= leastZoomMs) props.onZoom(Math.floor(first), Math.ceil(last));
  });
  const zoomOut = useEffectEvent(() => onZoomOut?.());
  const readSeries = useEffectEvent((): uPlot.AlignedData => [
    bars.map((bar) => (bar.from + bar.to) / 2000),
    sums,
  ]);
  const readRange = useEffectEvent((): [number, number] => [from / 1000, to / 1000]);
  const draw = useEffectEvent((plot: uPlot, inks: ReadonlyMap<string, CountKind>) =>
    drawBars(plot, bars, inks),
  );
  const inksOf = useEffectEvent(
    (style: CSSStyleDeclaration) =>
      new Map(
        kinds.map((kind) => [kind.id, { ...kind, ink: style.getPropertyValue(kind.ink).trim() }]),
      ),
  );
  const hover = useEffectEvent((plot: uPlot) => {
    const { left = -1 } = plot.cursor;
    const at = plot.posToVal(left, "x") * 1000;
    const index = left < 0 ? -1 : bars.findIndex((bar) => at >= bar.from && at < bar.to);
    setHovered(index < 0 ? null : { index, left: tipLeft(plot, bars[index]), isTold: false });
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
    const element = holder.current;
    if (!element) return;
    const style = getComputedStyle(element);
    const read = (name: string) => style.getPropertyValue(name).trim();
    const inks = inksOf(style);
    const font = `11px ${read("--font-interface")}`;
    const plot = new uPlot(
      {
        width: Math.max(80, element.clientWidth),
        height,
        legend: { show: false },
        padding: [6, 16, 0, 0],
        cursor: {
          y: false,
          drag: { x: true, y: false, setScale: false },
          points: { show: false },
          bind: {
            dblclick: () => () => {
              zoomOut();
              return null;
            },
          },
        },
        scales: {
          x: { range: () => readRange() },
          y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.08)] },
        },
        axes: [
          {
            stroke: read("--text-muted"),
            font,
            values: timeFormats,
            grid: { show: false },
            ticks: { stroke: read("--border"), width: 1, size: 4 },
          },
          {
            stroke: read("--text-muted"),
            font,
            size: axisWidth,
            grid: { stroke: read("--border"), width: 1 },
            ticks: { show: false },
            values: (_plot, splits) =>
              splits.map((value) => (Number.isInteger(value) ? short.format(value) : "")),
          },
        ],
        series: [{}, { show: true, paths: () => null, points: { show: false } }],
        hooks: {
          draw: [(at) => draw(at, inks)],
          setCursor: [(at) => hover(at)],
          setSelect: [
            (at) => {
              if (at.select.width < 4) return;
              zoom(
                at.posToVal(at.select.left, "x") * 1000,
                at.posToVal(at.select.left + at.select.width, "x") * 1000,
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
    const resizer = new ResizeObserver(() => {
      if (element.clientWidth > 0) plot.setSize({ width: element.clientWidth, height });
    });
    resizer.observe(element);
    return () => {
      resizer.disconnect();
      plot.destroy();
      chart.current = null;
    };
    // A canvas takes its colours when it is made: another theme needs another canvas.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- as said; the rest is read when it is drawn
  }, [height, themeChanges]);

  useEffect(() => {
    chart.current?.setData([bars.map((bar) => (bar.from + bar.to) / 2000), sums]);
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- another range moves the axis even when the bars stay
  }, [bars, sums, from, to]);

  const show = (index: number, isMarking: boolean) => {
    const plot = chart.current;
    const bar = bars[index];
    if (!plot || !bar) return;
    const start = isMarking ? (markedFrom ?? hovered?.index ?? index) : null;
    setMarkedFrom(start);
    plot.setCursor({ left: plot.valToPos((bar.from + bar.to) / 2000, "x"), top: 0 }, false);
    const [first, last] = [
      bars[Math.min(start ?? index, index)],
      bars[Math.max(start ?? index, index)],
    ];
    const left = first ? plot.valToPos(first.from / 1000, "x") : 0;
    const right = last ? plot.valToPos(last.to / 1000, "x") : 0;
    plot.setSelect(
      start === null
        ? { left: 0, top: 0, width: 0, height: 0 }
        : { left, top: 0, width: right - left, height: plot.over.clientHeight },
      false,
    );
    setHovered({ index, left: tipLeft(plot, bar), isTold: true });
  };
  const step = (by: 1 | -1, isMarking: boolean) => {
    const next = hovered ? hovered.index + by : by > 0 ? 0 : bars.length - 1;
    show(Math.min(bars.length - 1, Math.max(0, next)), isMarking);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    const actions: Record<string, () => void> = {
      ArrowRight: () => step(1, event.shiftKey),
      ArrowLeft: () => step(-1, event.shiftKey),
      Home: () => show(0, event.shiftKey),
      End: () => show(bars.length - 1, event.shiftKey),
      Enter: () => {
        if (!hovered) return;
        const ends = [hovered.index, markedFrom ?? hovered.index];
        const [first, last] = [bars[Math.min(...ends)], bars[Math.max(...ends)]];
        setMarkedFrom(null);
        chart.current?.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        if (first && last) zoom(first.from, last.to);
      },
      ...(onZoomOut && { Escape: onZoomOut }),
    };
    const action = actions[event.key];
    if (!action || (bars.length === 0 && event.key !== "Escape")) return;
    event.preventDefault();
    action();
  };

  const bar = hovered ? bars[hovered.index] : undefined;
  const words = bar ? barWords(bar, kinds) : [];
  return (
    <div className="relative min-w-0">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- arrows go through what it shows */}
      <div
        ref={holder}
        role="group"
        aria-roledescription="chart"
        aria-label={`${label}. ${chartWords(bars, noun)}`}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- as said
        tabIndex={0}
        onKeyDown={onKeyDown}
        onBlur={() => {
          setHovered(null);
          setMarkedFrom(null);
        }}
        style={{ height }}
        className="min-w-0 rounded-control"
      />
      <span role="status" className="sr-only">
        {hovered?.isTold ? words.join(". ") : ""}
      </span>
      {words.length > 0 && (
        <div
          aria-hidden="true"
          style={{ left: hovered?.left, width: tipWidth }}
          className="floating pointer-events-none absolute top-1 z-30 px-2 py-1 text-xs tabular-nums"
        >
          {words.map((line, index) => (
            <p key={line} className={`m-0 ${index === 0 ? "text-muted" : ""}`}>
              {line}
            </p>
          ))}
        </div>
      )}
    </div>
  );
}
