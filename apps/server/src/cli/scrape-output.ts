import { relationLines, type ScrapeResult } from "#features/catalog/index.ts";
import { formatTable } from "./table.ts";

const counted = (count: number, one: string) => `${count} ${count === 1 ? one : `${one}s`}`;

/** What scrapes found, a table for each kind of thing that there is. */
export function scrapeTables(results: readonly ScrapeResult[]): string {
  return results
    .flatMap(({ scraper, items, changes, insights, errors, warnings, found }) => [
      `${scraper}: ${[
        counted(found, "item"),
        counted(changes.length, "change"),
        counted(insights.length, "insight"),
      ].join(", ")}`,
      section(
        ["TYPE", "NAME", "ID", "HEALTH", "STATUS"],
        items.map((item) => [
          item.type,
          item.name,
          item.externalId,
          item.health ?? "",
          item.status ?? "",
        ]),
      ),
      section(
        ["CHANGE", "SEVERITY", "ITEM", "SUMMARY"],
        changes.map((change) => [
          change.changeType,
          change.severity ?? "info",
          change.item.externalId,
          change.summary ?? "",
        ]),
      ),
      section(
        ["INSIGHT", "TYPE", "SEVERITY", "ITEM", "SUMMARY"],
        insights.map((insight) => [
          insight.analyzer,
          insight.analysisType,
          insight.severity,
          insight.item.externalId,
          insight.summary ?? insight.message ?? "",
        ]),
      ),
      section(
        ["FROM", "RELATIONSHIP", "TO"],
        items.flatMap((item) =>
          relationLines(item).map(({ from, relation, to }) => [from, relation, to]),
        ),
      ),
      ...warnings.map((message) => `warning: ${message}`),
      ...errors.map((message) => `error: ${message}`),
    ])
    .filter((part) => part !== "")
    .join("\n\n");
}

const section = (head: string[], rows: string[][]): string =>
  rows.length === 0 ? "" : formatTable(head, rows);
