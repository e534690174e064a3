import type { LogLine } from "./log-answers.ts";

/** What came of one backend of a document that was asked for its last line; nothing was stored. */
export interface LogBackendTrial {
  /** As lines of it would name it. */
  backend: string;
  type: string;
  /** The last one, where there is any. */
  line?: LogLine;
  /** Why it did not answer. */
  error?: string;
  notices?: string[];
}

export interface LogBackendTrialReply {
  results: LogBackendTrial[];
}
