import type { ScriptLanguage } from "./canary/scripts.ts";

/** What the health pages and the server say to each other. Times are ISO texts, durations milliseconds, unless said. */

import type { DocumentNotice } from "./documents/saved-documents.ts";

export const checkStatuses = ["healthy", "unhealthy", "unknown"] as const;
/** `unknown`: not run yet, held, not able to try its target, or stale. */
export type CheckStatus = (typeof checkStatuses)[number];

/** The ranges that the health page offers, shortest first. */
export const timeRanges = [
  "15m",
  "1h",
  "2h",
  "3h",
  "6h",
  "12h",
  "1d",
  "2d",
  "3d",
  "1w",
  "2w",
  "3w",
  "1mo",
  "2mo",
  "3mo",
  "6mo",
  "1y",
  "2y",
  "3y",
  "5y",
] as const;
export const defaultTimeRange = "1h";

/** How often a document runs that says neither `schedule` nor `interval`. */
export const defaultSchedule = "@every 5m";
/** The longest time a check may take that says nothing itself. */
export const longestDefaultTimeoutMs = 60_000;

/**
 * Whether a check is stale: its next result is overdue, so its last one says nothing about now. By the reader's own
 * clock, so that nothing has to work for it to be noticed.
 */
export const isStale = (resultDue: number | undefined, now: number): boolean =>
  resultDue !== undefined && now > resultDue;

const second = 1_000;
const units: readonly (readonly [from: number, size: number, name: string])[] = [
  [2 * 86_400 * second, 86_400 * second, "days"],
  [2 * 3_600 * second, 3_600 * second, "h"],
  [2 * 60 * second, 60 * second, "min"],
  [0, second, "s"],
];

/** A time that has passed, for sentences: `40 s`, `12 min`, `5 h`, `9 days`. */
export function timePassed(ms: number): string {
  const [, size, name] = units.find(([from]) => ms >= from) ?? units.at(-1)!;
  return `${Math.max(0, Math.floor(ms / size))} ${name}`;
}

/** What is said of a stale check, by the time since its last result. */
export const noResultFor = (ms: number): string => `no result for ${timePassed(ms)}`;

export interface Uptime {
  passed: number;
  failed: number;
  last_pass?: string;
  last_fail?: string;
  /** Runs that could not be judged, when there are any; they are neither. */
  unknown?: number;
}

export interface Latency {
  p95?: number;
  p97?: number;
  p99?: number;
  /** Mean of the last hour. */
  rolling1h: number;
}

/** Start in milliseconds since the epoch, duration in milliseconds, passed (1), failed (0) or not able to try (2). */
export type RecentRun = [time: number, duration: number, passed: 0 | 1 | 2];

/** How a run ended. `untried`: its target could not be tried from here, and it counts neither way. */
export type RunOutcome = "passed" | "failed" | "untried";

/** Of a row of `check_statuses`: its status is null when the target could not be tried, and its error says why. */
export const outcomeOfRun = ({ status }: { status: boolean | null }): RunOutcome =>
  status === null ? "untried" : status ? "passed" : "failed";

/** Runs that ended alike, too few to change the status yet: `{ passed: false, runs: 2, needed: 3 }` is "failing 2 of 3". */
export interface Streak {
  passed: boolean;
  runs: number;
  needed: number;
}

/** One check on the health page. */
export interface CheckSummary {
  id: string;
  canary_id: string;
  canary_name: string;
  canary_namespace: string;
  agent_id: string;
  name: string;
  namespace: string;
  type: string;
  /** Of a check that is held what was known last, as readers of two statuses count it; absent when nothing was. */
  status?: CheckStatus;
  /** Why the check is kept and not run: nobody knows its state now. */
  held?: string;
  /** Why its last run could not try the target: nobody knows its state now. `status` is as of one that is held. */
  untried?: string;
  /** The last runs speak against `status` (or nothing is known yet), and are not enough to change it. */
  streak?: Streak;
  description?: string;
  endpoint?: string;
  icon?: string;
  labels: Record<string, string>;
  owner?: string;
  severity?: string;
  /** Why the check is not run, or what its last run said. */
  message?: string;
  last_runtime?: string;
  next_runtime?: string;
  /** By when the next result must be there; after that the check is stale. Absent when nothing is due by the clock. */
  result_due?: string;
  last_transition_time?: string;
  /** When what `expires_what` names ends, as the last run that reached it saw it: for sorting. */
  expires_at?: string;
  expires_what?: "certificate" | "domain";
  created_at: string;
  updated_at: string;
  silenced_at?: string;
  /** Its canary is paused: it does not run by the clock, and what it said last is of the past. */
  paused?: boolean;
  /** The longest a run may take before it fails, in milliseconds. */
  latency_limit?: number;
  uptime: Uptime;
  latency: Latency;
  /** The last runs, oldest first. */
  recent: RecentRun[];
}

