/** The words of the catalog: what the server stores, what documents write and what pages show. */

export * from "./health-words.ts";

/** How much a change matters, worst first. */
export const changeSeverities = ["critical", "high", "medium", "low", "info"] as const;
export type ChangeSeverity = (typeof changeSeverities)[number];

/** The change that a scraper writes itself when an item is no longer as it was; its patches and its diff say how. */
export const diffChange = "diff";

/** How much an insight matters, worst first; other programs write two words that changes do not have. */
export const insightSeverities = [
  "critical",
  "blocker",
  "high",
  "medium",
  "warning",
  "low",
  "info",
] as const;
export type InsightSeverity = (typeof insightSeverities)[number];

/** What an insight is about (`analysis_type`). */
export const analysisTypes = [
  "availability",
  "compliance",
  "cost",
  "integration",
  "other",
  "performance",
  "recommendation",
  "reliability",
  "security",
  "technical_debt",
] as const;
export type AnalysisType = (typeof analysisTypes)[number];

/** Reads a type in any case and in both spellings of `technicalDebt`; undefined when it is none. */
export function readAnalysisType(text: string): AnalysisType | undefined {
  const plain = (word: string) => word.toLowerCase().replaceAll(/[^a-z]/g, "");
  return analysisTypes.find((type) => plain(type) === plain(text));
}

/** `resolved`: a scraper no longer sees it; `silenced`: somebody does not want to. */
export const insightStatuses = ["open", "resolved", "silenced"] as const;
export type InsightStatus = (typeof insightStatuses)[number];

/** Why an item is gone; nothing when a person deleted it. */
export const deleteReasons = [
  "STALE",
  "FROM_ATTRIBUTE",
  "FROM_DELETE_FIELD",
  "FROM_EVENT",
  "SCRAPER_DELETED",
] as const;
export type DeleteReason = (typeof deleteReasons)[number];

/** The relation of a parent to its child; of every other pair it is the name that its scraper gives it. */
export const hardRelation = "hard";
