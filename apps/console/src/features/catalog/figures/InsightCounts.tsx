import { insightSeverities } from "@mainstay/contract/catalog.ts";
import { classNames } from "@mainstay/ui/class-names.ts";
import { Icon } from "@mainstay/ui/Icon.tsx";
import { countText } from "./counts.tsx";
import { lookOfInsight, readSeverity, severityColours } from "./insight-looks.ts";

/** How many insights there are, by type and severity: `{security: {high: 2}}`. */
export type InsightSeverities = Readonly<Record<string, Readonly<Record<string, number>>>>;

export interface InsightCountsProps {
  /** By type. */
  counts: Readonly<Record<string, number>> | null | undefined;
  /** The same by type and severity, where it is known how much each matters. */
  severities?: InsightSeverities | undefined;
}

const shownTypes = 3;

/** How many there are of each severity, the worst first. */
const bySeverity = (counts: Readonly<Record<string, number>> = {}) =>
  insightSeverities.flatMap((severity) => {
    let n = 0;
    for (const text in counts) if (readSeverity(text) === severity) n += counts[text]!;
    return n > 0 ? [{ severity, n }] : [];
  });

/** Open insights: a mark and a number for each type, in the colour of the worst of them. */
export function InsightCounts({ counts, severities = {} }: InsightCountsProps) {
  const types = Object.entries(counts ?? {}).filter(([, count]) => count > 0);
  if (types.length === 0) return <span className="text-muted">–</span>;
  const shown = types
    .map(([type, count]) => {
      const own = bySeverity(severities[type]);
      const worst = own[0]?.severity;
      const rank = insightSeverities.indexOf(worst ?? "info");
      const words = own.map(({ severity, n }) => `${n} ${severity}`).join(", ");
      return { type, count, words, worst, rank };
    })
    .toSorted((one, other) => one.rank - other.rank || other.count - one.count);
  const words = shown
    .map(
      ({ type, count, words: own }) =>
        `${lookOfInsight(type).label}: ${count.toLocaleString()}${own === "" ? "" : ` (${own})`}`,
    )
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
