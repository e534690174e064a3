import type { LineLevel } from "./line-level.ts";

export interface LogLine {
  /** Names the line within its backend, for as long as the backend keeps it. */
  id: string;
  /** RFC 3339 in UTC, with as many digits as the backend knows: nanoseconds stay. */
  timestamp: string;
  message: string;
  labels: Record<string, string>;
  /** What it says of how much it matters, where it says so. */
  level?: LineLevel;
  /** Id of the backend that it is from. */
  backend?: string;
  /** The message is longer than an answer holds; characters of the whole. */
  length?: number;
}

/** A backend that was asked, and what came of it. */
export interface LogSource {
  id: string;
  name: string;
  /** `loki`, `file`, `store`, ... */
  type: string;
  /** Why it did not answer. */
  error?: string;
}

export interface LogAnswer {
  /** How many lines match where the backends can say; otherwise how many are here. */
  total: number;
  results: LogLine[];
  /** For the page after this one; absent at the end. */
  next?: string;
  /**
   * The time for one answer ended before the range did: up to this moment everything was looked at. `next` goes on there.
   */
  reached?: string;
  /** What of the search a backend could not do, or where it stopped looking. */
  notices?: string[];
  sources?: LogSource[];
}

/** How many lines of each level in one span of time; `none` are those that do not say. */
export interface LogBucket {
  start: string;
  counts: Partial<Record<LineLevel | "none", number>>;
}

export interface LogHistogram {
  /** Length of a bucket in milliseconds. */
  step: number;
  start: string;
  end: string;
  /** Those that hold any, in order. */
  buckets: LogBucket[];
  /** Not all was counted in the time that there is: the newest were, back to this moment. */
  reached?: string;
  notices?: string[];
  sources?: LogSource[];
}

export interface LogContext {
  /** In order of time. */
  before: LogLine[];
  line: LogLine;
  after: LogLine[];
  notices?: string[];
}

/** What can be asked for lines, the server's own store first. */
export interface LogSources {
  sources: Omit<LogSource, "error">[];
}

/** Labels of lines that came lately, with the values that are most frequent. */
export interface LogLabels {
  labels: { name: string; values: string[] }[];
}

/** What `GET /api/logs/tail` tells, by the name of its events. */
export interface LogTailEvents {
  /** Nothing but its id: how far the lines were looked at. It is the first event, and comes again and again. */
  here: Record<string, never>;
  /** In the order in which they came. */
  lines: { lines: LogLine[] };
  /** So many lines were left out, because more came than the page reads, or than is sent in a moment. */
  skipped: { count: number };
  /** What of the search a backend cannot do; or that it fails, and is asked again. */
  notice: { notices: string[]; sources?: LogSource[] };
}

/** What became of lines that were sent. */
export interface LogIngested {
  accepted: number;
  refused: number;
  /** Lines of which something was cut: the message, a label, or how many labels there are. */
  cut: number;
  /** The first of those that were refused. `line` counts from 1. */
  errors: { line: number; message: string }[];
}
