import type { CheckSummary } from "@mainstay/contract/health.ts";

/** Worst first: the words of document 1, section 9, with the two that its list offers besides. */
const ranked = ["critical", "blocker", "high", "medium", "warning", "low", "info"];

/** What is said of checks that have none. */
export const noSeverity = "none";

export const severityOf = (check: Pick<CheckSummary, "severity">): string =>
  check.severity?.toLowerCase() || noSeverity;

/** Smaller is worse. Words that nobody has ranked follow those that are, and none at all is last. */
export function severityRank(severity: string): number {
  if (severity === noSeverity) return ranked.length + 1;
  const rank = ranked.indexOf(severity);
  return rank < 0 ? ranked.length : rank;
}

export const bySeverity = (a: string, b: string): number =>
  severityRank(a) - severityRank(b) || a.localeCompare(b);
