import { useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import "./timeline-chart.css";
import { exactTime } from "../Age.tsx";
import { formatDuration } from "../duration.ts";
import { highestShown, toSeries, type TimelinePoint } from "./timeline-data.ts";

export interface Threshold {
  value: number;
  tone: "warning" | "unhealthy";
  label: string;
}

export interface TimelineChartProps {
  label: string;
  points: readonly TimelinePoint[];
  /** What the horizontal axis covers, epoch ms. */
  from: number;
  to: number;
  height?: number;
  formatValue?: (value: number) => string;
  badWord?: string;
  /** Lines to stay below, drawn across. */
  thresholds?: readonly Threshold[];
  /** A stretch was marked with the pointer. */
  onZoom?: (from: number, to: number) => void;
}

const sync = uPlot.sync("timeline");
const leastZoomMs = 1_000;
const none = null;
const noThresholds: readonly Threshold[] = [];

/** How moments are written along the axis, by the distance of the ticks in seconds (uPlot's own scheme, 24 hours). */
const timeFormats: uPlot.Axis.Values = [
  [31_536_000, "{YYYY}", none, none, none, none, none, none, 1],
  [2_419_200, "{MMM}", "\n{YYYY}", none, none, none, none, none, 1],
  [86_400, "{D} {MMM}", "\n{YYYY}", none, none, none, none, none, 1],
  [60, "{HH}:{mm}", "\n{D} {MMM} {YYYY}", none, "\n{D} {MMM}", none, none, none, 1],
  [1, "{HH}:{mm}:{ss}", "\n{D} {MMM} {YYYY}", none, "\n{D} {MMM}", none, none, none, 1],
  [
    0.001,
    ":{ss}.{fff}",
    "\n{D} {MMM} {HH}:{mm}",
    none,
    "\n{D} {MMM} {HH}:{mm}",
    none,
    "\n{HH}:{mm}",
    none,
    1,
  ],
];

function colours(element: Element) {
  const style = getComputedStyle(element);
  const read = (name: string) => style.getPropertyValue(name).trim();
  return {
    line: read("--accent"),
    bad: read("--unhealthy"),
    warning: read("--warning"),
    grid: read("--border"),
    text: read("--text-muted"),
    ground: read("--surface-raised"),
    font: `11px ${read("--font-interface")}`,
  };
}

/** Lines across the plot, each with its name at the right, below the points that break them. */
function drawLines(
  plot: uPlot,
  ink: ReturnType<typeof colours>,
  thresholds: readonly Threshold[],
): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.lineWidth = window.devicePixelRatio;
  ctx.setLineDash([4 * window.devicePixelRatio, 3 * window.devicePixelRatio]);
  ctx.font = ink.font.replace("11px", `${11 * window.devicePixelRatio}px`);
  ctx.textAlign = "right";
  ctx.textBaseline = "bottom";
  for (const { value, tone, label } of thresholds) {
    const y = Math.round(plot.valToPos(value, "y", true));
    if (y < bbox.top || y > bbox.top + bbox.height) continue;
    ctx.strokeStyle = tone === "warning" ? ink.warning : ink.bad;
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    const { width } = ctx.measureText(label);
    const right = bbox.left + bbox.width;
    // Its name is read above whatever was drawn there.
    ctx.fillStyle = ink.ground;
    ctx.fillRect(
      right - width - 2,
      y - 14 * window.devicePixelRatio,
      width + 2,
      12 * window.devicePixelRatio,
    );
    ctx.fillStyle = ink.text;
    ctx.fillText(label, right, y - 2);
  }
  ctx.restore();
}

/** Values over time on a canvas: a brush to zoom, a crosshair shared by charts of one page, gaps shown as gaps. */
export function TimelineChart(props: TimelineChartProps) {
  const {
    label,
    points,
    from,
    to,
    height = 140,
    formatValue = formatDuration,
    badWord = "Failed",
    thresholds = noThresholds,
  } = props;
  const holder = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const [themeChanges, setThemeChanges] = useState(0);
  const [hovered, setHovered] = useState<number | null>(null);
  const series = useMemo(() => toSeries(points), [points]);

  const zoom = useEffectEvent((start: number, end: number) => {
    if (end - start >= leastZoomMs) props.onZoom?.(start, end);
  });
  const readSeries = useEffectEvent(() => series);
  const readRange = useEffectEvent((): [number, number] => [from / 1_000, to / 1_000]);
  const format = useEffectEvent((value: number) => formatValue(value));
  const readHighest = useEffectEvent((max: number) => highestShown(max, thresholds));
  const drawThresholds = useEffectEvent((plot: uPlot, ink: ReturnType<typeof colours>) =>
    drawLines(plot, ink, thresholds),
  );

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
    const ink = colours(element);
    const start = readSeries();
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
        },
        scales: {
          x: { range: () => readRange() },
          y: { range: (_plot, _min, max) => [0, readHighest(max)] },
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
            // Between very small values the words repeat; each is said once.
            values: (_plot, splits) =>
              splits.map((value, index) => {
                const text = format(value);
                return index > 0 && text === format(splits[index - 1] ?? value) ? "" : text;
              }),
          },
        ],
        series: [
          {},
          { stroke: ink.line, width: 1.25, spanGaps: false, points: { show: false } },
          {
            stroke: ink.bad,
            fill: ink.bad,
            width: 1,
            paths: () => null,
            points: { show: true, size: 6, fill: ink.bad, stroke: ink.bad },
          },
        ],
        hooks: {
          draw: [(at) => drawThresholds(at, ink)],
          setCursor: [(at) => setHovered(at.cursor.idx ?? null)],
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
      [start.times, start.values, start.bad],
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
    chart.current?.setData([series.times, series.values, series.bad]);
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- another range moves the axis even when the points stay, and so may a threshold
  }, [series, from, to, thresholds]);

  const failures = points.filter((point) => point.isBad).length;
  const time = hovered === null ? undefined : series.times[hovered];
  const value = hovered === null ? undefined : series.values[hovered];
  return (
    <figure className="m-0 flex flex-col">
      <div
        ref={holder}
        role="img"
        aria-label={[
          `${label}: ${points.length} points, ${failures} ${badWord.toLowerCase()}`,
          ...thresholds.map((line) => `${line.label} ${formatValue(line.value)}`),
        ].join(", ")}
        style={{ height }}
        className="min-w-0"
      />
      <figcaption aria-hidden="true" className="h-4 pl-14 text-2xs text-muted tabular-nums">
        {time !== undefined && value !== undefined && value !== null
          ? `${exactTime(time * 1_000).split("\n")[0]} · ${formatValue(value)}${series.bad[hovered ?? 0] === null ? "" : ` · ${badWord}`}`
          : props.onZoom && points.length > 1
            ? "Drag to zoom"
            : ""}
      </figcaption>
    </figure>
  );
}
