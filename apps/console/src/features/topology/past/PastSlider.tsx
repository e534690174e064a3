import { type KeyboardEvent, type PointerEvent, useRef } from "react";
import { dayText, momentText } from "@mainstay/ui/Age.tsx";
import type { Tone } from "@mainstay/ui/StatusDot.tsx";
import { type PastWindow, steps, type Turn, turnWords } from "./past-window.ts";

export interface PastSliderProps {
  window: PastWindow;
  at: number;
  turns: readonly Turn[];
  onChoose: (at: number) => void;
  onToggle: () => void;
}

/** What turned ill stands above the line, what turned well below it: told apart without colour. */
const marks: Readonly<Record<Tone, string>> = {
  unhealthy: "bottom-1/2 h-2.5 bg-unhealthy",
  warning: "bottom-1/2 h-1.5 bg-warning",
  healthy: "top-1/2 h-1.5 bg-healthy",
  info: "top-1/2 h-1 bg-info",
  unknown: "top-1/2 h-1 bg-unknown",
};
const farSteps = 10;

/** A line of time with a mark wherever components turned. Arrows go a step, with Page Up and Down ten; Space plays. */
export function PastSlider({ window, at, turns, onChoose, onToggle }: PastSliderProps) {
  const { from, to } = window;
  const track = useRef<HTMLDivElement>(null);
  const stepMs = (to - from) / steps;
  const placeOf = (time: number) =>
    `${(Math.min(1, Math.max(0, (time - from) / (to - from))) * 100).toFixed(3)}%`;
  const choose = (time: number) => onChoose(Math.round(Math.min(to, Math.max(from, time))));
  const atPointer = ({ clientX }: PointerEvent) => {
    const box = track.current?.getBoundingClientRect();
    if (box && box.width > 0) choose(from + ((clientX - box.left) / box.width) * (to - from));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = {
      ArrowLeft: at - stepMs,
      ArrowDown: at - stepMs,
      ArrowRight: at + stepMs,
      ArrowUp: at + stepMs,
      PageDown: at - farSteps * stepMs,
      PageUp: at + farSteps * stepMs,
      Home: from,
      End: to,
    }[event.key];
    if (event.key === " ") onToggle();
    else if (next === undefined) return;
    else choose(next);
    event.preventDefault();
  };
  const turned = turns.find(({ after }) => Math.abs(after - at) < stepMs / 2);
  return (
    <div className="min-w-40 flex-1">
      <div
        ref={track}
        role="slider"
        tabIndex={0}
        aria-label="Moment. Arrows go a step, Page Up and Page Down ten, Space plays"
        aria-valuemin={from}
        aria-valuemax={to}
        aria-valuenow={at}
        aria-valuetext={[momentText(at), turned && turnWords(turned)].filter(Boolean).join(": ")}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          atPointer(event);
        }}
        onPointerMove={(event) => {
          if (event.currentTarget.hasPointerCapture(event.pointerId)) atPointer(event);
        }}
        className="relative h-7 cursor-pointer touch-none rounded-control"
      >
        <span className="absolute inset-x-0 top-1/2 h-0.5 -translate-y-1/2 rounded-bar bg-border" />
        {turns.map((turn) => (
          <span
            key={turn.after}
            data-turn={turn.after}
            data-tooltip={`${momentText(turn.after)}\n${turnWords(turn)}`}
            className="absolute top-0 h-full w-1.5 -translate-x-1/2"
            style={{ left: placeOf(turn.after) }}
          >
            {turn.counts.map(({ tone }) => (
              <span
                key={tone}
                className={`absolute left-1/2 w-0.75 -translate-x-1/2 rounded-bar ${marks[tone]}`}
              />
            ))}
          </span>
        ))}
        <span
          className="absolute top-1/2 size-3 -translate-1/2 rounded-full border border-surface bg-accent"
          style={{ left: placeOf(at) }}
        />
      </div>
      <div className="flex justify-between text-2xs text-muted tabular-nums" aria-hidden="true">
        <span>{to - from > 86_400_000 ? dayText(from) : momentText(from)}</span>
        <span>{window.isLast ? "now" : momentText(to)}</span>
      </div>
    </div>
  );
}