/** Runs that `CheckSummary.recent` holds at most. */
export const recentRuns = 30;

export interface HealthSummary {
  /** Time that making it took. */
  duration: number;
  runnerName: string;
  /** Why results are late on the server that answers, when they are. */
  late?: string;
  /**
   * What uptime and latency are of: whole steps, so that it may begin before what was asked for and end after it. Runs
   * from `start` on and before `end`; without one up to now.
   */
  range: { start: string; end?: string };
  checks_summary: CheckSummary[];
}

export interface GraphPoint {
  time: string;
  /** All runs of the point passed. */
  status: boolean;
  /** Mean of its runs. */
  duration: number;
  passed: number;
  failed: number;
  /** Runs that could not be judged. */
  unknown?: number;
  p95: number;
  max: number;
  /** What the last of its runs said that did not pass. */
  message?: string;
}

/** What is known of a check now, whatever range its numbers are of. Of a check that never ran only the status. */
export interface CheckNow {
  /** Of a check whose state nobody knows `unknown`, whatever its last result was. */
  status: CheckStatus;
  /** The first of the runs without a break that ended as the last one did. */
  since?: string;
  /** How that ended; `null` when its target could not be tried. */
  passed?: boolean | null;
  /** What it said. */
  message?: string;
  /** Why the check is kept and not run. */
  held?: string;
  /** Its canary is paused: it does not run by the clock. */
  paused?: true;
  streak?: Streak;
  last_runtime?: string;
  next_runtime?: string;
  result_due?: string;
  last_transition_time?: string;
  /** What it tries, fit to be shown. */
  endpoint?: string;
}

/** A run by itself; `null` when it could not be judged. */
export interface GraphRun {
  time: string;
  status: boolean | null;
  duration: number;
  message?: string;
}

export interface HealthGraph {
  duration: number;
  runnerName: string;
  /** What all of its numbers are of, both ends with it. */
  range: { start: string; end: string };
  /** Of a range that began before: single runs are kept since then. */
  runsSince?: string;
  /** How much time, in milliseconds, a point stands for before and after its moment. */
  window: { before: number; after: number };
  status: GraphPoint[];
  /** All runs of the range, oldest first, when they were asked for and are no more than that many. */
  runs?: GraphRun[];
  latency: Latency;
  uptime: Uptime;
  /** When the check is stale: nobody knows what came after the last point. */
  stale?: { since: string; message: string };
  now: CheckNow;
}

/** One result of a check that was run on demand. */
export interface RunResult {
  id?: string;
  type: string;
  name: string;
  namespace: string;
  /** When it started. */
  start: string;
  pass: boolean;
  invalid: boolean;
  /** The target could not be tried, and nothing is known about it: `error` says why. `pass` is false then. */
  untried?: boolean;
  message?: string;
  error?: string;
  duration: number;
  labels?: Record<string, string>;
  description?: string;
  severity?: string;
  detail?: Record<string, unknown>;
}

/** The answer to "run now": the result, and the counts that the reference console declares. */
export interface RunNowReply extends RunResult {
  total: number;
  success: number;
  failed: number;
  errors: string[];
}

export interface DryRunReply {
  results: RunResult[];
  /** What of the text was skipped or is read by nothing. */
  notices?: DocumentNotice[];
}

/** `POST /api/canary/script`: one script, tried on what it would see. */
export interface ScriptTrial {
  language: ScriptLanguage;
  script: string;
  /** The id of the check whose last result the script sees. */
  check?: string;
  /** What it sees in place of that, or over it. */
  context?: Record<string, unknown>;
}

/** What a script gave, and as which text a check would take it; or its mistake, with its place in the script. */
export type ScriptTrialReply =
  | { value: unknown; text: string }
  | { error: string; line?: number; column?: number };
