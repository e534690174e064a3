import { useReactFlow, useStore } from "@xyflow/react";
import { type PointerEvent, useEffect, useRef, useState } from "react";
import type { PlacedGraph } from "./layout/plan-layout.ts";

const size = { width: 168, height: 112 };
const margin = 6;

const tokens: Readonly<Record<string, string>> = {
  unhealthy: "--unhealthy",
  warning: "--warning",
  healthy: "--healthy",
  unknown: "--unknown",
  info: "--info",
};

/** The whole graph, small, and which part of it is on the screen; pressed or dragged it goes there. */
export function GraphMinimap({ placed }: { placed: PlacedGraph }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { setCenter, getZoom } = useReactFlow();
  const [themeChanges, setThemeChanges] = useState(0);
  const scale = Math.min(
    (size.width - 2 * margin) / Math.max(1, placed.width),
    (size.height - 2 * margin) / Math.max(1, placed.height),
    0.2,
  );
  const left = (size.width - placed.width * scale) / 2;
  const top = (size.height - placed.height * scale) / 2;

  useEffect(() => {
    const watcher = new MutationObserver(() => setThemeChanges((count) => count + 1));
    watcher.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => watcher.disconnect();
  }, []);
  useEffect(() => {
    const pen = canvas.current?.getContext("2d");
    if (!canvas.current || !pen) return;
    const ratio = window.devicePixelRatio || 1;
    canvas.current.width = size.width * ratio;
    canvas.current.height = size.height * ratio;
    const style = getComputedStyle(canvas.current);
    pen.scale(ratio, ratio);
    for (const { card, x, y, width, height } of placed.cards.values()) {
      const tone = card.type === "node" ? card.node.tone : card.tones[0]?.[0];
      pen.fillStyle = style.getPropertyValue((tone && tokens[tone]) ?? "--border-control");
      pen.fillRect(
        left + x * scale,
        top + y * scale,
        Math.max(1, width * scale),
        Math.max(1, height * scale),
      );
    }
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- a canvas takes its colours when it is drawn
  }, [placed, scale, left, top, themeChanges]);

  const goTo = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    void setCenter(
      (event.clientX - box.left - left) / scale,
      (event.clientY - box.top - top) / scale,
      { zoom: getZoom() },
    );
  };
  return (
    // What it does is done with the keyboard by going from card to card.
    <div
      aria-hidden="true"
      className="graph-minimap"
      style={size}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        goTo(event);
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) goTo(event);
      }}
    >
      <canvas ref={canvas} style={size} />
      <ViewMark scale={scale} left={left} top={top} />
    </div>
  );
}

function ViewMark({ scale, left, top }: { scale: number; left: number; top: number }) {
  const [x, y, zoom] = useStore((state) => state.transform);
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const ratio = scale / zoom;
  return (
    <span
      className="graph-minimap-view"
      style={{
        width: width * ratio,
        height: height * ratio,
        transform: `translate(${left - x * ratio}px, ${top - y * ratio}px)`,
      }}
    />
  );
}
