import { ChevronDown, Clock } from "lucide-react";
import { Suspense } from "react";
import { lazyPart } from "../lazy-part.tsx";
import { Popover } from "../Popover.tsx";
import { describeRange, type TimeRange } from "./time-range.ts";

const Panel = lazyPart(() =>
  import("./TimeRangePanel.tsx").then((module) => module.TimeRangePanel),
);

export interface TimeRangePickerProps {
  value: TimeRange;
  onChange: (range: TimeRange) => void;
  /** Offers ranges that lie ahead too. */
  allowFuture?: boolean;
  label?: string;
}

export function TimeRangePicker({
  value,
  onChange,
  allowFuture = false,
  label = "Time range",
}: TimeRangePickerProps) {
  return (
    <Popover
      label={label}
      align="end"
      renderTrigger={(trigger) => (
        <button
          type="button"
          aria-label={`${label}: ${describeRange(value)}`}
          className="field inline-flex max-w-full min-w-0 items-center gap-1.5"
          {...trigger}
        >
          <Clock aria-hidden="true" size={14} strokeWidth={1.75} className="shrink-0 text-muted" />
          <span className="truncate">{describeRange(value)}</span>
          <ChevronDown
            aria-hidden="true"
            size={14}
            strokeWidth={1.75}
            className="shrink-0 text-muted"
          />
        </button>
      )}
    >
      {(close) => (
        <Suspense fallback={<div className="h-80 w-72" />}>
          <Panel
            value={value}
            allowFuture={allowFuture}
            onChoose={(range) => {
              onChange(range);
              close();
            }}
          />
        </Suspense>
      )}
    </Popover>
  );
}
