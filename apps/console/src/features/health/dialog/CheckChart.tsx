import type { UseQueryResult } from "@tanstack/react-query";
import { Suspense, useMemo } from "react";
import type { GraphPoint, GraphRun, HealthGraph } from "@mainstay/contract/health.ts";
import { classNames } from "@mainstay/ui/class-names.ts";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import type { Threshold } from "@mainstay/ui/timeline-chart/TimelineChart.tsx";
import type { TimelinePoint } from "@mainstay/ui/timeline-chart/timeline-data.ts";
import type { TimeRange } from "@mainstay/ui/time-range/time-range.ts";
import { messageOf } from "#lib/api-error.ts";
import { serverTime } from "../check/server-time.ts";

const TimelineChart = lazyPart(() =>
  import("@mainstay/ui/timeline-chart/TimelineChart.tsx").then((module) => module.TimelineChart),
);

const height = 160;
const noPoints: readonly TimelinePoint[] = [];

const ofRun = ({ time, status, duration, message }: GraphRun): TimelinePoint => ({
  time: serverTime(time),
  value: duration,
  state: status === null ? "unknown" : status ? "good" : "bad",
  message,
});

const ofPoint =
  ({ before, after }: HealthGraph["window"]) =>
  (point: GraphPoint): TimelinePoint => {
    const { passed, failed, unknown = 0, duration, p95, max } = point;
    const time = serverTime(point.time);
    return {
      time,
      value: duration,
      state: failed > 0 ? "bad" : passed > 0 ? "good" : "unknown",
      message: point.message,
      bucket: {
        from: time - before,
        to: time + after,
        good: passed,
        bad: failed,
        unknown,
        p95,
        max,
      },
    };
  };

/** Its runs where they are few, else what they come to in stretches of time. */
export const pointsOf = (graph: HealthGraph): readonly TimelinePoint[] =>
  (graph.runs?.map(ofRun) ?? graph.status.map(ofPoint(graph.window))).filter(
    ({ time }) => !Number.isNaN(time),
  );

export interface CheckChartProps {
  graph: UseQueryResult<HealthGraph>;
  /** What its document wants it to stay below, in milliseconds. */
  thresholdMs: number | undefined;
  onZoom: (range: TimeRange) => void;
  onZoomOut: (() => void) | undefined;
}

/** How long the runs took and how they ended, over the very range that the header and the list are of. */
export function CheckChart({ graph, thresholdMs, onZoom, onZoomOut }: CheckChartProps) {
  const { data, error, isPlaceholderData } = graph;
  const points = useMemo(() => (data ? pointsOf(data) : noPoints), [data]);
  const thresholds = useMemo(
    (): Threshold[] =>
      thresholdMs === undefined
        ? []
        : [{ value: thresholdMs, tone: "unhealthy", label: "threshold" }],
    [thresholdMs],
  );
  // What is held, paused or stale is not known any more since its last run.
  const isKnown = data?.stale === undefined && data?.now.held === undefined && !data?.now.paused;
  const knownTo = isKnown ? undefined : serverTime(data?.now.last_runtime);

  return (
    <div
      className={classNames("shrink-0 px-2 pb-1", isPlaceholderData && "opacity-60")}
      style={{ minHeight: height + 20 }}
    >
      {error && !data ? (
        <p role="alert" className="m-0 px-2 py-6 text-sm text-unhealthy-fg">
          The graph could not be loaded: {messageOf(error)}
        </p>
      ) : data ? (
        <Suspense fallback={<div className="skeleton mx-2" style={{ height }} />}>
          <TimelineChart
            label="Duration of runs"
            empty="No results in this range."
            points={points}
            from={serverTime(data.range.start)}
            to={serverTime(data.range.end)}
            knownTo={knownTo}
            height={height}
            thresholds={thresholds}
            onZoom={(from, to) =>
              onZoom({
                kind: "absolute",
                from: new Date(from).toISOString(),
                to: new Date(to).toISOString(),
              })
            }
            onZoomOut={onZoomOut}
          />
        </Suspense>
      ) : (
        <div className="skeleton mx-2" style={{ height }} />
      )}
    </div>
  );
}
