import type { UseQueryResult } from "@tanstack/react-query";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import type { ChangeTimeline as Timeline } from "@mainstay/contract/catalog-answers.ts";
import { changeSeverities } from "@mainstay/contract/catalog.ts";
import type { StripSeries } from "@mainstay/ui/timeline-strip/TimelineStrip.tsx";
import { formatRange } from "@mainstay/ui/time-range/time-range.ts";
import { Suspense, useMemo } from "react";
import { messageOf } from "#lib/api-error.ts";
import type { ChangeUrl } from "#lib/url-state.ts";
import { type ChangesView, usualRange } from "./view.ts";

const Strip = lazyPart(() =>
  import("@mainstay/ui/timeline-strip/TimelineStrip.tsx").then((module) => module.TimelineStrip),
);

/** The worst at the foot, where it is seen best. */
const colours: Record<(typeof changeSeverities)[number], string> = {
  critical: "fill-unhealthy",
  high: "fill-warning",
  medium: "fill-healthy",
  low: "fill-healthy opacity-60",
  info: "fill-unknown opacity-60",
};
const series: readonly StripSeries[] = changeSeverities.map((id) => ({
  id,
  label: id,
  className: colours[id],
}));

const toSpans = (timeline: Timeline) =>
  timeline.spans.map(({ at, ...counts }) => ({ at: Date.parse(at), counts }));

/** All of its changes together. */
export const countAll = ({ spans }: Timeline): number =>
  spans.reduce((all, span) => changeSeverities.reduce((n, one) => n + (span[one] ?? 0), all), 0);

export interface ChangeTimelineProps {
  view: ChangesView;
  timeline: UseQueryResult<Timeline>;
  change: ChangeUrl<ChangesView>;
}

/** How much changed when, over the very changes that are listed. */
export function ChangeTimeline({ view, timeline, change }: ChangeTimelineProps) {
  const { data } = timeline;
  const spans = useMemo(() => (data ? toSpans(data) : []), [data]);
  const isUsual = formatRange(view.timeRange) === formatRange(usualRange);
  return (
    <div className="h-22 shrink-0 border-b px-4 py-2">
      {timeline.isError && !data ? (
        <p role="alert" className="m-0 text-sm text-unhealthy-fg">
          What happened when could not be counted: {messageOf(timeline.error)}
        </p>
      ) : data ? (
        <Suspense>
          <div className={timeline.isPlaceholderData ? "opacity-60" : ""}>
            <Strip
              label="Changes over time"
              noun="changes"
              series={series}
              spans={spans}
              from={Date.parse(data.from)}
              to={Date.parse(data.to)}
              stepMs={data.step_ms}
              onZoom={(from, to) =>
                change({
                  timeRange: {
                    kind: "absolute",
                    from: new Date(from).toISOString(),
                    to: new Date(to).toISOString(),
                  },
                  pageIndex: 0,
                })
              }
              onZoomOut={
                isUsual ? undefined : () => change({ timeRange: usualRange, pageIndex: 0 })
              }
            />
          </div>
        </Suspense>
      ) : (
        <output aria-label="Counting" className="skeleton block h-12" />
      )}
    </div>
  );
}
