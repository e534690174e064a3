import { keptMs, type Step, stepMs, type TimeRange } from "./read-range.ts";

const day = 86_400_000;
/** Rows of single runs are kept this long. */
export const runsKeptMs = 30 * day;
/** Up to this length a range is read run by run. */
const mostRunByRun = day;

/** From a moment on, up to another one without that. */
export interface Stretch {
  from: Date;
  to: Date;
}

/** A range as one check's numbers are read: exactly, with the runs of its two ends beside the whole steps between. */
export interface ExactRange {
  /** What the numbers are of, both ends with it. */
  start: Date;
  end: Date;
  /** Whose runs are counted one by one. */
  runs: readonly Stretch[];
  /** What snapshots tell; of whole steps. */
  steps?: Stretch & { step: Step };
}

const floorTo = (ms: number, size: number) => Math.floor(ms / size) * size;
const ceilTo = (ms: number, size: number) => Math.ceil(ms / size) * size;

/**
 * As asked, to the millisecond, for as long as single runs are kept; before that there are only steps, and the range
 * begins (or ends) with one. `firstRun` is the check's first, in case snapshots of then are gone.
 */
export function exactRange(
  { start, end: asked }: TimeRange,
  now: Date,
  firstRun?: Date,
): ExactRange {
  const end = asked ?? now;
  const age = now.getTime() - start.getTime();
  const past = (ms: number) => now.getTime() - ms > runsKeptMs;
  // A range has its last moment in it; a stretch has not.
  const after = new Date(end.getTime() + 1);
  if (end.getTime() - start.getTime() <= mostRunByRun && !past(start.getTime()))
    return { start, end, runs: [{ from: start, to: after }] };
  const step = age <= keptMs["1h"] ? "1h" : "1d";
  const size = stepMs[step];
  const from = past(start.getTime())
    ? floorTo(start.getTime(), size)
    : ceilTo(start.getTime(), size);
  const last = floorTo(end.getTime(), size);
  const to = past(last) ? last + size : last;
  const runs: Stretch[] = [];
  if (start.getTime() < from) runs.push({ from: start, to: new Date(from) });
  if (to <= end.getTime()) runs.push({ from: new Date(to), to: after });
  const kept = floorTo(now.getTime() - keptMs[step], size);
  const isCut = from < kept && firstRun !== undefined && firstRun.getTime() < kept;
  const begin = isCut ? kept : Math.min(start.getTime(), from);
  return {
    start: new Date(begin),
    end: to > end.getTime() ? new Date(Math.min(to - 1, now.getTime())) : end,
    runs,
    steps: { step, from: new Date(from), to: new Date(to) },
  };
}

/** Stretches of time, each drawn as one point. */
export interface Windows {
  ms: number;
  /** Its point stands so long after its begin. Source: server contract, section 6; whole steps are never divided. */
  before: number;
}

/** Of a width, or of the next that whole steps make. */
export function windowsOf({ steps }: ExactRange, ms: number): Windows {
  if (!steps) return { ms, before: ms / 2 };
  const size = stepMs[steps.step];
  const whole = ceilTo(ms, size);
  return { ms: whole, before: floorTo(whole / 2, size) };
}
