import { recentRuns } from "@mainstay/contract";
import type { CheckResult } from "./check-result.ts";

/**
 * The strip of last runs is kept as text: one piece of JSON per run, all of one length, so that the writer cuts the
 * oldest off by its place and the reader passes the rest on as it is.
 */
const TIME_WIDTH = 13;
const DURATION_WIDTH = 7;
const PIECE = TIME_WIDTH + DURATION_WIDTH + "[,,1],".length;
const LONGEST_DURATION = 10 ** DURATION_WIDTH - 1;

export const RECENT_LENGTH = recentRuns * PIECE;

type Run = Pick<CheckResult, "time" | "durationMs" | "pass" | "untried">;

export function recentPiece({ time, durationMs, pass, untried }: Run): string {
  const at = String(Math.max(0, time.getTime())).padStart(TIME_WIDTH);
  const duration = String(Math.min(Math.max(0, Math.round(durationMs)), LONGEST_DURATION)).padEnd(
    DURATION_WIDTH,
  );
  return `[${at},${duration},${untried ? 2 : pass ? 1 : 0}],`;
}

/** The pieces as the JSON of a list; the blanks in them are JSON too. */
export const recentJson = (pieces: string) => (pieces === "" ? "[]" : `[${pieces.slice(0, -1)}]`);
