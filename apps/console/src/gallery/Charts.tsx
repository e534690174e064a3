import { useState } from "react";
import { formatDuration } from "@mainstay/ui/duration.ts";
import { type Threshold, TimelineChart } from "@mainstay/ui/timeline-chart/TimelineChart.tsx";
import type { TimelinePoint } from "@mainstay/ui/timeline-chart/timeline-data.ts";
import { Button } from "@mainstay/ui/Button.tsx";
import { Show } from "./Show.tsx";

const start = Date.UTC(2026, 8, 1);
const hour = 3_600_000;
// Two hours in which nothing was measured, and some failures.
const points: TimelinePoint[] = Array.from({ length: 1_440 }, (_, index) => ({
  time: start + index * 60_000,
  value: 60 + 30 * Math.sin(index / 40) + ((index * 7919) % 23),
  state: index % 301 === 7 ? ("bad" as const) : ("good" as const),
})).filter((_, index) => index < 600 || index > 720);
const thresholds: Threshold[] = [
  { value: 75, tone: "warning", label: "Slow" },
  { value: 130, tone: "unhealthy", label: "Too slow" },
];
const whole = { from: start, to: start + 24 * hour };

export function Charts() {
  const [range, setRange] = useState(whole);
  return (
    <Show title="Timeline chart">
      <TimelineChart
        label="Latency"
        points={points}
        from={range.from}
        to={range.to}
        formatValue={formatDuration}
        onZoom={(from, to) => setRange({ from, to })}
        thresholds={thresholds}
      />
      <div>
        <Button onClick={() => setRange(whole)}>Whole day</Button>
      </div>
      <TimelineChart label="Nothing measured" points={[]} from={whole.from} to={whole.to} />
    </Show>
  );
}
