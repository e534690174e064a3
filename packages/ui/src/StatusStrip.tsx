import { memo } from "react";
import { formatDuration } from "./duration.ts";
import { exactTime } from "./Age.tsx";

/** One result: when (epoch ms), how long it took (ms), whether it was good. */
export type StripEntry = readonly [time: number, durationMs: number, passed: 0 | 1];

export interface StatusStripProps {
  entries: readonly StripEntry[];
  /** Room for so many bars; older entries are left out. */
  slots?: number;
  height?: number;
  label?: string;
}

const barWidth = 4;
const gap = 1;

/** The last results as thin bars, the newest at the right: height is how long it took, colour and shape how it ended. */
export const StatusStrip = memo(function StatusStrip({
  entries,
  slots = 30,
  height = 20,
  label,
}: StatusStripProps) {
  const shown = entries.length > slots ? entries.slice(entries.length - slots) : entries;
  const longest = shown.reduce((most, [, durationMs]) => Math.max(most, durationMs), 1);
  const width = slots * (barWidth + gap) - gap;
  const failed = shown.reduce((count, [, , passed]) => count + (passed === 1 ? 0 : 1), 0);
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
      className="block shrink-0"
    >
      {shown.map(([time, durationMs, passed], index) => {
        const share = Math.sqrt(durationMs / longest);
        const bar = Math.max(4, Math.round(share * (height - 2)));
        const x = (slots - shown.length + index) * (barWidth + gap);
        return (
          <g
            key={time}
            className={passed === 1 ? "fill-healthy opacity-80" : "fill-unhealthy"}
            data-tooltip={`${passed === 1 ? "Passed" : "Failed"} in ${formatDuration(durationMs)}\n${exactTime(time)}`}
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
