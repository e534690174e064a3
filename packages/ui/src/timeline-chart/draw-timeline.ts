import type uPlot from "uplot";
import type { Span, TimelinePoint } from "./timeline-data.ts";

export interface Threshold {
  value: number;
  tone: "warning" | "unhealthy";
  label: string;
}

/** Of the plot's height, what counts of runs take below the line of no time at all. */
export const lanePart = 0.24;

export function inkOf(element: Element) {
  const style = getComputedStyle(element);
  const read = (name: string) => style.getPropertyValue(name).trim();
  return {
    line: read("--accent"),
    good: read("--healthy"),
    bad: read("--unhealthy"),
    unknown: read("--unknown"),
    warning: read("--warning"),
    grid: read("--border"),
    text: read("--text-muted"),
    ground: read("--surface-raised"),
    font: `11px ${read("--font-interface")}`,
  };
}
export type Ink = ReturnType<typeof inkOf>;

const ratio = () => window.devicePixelRatio;
const hatchStep = 6;

/** Stretches in which all failed, and those of which nobody knows: one a plain ground, the other hatched. */
export function drawSpans(plot: uPlot, ink: Ink, spans: readonly Span[]): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  for (const { kind, from, to } of spans) {
    const left = plot.valToPos(from / 1_000, "x", true);
    const width = Math.max(ratio(), plot.valToPos(to / 1_000, "x", true) - left);
    ctx.globalAlpha = kind === "bad" ? 0.14 : 0.1;
    ctx.fillStyle = kind === "bad" ? ink.bad : ink.unknown;
    ctx.fillRect(left, bbox.top, width, bbox.height);
    if (kind === "bad") continue;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, bbox.top, width, bbox.height);
    ctx.clip();
    ctx.globalAlpha = 0.35;
    ctx.strokeStyle = ink.unknown;
    ctx.lineWidth = ratio();
    ctx.beginPath();
    for (let x = left - bbox.height; x < left + width; x += hatchStep * ratio()) {
      ctx.moveTo(x, bbox.top + bbox.height);
      ctx.lineTo(x + bbox.height, bbox.top);
    }
    ctx.stroke();
    ctx.restore();
  }
  ctx.restore();
}

/** Lines across the plot, each with its name at the left. */
export function drawThresholds(plot: uPlot, ink: Ink, thresholds: readonly Threshold[]): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.lineWidth = ratio();
  ctx.setLineDash([4 * ratio(), 3 * ratio()]);
  ctx.font = ink.font.replace("11px", `${11 * ratio()}px`);
  ctx.textAlign = "left";
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
    // Its name is read above whatever was drawn there, at the end where the oldest stands.
    const left = bbox.left + 2 * ratio();
    ctx.fillStyle = ink.ground;
    ctx.fillRect(left, y - 14 * ratio(), width + 2, 12 * ratio());
    ctx.fillStyle = ink.text;
    ctx.fillText(label, left, y - 2);
  }
  ctx.restore();
}

/** A mark for each run: what passed is a dot, what failed a cross, what could not be tried a ring on the floor. */
export function drawRuns(plot: uPlot, ink: Ink, points: readonly (TimelinePoint | null)[]): void {
  const { ctx } = plot;
  const size = (points.length > 150 ? 2.5 : 3.5) * ratio();
  ctx.save();
  for (const point of points) {
    if (!point || point.bucket) continue;
    const x = plot.valToPos(point.time / 1_000, "x", true);
    const y = plot.valToPos(point.state === "unknown" ? 0 : point.value, "y", true);
    ctx.beginPath();
    if (point.state === "bad") {
      const arm = size * 1.2;
      ctx.strokeStyle = ink.bad;
      ctx.lineWidth = 2 * ratio();
      ctx.moveTo(x - arm, y - arm);
      ctx.lineTo(x + arm, y + arm);
      ctx.moveTo(x + arm, y - arm);
      ctx.lineTo(x - arm, y + arm);
      ctx.stroke();
    } else if (point.state === "unknown") {
      ctx.strokeStyle = ink.unknown;
      ctx.lineWidth = 1.5 * ratio();
      ctx.arc(x, y, size, 0, 2 * Math.PI);
      ctx.stroke();
    } else {
      ctx.fillStyle = ink.good;
      ctx.arc(x, y, size, 0, 2 * Math.PI);
      ctx.fill();
    }
  }
  ctx.restore();
}

/** How many ran in each bucket, as bars under the line of no time: those that failed at their foot. */
export function drawCounts(plot: uPlot, ink: Ink, points: readonly (TimelinePoint | null)[]): void {
  const { ctx, bbox } = plot;
  const all = points.flatMap((point) => (point?.bucket ? [point.bucket] : []));
  const most = Math.max(1, ...all.map(({ good, bad, unknown }) => good + bad + unknown));
  const floor = bbox.top + bbox.height;
  const room = floor - plot.valToPos(0, "y", true) - 4 * ratio();
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  for (const bucket of all) {
    const left = plot.valToPos(bucket.from / 1_000, "x", true);
    const whole = plot.valToPos(bucket.to / 1_000, "x", true) - left;
    const width = Math.max(ratio(), whole - (whole > 4 * ratio() ? ratio() : 0));
    let bottom = floor;
    for (const [count, colour] of [
      [bucket.bad, ink.bad],
      [bucket.unknown, ink.unknown],
      [bucket.good, ink.good],
    ] as const) {
      if (count === 0) continue;
      // One failure among very many is still seen.
      const tall = Math.max(2 * ratio(), (count / most) * room);
      ctx.fillStyle = colour;
      ctx.globalAlpha = colour === ink.good ? 0.55 : 1;
      ctx.fillRect(left, bottom - tall, width, tall);
      bottom -= tall;
    }
  }
  ctx.restore();
}
