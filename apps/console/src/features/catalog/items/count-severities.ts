import type { InsightSeverities } from "../figures/InsightCounts.tsx";

export function countSeverities(
  insights: readonly { analysis_type: string | null; severity: string | null }[] = [],
): InsightSeverities {
  const byType = Map.groupBy(insights, ({ analysis_type }) => analysis_type ?? "other");
  return Object.fromEntries(
    [...byType].map(([type, own]) => [
      type,
      Object.fromEntries(
        [...Map.groupBy(own, ({ severity }) => severity ?? "info")].map(([one, all]) => [
          one,
          all.length,
        ]),
      ),
    ]),
  );
}
