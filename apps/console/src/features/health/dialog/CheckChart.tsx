import type { UseQueryResult } from "@tanstack/react-query";
import { lazy, Suspense, useMemo } from "react";
import type { HealthGraph } from "@mainstay/contract/health.ts";
import { classNames } from "@mainstay/ui/class-names.ts";
import { resolveRange, type TimeRange } from "@mainstay/ui/time-range/time-range.ts";
import { messageOf } from "#lib/api-error.ts";
import { serverTime } from "../check/server-time.ts";

const TimelineChart = lazy(() =>
  import("@mainstay/ui/timeline-chart/TimelineChart.tsx").then((module) => ({
    default: module.TimelineChart,
  })),
);

const height = 150;

export interface CheckChartProps {
  graph: UseQueryResult<HealthGraph>;
  range: TimeRange;
  onZoom: (range: TimeRange) => void;
}

/** How long the runs took, failures marked, stretches without results left open. */
export function CheckChart({ graph, range, onZoom }: CheckChartProps) {
  const { data, dataUpdatedAt, error, isPlaceholderData } = graph;
  const points = useMemo(
    () =>
      (data?.status ?? [])
        .map((point) => ({
          time: serverTime(point.time),
          value: point.duration ?? 0,
          isBad: !point.status,
        }))
        .filter((point) => !Number.isNaN(point.time)),
    [data],
  );
  const ends = useMemo(
    () => (dataUpdatedAt === 0 ? undefined : resolveRange(range, dataUpdatedAt)),
    [range, dataUpdatedAt],
  );
  return (
    <div
      className={classNames("px-2 pb-1", isPlaceholderData && "opacity-60")}
      style={{ minHeight: height + 20 }}
    >
      {error && !data ? (
        <p role="alert" className="m-0 px-2 py-6 text-sm text-unhealthy-fg">
          The graph could not be loaded: {messageOf(error)}
        </p>
      ) : data && points.length === 0 ? (
        <p className="m-0 px-2 py-14 text-center text-sm text-muted">No results in this range.</p>
      ) : data && ends ? (
        <Suspense fallback={<div className="skeleton mx-2" style={{ height }} />}>
          <TimelineChart
            label="Duration of runs"
            points={points}
            from={ends.from}
            to={ends.to}
            height={height}
            onZoom={(from, to) =>
              onZoom({
                kind: "absolute",
                from: new Date(from).toISOString(),
                to: new Date(to).toISOString(),
              })
            }
          />
        </Suspense>
      ) : (
        <div className="skeleton mx-2" style={{ height }} />
      )}
    </div>
  );
}
