import { memo, useState } from "react";
import { classNames } from "../class-names.ts";
import { formatDuration } from "../duration.ts";
import { exactTime } from "../Age.tsx";

/** One result: when (epoch ms), how long it took (ms), whether it was good (1), bad (0) or unknown (2), what it said. */
export type StripEntry = readonly [
  time: number,
  durationMs: number,
  passed: 0 | 1 | 2,
  message?: string,
];

export interface StatusStripProps {
  /** Nothing where there was no result: a gap. */
  entries: readonly (StripEntry | undefined)[];
  /** Room for so many bars; older entries are left out. */
  slots?: number;
  height?: number;
  label?: string;
  /** Nothing has come after the last: what it says is of the past. */
  isOld?: boolean;
  /** Each entry stands for several results: its duration is that of the slowest. */
  isOfMany?: boolean;
}

const barWidth = 4;
const gap = 1;
const longestMessage = 200;

function words([time, durationMs, passed, message = ""]: StripEntry, isOfMany: boolean): string {
  const said = message.length > longestMessage ? `${message.slice(0, longestMessage)} …` : message;
  if (isOfMany)
    return [said, `Slowest: ${formatDuration(durationMs)}`, `From ${exactTime(time)}`].join("\n");
  const result =
    passed === 2
      ? "Could not be tried"
      : `${passed === 1 ? "Passed" : "Failed"} in ${formatDuration(durationMs)}`;
  return [result, said, exactTime(time)].filter(Boolean).join("\n");
}

const looks = [
  { passed: 1, className: "fill-healthy opacity-80" },
  { passed: 2, className: "fill-unknown opacity-60" },
  { passed: 0, className: "fill-unhealthy" },
] as const;

/** A bar with round upper corners, from its top to the floor. */
const barPath = (x: number, top: number, floor: number) =>
  `M${x} ${floor}V${top + 1}q0 -1 1 -1h${barWidth - 2}q1 0 1 1V${floor}z`;

/**
 * The last results as thin bars, the newest at the right: height is how long it took, colour and shape how it ended.
 * A list draws hundreds of them while it is scrolled, so the bars of one look are one path, and what each says is put
 * into words only for whoever points at the strip.
 */
export const StatusStrip = memo(function StatusStrip({
  entries,
  slots = 30,
  height = 20,
  label,
  isOld = false,
  isOfMany = false,
}: StatusStripProps) {
  const [isPointedAt, setIsPointedAt] = useState(false);
  const shown = entries.length > slots ? entries.slice(entries.length - slots) : entries;
  const longest = shown.reduce((most, entry) => Math.max(most, entry?.[1] ?? 0), 1);
  const width = slots * (barWidth + gap) - gap;
  const failed = shown.reduce((count, entry) => count + (entry?.[2] === 0 ? 1 : 0), 0);
  const floor = height - 2;
  const left = (index: number) => (slots - shown.length + index) * (barWidth + gap);
  const barsOf = (look: 0 | 1 | 2) =>
    shown
      .map((entry, index) => {
        if (entry?.[2] !== look) return "";
        const bar = Math.max(4, Math.round(Math.sqrt(entry[1] / longest) * floor));
        // A failure reaches the floor line below the others, so it shows without colour too.
        return barPath(left(index), floor - bar, look === 0 ? height : floor);
      })
      .join("");
  return (
    <svg
      role="img"
      aria-label={
        label ??
        (shown.length === 0 ? "No results" : `Last ${shown.length} results: ${failed} failed`)
      }
      viewBox={`0 0 ${width} ${height}`}
      // Where there is less room the oldest go, and never the newest.
      preserveAspectRatio="xMaxYMid slice"
      width={width}
      height={height}
      onPointerEnter={() => setIsPointedAt(true)}
      onPointerLeave={() => setIsPointedAt(false)}
      className={classNames("block max-w-full", isOld && "opacity-40 grayscale")}
    >
      {shown.length === 0 && (
        <rect x={0} y={floor} width={width} height={1} className="fill-border" />
      )}
      {looks.map(({ passed, className }) => {
        const bars = barsOf(passed);
        return bars === "" ? null : <path key={passed} d={bars} className={className} />;
      })}
      {isPointedAt &&
        shown.map(
          (entry, index) =>
            entry && (
              <rect
                // Two results may bear the same moment; a bar has no state to mix up.
                key={index}
                x={left(index) - gap / 2}
                y={0}
                width={barWidth + gap}
                height={height}
                fill="transparent"
                data-tooltip={words(entry, isOfMany)}
              />
            ),
        )}
    </svg>
  );
});
