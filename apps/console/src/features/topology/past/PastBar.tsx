import { useQuery } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight, History, Pause, Play, X } from "lucide-react";
import { Age, momentText } from "@mainstay/ui/Age.tsx";
import { Button, IconButton } from "@mainstay/ui/Button.tsx";
import { classNames } from "@mainstay/ui/class-names.ts";
import { useClock } from "@mainstay/ui/clock.ts";
import { Select } from "@mainstay/ui/Select.tsx";
import { messageOf } from "#lib/api-error.ts";
import { toServerTime } from "#lib/server-clock.ts";
import type { ChangeUrl } from "#lib/url-state.ts";
import { topologyQueries } from "../queries.ts";
import { pastMoment, type Span, spans, type TopologyView } from "../shared/topology-view.ts";
import { type PastWindow, spanMs, steps, turnsOf, windowOf } from "./past-window.ts";
import { PastSlider } from "./PastSlider.tsx";
import { type Speed, speeds, usePlaying } from "./use-playing.ts";

/** How often what happened since is asked for: a short stretch shows more of it. */
const tickMs = { usual: 30_000, ofShort: 5_000 };
const shortMs = 60 * 60_000;
const floorTo = (time: number, step: number) => Math.floor(time / step) * step;

const spanWords: Readonly<Record<Span, string>> = {
  "30d": "30 days",
  "7d": "7 days",
  "1d": "a day",
  "1h": "an hour",
};

/** A moment as a field of the browser writes it: local, to the second. */
function localTime(time: number): string {
  const date = new Date(time);
  return new Date(time - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** What there is of turns in a stretch of the past; before `since` nothing is known. */
function useTurns({ span, at }: Pick<TopologyView, "span"> & { at: number | undefined }) {
  const fine = useClock((time) => floorTo(toServerTime(time), tickMs.ofShort));
  const coarse = floorTo(fine, tickMs.usual);
  const known = useQuery(
    topologyQueries.turns({
      ...windowOf({ span: "30d", at: undefined, now: coarse, since: undefined }),
      steps,
    }),
  );
  const since = known.data?.since ? Date.parse(known.data.since) : undefined;
  const isShort = Math.min(spanMs[span], fine - (since ?? 0)) <= shortMs;
  const now = isShort ? fine : coarse;
  const window = windowOf({ span, at, now, since });
  const { data, error } = useQuery(topologyQueries.turns({ ...window, steps }));
  return { now, window, turns: data ? turnsOf(data) : [], error: error ?? known.error };
}

export interface PastBarProps {
  view: TopologyView;
  change: ChangeUrl<TopologyView>;
}

/** Chooses the moment at which components are shown, says plainly that it is past, and plays on from it. */
export function PastBar({ view, change }: PastBarProps) {
  const { span } = view;
  const at = pastMoment(view);
  const { now, window, turns, error } = useTurns({ span, at });
  const shown = at ?? window.to;
  const go = (to: number | "now") =>
    change({ at: to !== "now" && to < now ? to : "now" }, { replace: true });
  const stepMs = (window.to - window.from) / steps;
  const playing = usePlaying({
    at,
    start: window.from,
    next: (from, many) => {
      const to = Math.round(from + many * stepMs);
      return to < now ? to : undefined;
    },
    go,
  });
  const choose = (to: number) => {
    playing.stop();
    go(to >= window.to && window.isLast ? "now" : to);
  };
  // One that is shown is gone from, a step being as exact as it gets.
  const before = turns.findLast(({ after }) => after < shown - stepMs / 2);
  const after = turns.find((turn) => turn.after > shown + stepMs / 2);
  const isPast = at !== undefined;
  return (
    <section
      aria-label="The past"
      className={classNames(
        "flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1.5 border-b px-4 py-1.5 max-tablet:px-2",
        isPast && "bg-info-bg",
      )}
    >
      <div className="flex min-h-7 min-w-full items-center gap-1.5 text-sm">
        <History aria-hidden="true" size={14} strokeWidth={1.75} className="shrink-0" />
        {/* While it plays, every step would be said. */}
        <p {...(!playing.isOn && { role: "status" })} className="m-0 min-w-0 flex-1">
          {isPast ? (
            <>
              <strong className="font-semibold">As of {momentText(at)}</strong> (<Age at={at} />
              ): this is the past.
            </>
          ) : (
            "This is now. Choose a moment to see how everything was."
          )}
        </p>
        {isPast && (
          <Button
            onClick={() => {
              playing.stop();
              change({ at: "now" });
            }}
          >
            Back to now
          </Button>
        )}
        <IconButton
          label="Close the past"
          icon={<X size={16} strokeWidth={1.75} />}
          onClick={() => change({ at: undefined })}
        />
      </div>
      <span className="inline-flex items-center gap-0.5">
        <IconButton
          label="Previous turn"
          disabled={!before}
          icon={<ChevronLeft size={16} strokeWidth={1.75} />}
          onClick={() => before && choose(before.after)}
        />
        <IconButton
          label={playing.isOn ? "Pause" : "Play"}
          icon={
            playing.isOn ? (
              <Pause size={16} strokeWidth={1.75} />
            ) : (
              <Play size={16} strokeWidth={1.75} />
            )
          }
          onClick={playing.toggle}
        />
        <IconButton
          label="Next turn"
          disabled={!after}
          icon={<ChevronRight size={16} strokeWidth={1.75} />}
          onClick={() => after && choose(after.after)}
        />
      </span>
      <PastSlider
        window={window}
        at={shown}
        turns={turns}
        onChoose={choose}
        onToggle={playing.toggle}
      />
      <PastChoices view={view} change={change} window={window} now={now} choose={choose} />
      <Select
        label="Speed"
        value={String(playing.speed)}
        options={speeds.map((speed) => ({ value: String(speed), label: `${speed}×` }))}
        onChange={(value) => playing.setSpeed(Number(value) as Speed)}
      />
      {error && (
        <p role="alert" className="m-0 min-w-full text-xs text-unhealthy-fg">
          When components turned could not be read: {messageOf(error)}
        </p>
      )}
    </section>
  );
}

function PastChoices({
  view,
  change,
  window,
  now,
  choose,
}: PastBarProps & { window: PastWindow; now: number; choose: (at: number) => void }) {
  const at = pastMoment(view);
  return (
    <>
      <label className="flex items-center gap-1.5 text-xs text-muted">
        At
        <input
          type="datetime-local"
          step={1}
          className="field tabular-nums"
          value={localTime(at ?? window.to)}
          max={localTime(now)}
          onChange={(event) => {
            const time = new Date(event.target.value).getTime();
            if (!Number.isNaN(time)) choose(time);
          }}
        />
      </label>
      <Select
        label="Range"
        value={view.span}
        options={spans.map((value) => ({ value, label: spanWords[value] }))}
        onChange={(value) =>
          change({ span: spans.find((span) => span === value) ?? view.span }, { replace: true })
        }
      />
    </>
  );
}
