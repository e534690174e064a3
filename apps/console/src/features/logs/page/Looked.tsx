import { Button } from "@mainstay/ui/Button.tsx";
import { timeText } from "../shared/time-text.ts";

export interface LookedProps {
  /** The moment up to which everything was looked at; unknown where backends do not say. */
  reached: string | undefined;
  /** The time range, epoch ms. */
  from: number;
  to: number;
  isLooking: boolean;
  onFurther: () => void;
}

/** How much of a range was looked at that is looked through from its end. */
export function lookedShare(reached: string, from: number, to: number): number {
  const share = (to - Date.parse(reached)) / Math.max(to - from, 1);
  return Math.floor(Math.min(Math.max(share, 0), 1) * 100);
}

/** How far a search has come whose time ended before its range did, and what goes on with it. */
export function Looked({ reached, from, to, isLooking, onFurther }: LookedProps) {
  return (
    <div className="flex flex-wrap items-center justify-center gap-x-3 gap-y-2">
      <span role="status" className="tabular-nums">
        {reached === undefined
          ? "Not everything was looked at yet."
          : `Looked back to ${timeText(reached)}, ${lookedShare(reached, from, to)}% of the time range.`}
      </span>
      <Button disabled={isLooking} onClick={onFurther}>
        {isLooking ? "Looking further …" : "Look further"}
      </Button>
    </div>
  );
}
