import { type KeyboardEvent, type MouseEvent, useRef } from "react";
import { momentText } from "@mainstay/ui/Age.tsx";
import { classNames } from "@mainstay/ui/class-names.ts";
import { day, minute } from "@mainstay/ui/moments.ts";
import { momentWords, type Stretch } from "./moments.ts";

export interface MomentTimelineProps {
  stretches: readonly Stretch[];
  now: number;
  /** The stretch that is shown, and the one that it is compared with. */
  shown: number;
  comparedWith: number | undefined;
  onChoose: (stretch: number) => void;
}

/** Where that goes on for no longer, a day says nothing of where the line begins. */
const fewDaysMs = 2 * 86_400_000;

const words = (stretch: Stretch) => `${momentText(stretch.from)}: ${momentWords(stretch)}`;

/** When an item became another, as marks on a line of time: pressed, or gone through with the arrow keys. */
export function MomentTimeline(props: MomentTimelineProps) {
  const { stretches, now, shown, comparedWith, onChoose } = props;
  const track = useRef<HTMLDivElement>(null);
  const start = stretches[0]?.from ?? now;
  const span = Math.max(1, now - start);
  const placeOf = (time: number) => ((time - start) / span) * 100;
  const last = stretches.length - 1;

  const onKeyDown = (event: KeyboardEvent) => {
    const to = {
      ArrowLeft: shown - 1,
      ArrowDown: shown - 1,
      ArrowRight: shown + 1,
      ArrowUp: shown + 1,
      Home: 0,
      End: last,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    onChoose(Math.min(last, Math.max(0, to)));
  };
  const onClick = (event: MouseEvent) => {
    const box = track.current?.getBoundingClientRect();
    if (!box || box.width === 0) return;
    const at = start + ((event.clientX - box.left) / box.width) * span;
    const distances = stretches.map(({ from }) => Math.abs(from - at));
    onChoose(distances.indexOf(Math.min(...distances)));
  };
  const current = stretches[shown];
  return (
    <div className="min-w-0 flex-1 px-2">
      <div
        ref={track}
        role="slider"
        tabIndex={0}
        aria-label="When it became another"
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={shown}
        aria-valuetext={current && words(current)}
        onKeyDown={onKeyDown}
        onClick={onClick}
        className="relative h-7 cursor-pointer rounded-control"
      >
        <span className="absolute inset-x-0 top-1/2 h-0.5 -translate-y-1/2 rounded-bar bg-border" />
        {current && (
          <span
            // How long it was as it is shown.
            className="absolute top-1/2 h-1 -translate-y-1/2 rounded-bar bg-accent"
            style={{
              left: `${placeOf(current.from)}%`,
              right: `${100 - placeOf(stretches[shown + 1]?.from ?? now)}%`,
            }}
          />
        )}
        {stretches.map((stretch, index) => (
          <span
            key={stretch.from}
            data-tooltip={words(stretch)}
            className="absolute top-0 flex h-full w-3 -translate-x-1/2 items-center justify-center"
            style={{ left: `${placeOf(stretch.from)}%` }}
          >
            <span
              className={classNames(
                "rounded-full border",
                index === shown
                  ? "size-3 border-accent bg-accent"
                  : index === comparedWith
                    ? "size-3 border-2 border-accent bg-surface"
                    : stretch.moment?.isConfig === false
                      ? "size-1.5 border-control bg-surface"
                      : "size-2 border-control bg-control",
              )}
            />
          </span>
        ))}
      </div>
      <div className="flex justify-between text-2xs text-muted tabular-nums" aria-hidden="true">
        <span>{(span < fewDaysMs ? minute : day).format(start)}</span>
        <span>now</span>
      </div>
    </div>
  );
}
