import { CalendarDays } from "lucide-react";
import type { FormEvent } from "react";
import { Suspense, useId, useState } from "react";
import { Button } from "../Button.tsx";
import { classNames } from "../class-names.ts";
import { lazyPart } from "../lazy-part.tsx";
import { recentRanges, rememberRange } from "./recent-ranges.ts";
import {
  describeRange,
  formatRange,
  futureRanges,
  mappedRanges,
  parseRange,
  pastRanges,
  resolveRange,
  type TimeRange,
} from "./time-range.ts";

const RangeCalendar = lazyPart(() =>
  import("./RangeCalendar.tsx").then((module) => module.RangeCalendar),
);

export interface TimeRangePanelProps {
  value: TimeRange;
  allowFuture: boolean;
  onChoose: (range: TimeRange) => void;
}

const pad = (part: number) => String(part).padStart(2, "0");

/** The form a datetime-local field wants: local time without a zone. */
function toField(moment: number): string {
  const date = new Date(moment);
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}T${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

function RangeList({
  title,
  ranges,
  value,
  onChoose,
}: { title: string; ranges: readonly TimeRange[] } & Pick<
  TimeRangePanelProps,
  "value" | "onChoose"
>) {
  const id = useId();
  if (ranges.length === 0) return null;
  return (
    <section aria-labelledby={id} className="flex flex-col">
      <span id={id} className="m-0 px-2 pt-2 pb-0.5 text-2xs font-medium text-muted">
        {title}
      </span>
      {ranges.map((range) => {
        const isChosen = formatRange(range) === formatRange(value);
        return (
          <button
            key={formatRange(range)}
            type="button"
            aria-pressed={isChosen}
            onClick={() => onChoose(range)}
            className={classNames(
              "min-h-6.5 truncate rounded-control border-0 bg-transparent px-2 text-left text-sm hover:bg-hover focus-visible:outline-offset-[-2px]",
              isChosen && "bg-selected! font-medium",
            )}
          >
            {describeRange(range)}
          </button>
        );
      })}
    </section>
  );
}

export function TimeRangePanel({ value, allowFuture, ...told }: TimeRangePanelProps) {
  const onChoose = (range: TimeRange) => {
    rememberRange(range);
    told.onChoose(range);
  };
  const [typed, setTyped] = useState("");
  const [isRefused, setIsRefused] = useState(false);
  const [showsCalendar, setShowsCalendar] = useState(false);
  const [ends, setEnds] = useState(() => {
    const now = resolveRange(value, Date.now());
    return value.kind === "absolute" && now
      ? { from: toField(now.from), to: toField(now.to) }
      : { from: "", to: "" };
  });
  const hintId = useId();
  const words = typed.trim().toLowerCase();
  const matches = (ranges: readonly TimeRange[]) =>
    words === ""
      ? ranges
      : ranges.filter((range) => describeRange(range).toLowerCase().includes(words));
  const absolute =
    ends.from !== "" && ends.to !== "" ? parseRange(`${ends.from} to ${ends.to}`) : undefined;

  const submitTyped = (event: FormEvent) => {
    event.preventDefault();
    const range = parseRange(typed);
    if (range) onChoose(range);
    else setIsRefused(true);
  };

  return (
    <div className="flex max-h-[min(560px,var(--available-height))] w-[min(560px,calc(100vw-16px))] max-tablet:flex-col max-tablet:overflow-auto">
      <div className="flex flex-1 flex-col gap-3 overflow-y-auto p-3 max-tablet:flex-none max-tablet:overflow-visible">
        <form onSubmit={submitTyped} className="flex flex-col gap-1">
          <label className="flex flex-col gap-1 text-xs text-muted">
            Range
            <input
              // oxlint-disable-next-line jsx-a11y/no-autofocus -- the popup was opened to choose a range; typing is the quickest way
              autoFocus
              value={typed}
              aria-invalid={isRefused}
              aria-describedby={hintId}
              placeholder="now-2d"
              spellCheck={false}
              onChange={(event) => {
                setTyped(event.target.value);
                setIsRefused(false);
              }}
              className="field"
            />
          </label>
          <span
            id={hintId}
            className={classNames("text-2xs", isRefused ? "text-unhealthy-fg" : "text-muted")}
          >
            {isRefused
              ? "Not a range. Write 2d, now-2d, now-2d to now-1d, or two dates with “to” between."
              : "2d, now-2d to now-1d, yesterday, or search the list"}
          </span>
        </form>
        <form
          className="flex flex-col gap-2 border-t pt-3"
          onSubmit={(event) => {
            event.preventDefault();
            if (absolute) onChoose(absolute);
          }}
        >
          <label className="flex items-center justify-between gap-2 text-xs text-muted">
            From
            <input
              type="datetime-local"
              value={ends.from}
              onChange={(event) => setEnds({ ...ends, from: event.target.value })}
              className="field w-44"
            />
          </label>
          <label className="flex items-center justify-between gap-2 text-xs text-muted">
            To
            <input
              type="datetime-local"
              value={ends.to}
              onChange={(event) => setEnds({ ...ends, to: event.target.value })}
              className="field w-44"
            />
          </label>
          {ends.from !== "" && ends.to !== "" && !absolute && (
            <span role="alert" className="text-2xs text-unhealthy-fg">
              The range must start before it ends.
            </span>
          )}
          <div className="flex justify-between gap-2">
            <Button
              kind="quiet"
              aria-expanded={showsCalendar}
              icon={<CalendarDays size={14} strokeWidth={1.75} />}
              onClick={() => setShowsCalendar(!showsCalendar)}
            >
              Calendar
            </Button>
            <Button type="submit" kind="primary" disabled={!absolute}>
              Submit
            </Button>
          </div>
          {showsCalendar && (
            <Suspense fallback={<div className="h-64" />}>
              <RangeCalendar
                from={ends.from === "" ? undefined : new Date(ends.from)}
                to={ends.to === "" ? undefined : new Date(ends.to)}
                onChange={(from, to) =>
                  setEnds({
                    from: from ? toField(from.getTime()) : "",
                    to: to ? toField(new Date(to).setHours(23, 59, 0, 0)) : "",
                  })
                }
              />
            </Suspense>
          )}
        </form>
      </div>
      <div className="flex w-48 flex-col overflow-y-auto border-l p-1 max-tablet:w-full max-tablet:border-t max-tablet:border-l-0">
        <RangeList
          title="Recently used"
          ranges={matches(recentRanges())}
          value={value}
          onChoose={onChoose}
        />
        <RangeList
          title="Relative"
          ranges={matches(pastRanges)}
          value={value}
          onChoose={onChoose}
        />
        {allowFuture && (
          <RangeList
            title="Ahead"
            ranges={matches(futureRanges)}
            value={value}
            onChoose={onChoose}
          />
        )}
        <RangeList
          title="Named"
          ranges={matches(mappedRanges.map(({ name }) => ({ kind: "mapped", name })))}
          value={value}
          onChoose={onChoose}
        />
      </div>
    </div>
  );
}
