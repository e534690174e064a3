import { insightSeverities } from "@mainstay/contract/catalog.ts";
import { classNames } from "@mainstay/ui/class-names.ts";
import { Icon } from "@mainstay/ui/Icon.tsx";
import { countText } from "./counts.tsx";
import { lookOfInsight, readSeverity, severityColours, worstSeverity } from "./insight-looks.ts";

export interface InsightCountsProps {
  /** By type. */
  counts: Readonly<Record<string, number>> | null | undefined;
  /** The same one by one, where it is known how much each matters. */
  insights?: readonly { analysis_type: string | null; severity: string | null }[] | undefined;
}

const shownTypes = 3;

function severitiesInWords(severities: readonly (string | null)[]): string {
  const counted = Map.groupBy(severities, readSeverity);
  return insightSeverities
    .flatMap((one) => (counted.has(one) ? `${counted.get(one)!.length} ${one}` : []))
    .join(", ");
}

/** Open insights: a mark and a number for each type, in the colour of the worst of them. */
export function InsightCounts({ counts, insights = [] }: InsightCountsProps) {
  const types = Object.entries(counts ?? {}).filter(([, count]) => count > 0);
  if (types.length === 0) return <span className="text-muted">–</span>;
  const byType = Map.groupBy(insights, ({ analysis_type }) => analysis_type ?? "other");
  const shown = types
    .map(([type, count]) => {
      const severities = (byType.get(type) ?? []).map(({ severity }) => severity);
      const worst = worstSeverity(severities);
      return { type, count, severities, worst, rank: insightSeverities.indexOf(worst ?? "info") };
    })
    .toSorted((one, other) => one.rank - other.rank || other.count - one.count);
  const words = shown
    .map(({ type, count, severities }) => {
      const own = severitiesInWords(severities);
      return `${lookOfInsight(type).label}: ${count.toLocaleString()}${own === "" ? "" : ` (${own})`}`;
    })
    .join("\n");
  return (
    <span
      role="img"
      aria-label={`Insights. ${words.replaceAll("\n", ". ")}`}
      data-tooltip={words}
      className="inline-flex min-w-0 items-center gap-2 align-middle"
    >
      {shown.slice(0, shownTypes).map(({ type, count, worst }) => (
        <span
          key={type}
          className={classNames(
            "inline-flex items-center gap-0.5 text-xs tabular-nums",
            worst === undefined ? "text-muted" : severityColours[worst],
          )}
        >
          <span className="inline-flex [&_*]:text-inherit">
            <Icon name={type} mark={lookOfInsight(type).mark} size={13} />
          </span>
          {countText(count)}
        </span>
      ))}
      {shown.length > shownTypes && (
        <span className="text-2xs text-muted">+{shown.length - shownTypes}</span>
      )}
    </span>
  );
}
