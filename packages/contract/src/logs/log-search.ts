import type { LineLevel } from "./line-level.ts";

/**
 * What a search for log lines says, whichever backend is asked. All terms must hold. Text is looked for in the message,
 * in any case; what a label says is compared exactly.
 */
export type LogTerm =
  /** `word` or `"a phrase"`: somewhere in the message. */
  | { kind: "text"; text: string; isNot: boolean }
  /** `label=a,b`: the label is one of these. A line without the label has nothing in it. */
  | { kind: "label"; label: string; values: readonly string[]; isNot: boolean }
  /** `label=~pattern`: the pattern (RE2) is found somewhere in the label; `message` is the message itself. */
  | { kind: "pattern"; label: string; pattern: string; isNot: boolean }
  /** `level>=warn`, as the levels that it allows. A line without a level has none of them. */
  | { kind: "level"; levels: readonly LineLevel[]; isNot: boolean };

export interface LogSearch {
  terms: readonly LogTerm[];
  /** `time>now-1h`: a moment or date math; it narrows the range that is asked, and never widens it. */
  after?: string;
  /** `time<2026-11-01T10:00:00Z`. */
  before?: string;
}

/** What stands where in a text that was understood, to colour it and to complete it. Positions count characters from 0. */
export interface LogSearchToken {
  kind: "label" | "not" | "operator" | "text" | "value";
  from: number;
  to: number;
}

export const logSearchLimits = {
  /** Characters of a whole search. */
  length: 4000,
  terms: 50,
  /** Values of one term. */
  values: 50,
  /** Characters of a pattern. */
  pattern: 500,
} as const;

/** What is wrong with a search for log lines, and where: `at` counts characters from 0. */
export class LogSearchError extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.name = "LogSearchError";
    this.at = at;
  }
}
