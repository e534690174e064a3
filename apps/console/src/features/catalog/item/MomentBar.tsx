import { ChevronLeft, ChevronRight, X } from "lucide-react";
import { momentText } from "@mainstay/ui/Age.tsx";
import { Button, IconButton } from "@mainstay/ui/Button.tsx";
import { Select } from "@mainstay/ui/Select.tsx";
import type { ChangeUrl } from "#lib/url-state.ts";
import { MomentTimeline } from "./MomentTimeline.tsx";
import { type ConfigView, momentWords, nowWord, type Stretch, stretchAt } from "./moments.ts";

export interface MomentBarProps {
  view: ConfigView;
  change: ChangeUrl<ConfigView>;
  stretches: readonly Stretch[];
  /** The server's time. */
  now: number;
}

/** A moment as a field of the browser writes it: local, to the second. */
function localTime(time: number): string {
  const date = new Date(time);
  return new Date(time - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

const longest = 60;
const short = (text: string) => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text);

/** Chooses the moment at which an item is shown, and one to compare it with. */
export function MomentBar({ view, change, stretches, now }: MomentBarProps) {
  const last = stretches.length - 1;
  const shown = view.at === undefined ? last : stretchAt(stretches, Date.parse(view.at));
  const comparedWith =
    view.compareWith === undefined
      ? undefined
      : view.compareWith === nowWord
        ? last
        : stretchAt(stretches, Date.parse(view.compareWith));
  const isoOf = (stretch: number) =>
    stretch >= last ? undefined : new Date(stretches[stretch]!.from).toISOString();
  const choose = (stretch: number) => change({ at: isoOf(stretch), lines: null });
  const comparable = [
    { value: "", label: "nothing" },
    ...(view.at === undefined ? [] : [{ value: nowWord, label: "now" }]),
    ...stretches
      .map((stretch, index) => ({ stretch, index }))
      .filter(({ index }) => index !== shown && index !== last)
      .toReversed()
      .map(({ stretch }) => ({
        value: new Date(stretch.from).toISOString(),
        label: short(`${momentText(stretch.from)} · ${momentWords(stretch)}`),
      })),
  ];
  // A moment of one's own stands in the list as well.
  if (view.compareWith !== undefined && !comparable.some(({ value }) => value === view.compareWith))
    comparable.push({
      value: view.compareWith,
      label: view.compareWith === nowWord ? "now" : momentText(Date.parse(view.compareWith)),
    });
  return (
    <div
      role="group"
      aria-label="Moment"
      className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1.5 border-b px-4 py-1.5 max-tablet:px-2"
    >
      <div className="flex min-w-full items-start gap-1">
        <IconButton
          label="What it was before"
          disabled={shown === 0}
          icon={<ChevronLeft size={16} strokeWidth={1.75} />}
          onClick={() => choose(shown - 1)}
        />
        <IconButton
          label="What it became"
          disabled={shown >= last}
          icon={<ChevronRight size={16} strokeWidth={1.75} />}
          onClick={() => choose(shown + 1)}
        />
        <MomentTimeline
          stretches={stretches}
          now={now}
          shown={shown}
          comparedWith={comparedWith}
          onChoose={choose}
        />
      </div>
      <label className="flex items-center gap-1.5 text-xs text-muted">
        As it was at
        <input
          type="datetime-local"
          step={1}
          className="field tabular-nums"
          value={view.at === undefined ? "" : localTime(Date.parse(view.at))}
          min={localTime(stretches[0]?.from ?? now)}
          max={localTime(now)}
          onChange={(event) => {
            const time = new Date(event.target.value).getTime();
            if (!Number.isNaN(time))
              change({ at: new Date(time).toISOString(), lines: null }, { replace: true });
          }}
        />
      </label>
      {view.at !== undefined && (
        <Button
          kind="quiet"
          icon={<X size={14} strokeWidth={1.75} />}
          onClick={() => change({ at: undefined, compareWith: undefined, lines: null })}
        >
          Back to now
        </Button>
      )}
      <Select
        label="Compare with"
        value={view.compareWith ?? ""}
        options={comparable}
        onChange={(value) => change({ compareWith: value || undefined, lines: null })}
        className="max-w-72"
      />
    </div>
  );
}
