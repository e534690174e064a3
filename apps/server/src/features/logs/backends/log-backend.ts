import type { LogBucket, LogLine, LogSearch } from "@mainstay/contract";
import type { Ctx } from "#platform/context.ts";

/** Which lines a backend is asked for; everything is resolved: no date math, no templates, no secrets. */
export interface LinesQuestion {
  search: LogSearch;
  /** Labels that a line must have, as the selector, the route and the request say together. */
  labels: Readonly<Record<string, string>>;
  /** Type of the component, and its external id: what the routes of a backend were chosen by. */
  type?: string;
  externalId?: string;
  /** Including it. */
  from: Date;
  /** Not including it. */
  to: Date;
}

export interface LinesPageQuestion extends LinesQuestion {
  limit: number;
  /** From the newest back, or from the oldest on. */
  direction: "backward" | "forward";
  /** The backend's own word for where the page before ended; what it did not write itself is refused as `invalid`. */
  cursor?: string;
}

export interface LinesPage {
  /** In the direction that was asked. */
  lines: LogLine[];
  next?: string;
  /** How many match in the whole range, where the backend says so without being asked twice. */
  total?: number;
  /** The time for one answer ended before the range did: up to this moment everything was looked at. */
  reached?: string;
  /** What of the search it could not do, or where it stopped looking: told to whoever asked. */
  notices?: string[];
}

export interface CountedLines {
  buckets: LogBucket[];
  /** Not all was counted in the time that there is: the newest were, back to this moment. */
  reached?: string;
  notices?: string[];
}

/**
 * One of the programs that hold lines, set up by a spec. It throws an `AppError` that says what failed and where in the
 * document's own terms; it heeds `ctx.signal`, and reads no more than the limits of `logLimits` and of its own.
 */
export interface LogBackend<Spec> {
  /** The word of the spec: `loki`. */
  readonly type: string;
  /** Milliseconds between two questions of whoever follows, where each costs money or is counted; the usual when absent. */
  readonly askEveryMs?: number;
  /** Milliseconds after its moment in which a line may still be found for the first time; the usual when absent. */
  readonly lateMs?: number;
  read(ctx: Ctx, spec: Spec, question: LinesPageQuestion): Promise<LinesPage>;
  /** Where the program counts by itself; lines are read and counted where it does not. `step` is in milliseconds. */
  count?(ctx: Ctx, spec: Spec, question: LinesQuestion & { step: number }): Promise<CountedLines>;
}
