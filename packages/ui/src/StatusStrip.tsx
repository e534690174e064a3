import { memo } from "react";
import { classNames } from "./class-names.ts";
import { formatDuration } from "./duration.ts";
import { exactTime } from "./Age.tsx";

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

const fills = { 0: "fill-unhealthy", 1: "fill-healthy opacity-80", 2: "fill-unknown opacity-60" };

/** The last results as thin bars, the newest at the right: height is how long it took, colour and shape how it ended. */
export const StatusStrip = memo(function StatusStrip({
  entries,
  slots = 30,
  height = 20,
  label,
  isOld = false,
  isOfMany = false,
}: StatusStripProps) {
  const shown = entries.length > slots ? entries.slice(entries.length - slots) : entries;
  const longest = shown.reduce((most, entry) => Math.max(most, entry?.[1] ?? 0), 1);
  const width = slots * (barWidth + gap) - gap;
  const failed = shown.reduce((count, entry) => count + (entry?.[2] === 0 ? 1 : 0), 0);
  return (
    <svg
      role="img"
      aria-label={
        label ??
        (shown.length === 0 ? "No results" : `Last ${shown.length} results: ${failed} failed`)
      }
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      className={classNames("block shrink-0", isOld && "opacity-40 grayscale")}
    >
      {shown.length === 0 && (
        <rect x={0} y={height - 2} width={width} height={1} className="fill-border" />
      )}
      {shown.map((entry, index) => {
        if (!entry) return null;
        const [, durationMs, passed] = entry;
        const share = Math.sqrt(durationMs / longest);
        const bar = Math.max(4, Math.round(share * (height - 2)));
        const x = (slots - shown.length + index) * (barWidth + gap);
        return (
          <g
            // Two results may bear the same moment; a bar has no state to mix up.
            key={index}
            className={fills[passed]}
            data-tooltip={words(entry, isOfMany)}
          >
            <rect x={x - gap / 2} y={0} width={barWidth + gap} height={height} fill="transparent" />
            {/* A failure reaches the floor line below the others, so it shows without colour too. */}
            <rect x={x} y={height - 2 - bar} width={barWidth} height={bar} rx={1} />
            {passed === 0 && <rect x={x} y={height - 2} width={barWidth} height={2} />}
          </g>
        );
      })}
    </svg>
  );
});
