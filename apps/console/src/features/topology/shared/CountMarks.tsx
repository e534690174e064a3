import { Activity, ScanSearch, Network } from "lucide-react";
import type { ComponentType } from "react";
import { classNames } from "@mainstay/ui/class-names.ts";
import type { IconMark } from "@mainstay/ui/Icon.tsx";
import { StatusDot } from "@mainstay/ui/StatusDot.tsx";
import type { AnyComponent } from "../queries.ts";
import {
  checkCounts,
  childCounts,
  type Counts,
  countWords,
  insightCounts,
  insightWords,
} from "./component-words.ts";

const number = new Intl.NumberFormat();

function Toned({
  counts,
  noun,
  icon: Mark,
}: {
  counts: Counts;
  noun: string;
  icon: ComponentType<IconMark>;
}) {
  if (counts.length === 0) return null;
  const words = countWords(counts, noun);
  return (
    <span
      role="img"
      aria-label={words}
      data-tooltip={words}
      className="relative z-10 inline-flex items-center gap-1.5 tabular-nums"
    >
      <span className="text-muted">
        <Mark size={13} strokeWidth={1.75} />
      </span>
      {counts.map(({ tone, count }) => (
        <span key={tone} className="inline-flex items-center gap-0.5">
          <StatusDot tone={tone} />
          {number.format(count)}
        </span>
      ))}
    </span>
  );
}

const severityColours: Readonly<Record<string, string>> = {
  critical: "text-unhealthy-fg",
  blocker: "text-unhealthy-fg",
  high: "text-warning-fg",
  warning: "text-warning-fg",
  medium: "text-healthy-fg",
};

/** How many components, checks and insights there are with a component and below it, and how they are. */
export function CountMarks({ component }: { component: AnyComponent }) {
  const insights = insightCounts(component);
  const [children, checks] = [childCounts(component), checkCounts(component)];
  if (children.length + checks.length + insights.length === 0) return null;
  const words = insightWords(component);
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 text-xs">
      <Toned counts={children} noun="component" icon={Network} />
      <Toned counts={checks} noun="check" icon={Activity} />
      {insights.length > 0 && (
        <span
          role="img"
          aria-label={words}
          data-tooltip={words}
          className={classNames(
            "relative z-10 inline-flex items-center gap-1 tabular-nums",
            severityColours[insights[0]!.severity] ?? "text-muted",
          )}
        >
          <ScanSearch aria-hidden="true" size={13} strokeWidth={1.75} />
          {number.format(insights.reduce((sum, { count }) => sum + count, 0))}
        </span>
      )}
    </span>
  );
}
